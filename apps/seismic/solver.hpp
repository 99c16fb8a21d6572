// SPDX-License-Identifier: Apache-2.0

// The variants: the same problem, the same row kernels, solved in several ways.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "apps/common/caches.hpp"
#include "apps/seismic/kernels.hpp"
#include "apps/seismic/problem.hpp"
#include "weir/options.hpp"

namespace weir::apps::seismic {

// Rows or columns as Weir's footprints count them.
inline std::size_t size(Index n) { return static_cast<std::size_t>(n); }

// How `weir`, and the variants with bands, cut the work: a task takes a tile of `rows` x `cols` cells through
// `iterations` iterations.
struct Tiling {
  Index iterations, rows, cols;
  Index inner_iterations, inner_rows, inner_cols;  // see Sweep
};

// What was asked for; 0: chosen.
struct TilingRequest {
  Index iterations = 0, rows = 0, cols = 0;
};

// Fills in what was not asked for, from the caches: the rows that one tile has in flight stay in half of level 2, the
// innermost box in level 1; fewer rows a tile when there would be too few tiles for the threads.
Tiling choose_tiling(const TilingRequest& request, const Caches& caches, Index rows, int threads);

struct Settings {
  Options runtime;  // of the weir variants; its workers are `threads`
  int threads = 1;
  Index block_rows = 1;  // of weir-plain and ocr-plain: rows a task
  Tiling tiling{};       // of weir; bands, and blocks of ocr, have its rows and are swept in strips of its columns
  const Kernels* kernels = nullptr;
};

// Rows a block when none are asked for: 128 blocks as in the paper, but at least 4 a thread where there are rows.
Index default_block_rows(Index rows, int threads);

// One way to solve the problem, with its threads started.
class Solver {
 public:
  virtual ~Solver() = default;
  // All are called on the thread that made the solver. take() and give_back() enclose run(): what keeps the cells
  // elsewhere copies them there, and its result back.
  virtual void take(const Fields&) {}
  virtual void give_back(const Fields&) {}
  // Does the iterations [first, first + count), in place if not taken elsewhere.
  virtual void run(const Fields& fields, const Source& source, Index first, Index count) = 0;
};

struct Variant {
  std::string_view name;
  std::string_view purpose;                                    // a few words
  std::unique_ptr<Solver> (*start)(const Settings& settings);  // throws weir::Error when threads cannot be had
  bool parallel_for = false;                                   // one of those that `weir` is measured against
  bool blocks = false;                                         // keeps the grid in blocks of its own, and in tiers
  bool copies = false;                                         // keeps the grid in memory of its own
};

std::unique_ptr<Solver> start_serial(const Settings& settings);
std::unique_ptr<Solver> start_openmp(const Settings& settings);
std::unique_ptr<Solver> start_tbb(const Settings& settings);
std::unique_ptr<Solver> start_weir_plain(const Settings& settings);
std::unique_ptr<Solver> start_weir(const Settings& settings);
std::unique_ptr<Solver> start_weir_bands(const Settings& settings);
std::unique_ptr<Solver> start_weir_blocks(const Settings& settings);

// ocr-plain, ocr: those of the library weir_seismic_ocr. What is linked without it defines this, and returns none.
std::span<const Variant> ocr_variants();

// serial, openmp, tbb, weir-plain, weir, weir-bands, weir-blocks, and those of OCR.
std::span<const Variant> variants();
const Variant* find_variant(std::string_view name);  // null when there is none

// Row y of all six arrays to where `to` points: any struct with a pointer named as the array for each.
template <class Row>
void copy_row_out(const Fields& f, Index y, const Row& to) {
  const auto bytes = static_cast<std::size_t>(f.cols) * sizeof(double);
  const Index at = y * f.stride;
  std::memcpy(to.velocity, f.velocity + at, bytes);
  std::memcpy(to.stress_x, f.stress_x + at, bytes);
  std::memcpy(to.stress_y, f.stress_y + at, bytes);
  std::memcpy(to.material, f.material + at, bytes);
  std::memcpy(to.damping, f.damping + at, bytes);
  std::memcpy(to.inverse_density, f.inverse_density + at, bytes);
}

// The three that change, back.
inline void copy_row_back(const Fields& f, Index y, const double* velocity, const double* stress_x,
                          const double* stress_y) {
  const auto bytes = static_cast<std::size_t>(f.cols) * sizeof(double);
  const Index at = y * f.stride;
  std::memcpy(f.velocity + at, velocity, bytes);
  std::memcpy(f.stress_x + at, stress_x, bytes);
  std::memcpy(f.stress_y + at, stress_y, bytes);
}

// Ends an iteration of the variants that work by whole rows: the source's share.
inline void add_pulse(const Fields& fields, const Source& source, Index iteration) {
  fields.velocity[source.row * fields.stride + source.col] += source.pulse[iteration];
}

}  // namespace weir::apps::seismic
