// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "apps/seismic/layout.hpp"

namespace weir::apps::seismic {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;  // what all six start at, so that kShift tells them apart
// From array to array: six such are about as long as a way of a level 2 cache (32 to 128 KiB), so that a tile's rows of
// all six spread over its sets. Bands have that from their rows, 64 of which are 21 pages longer than whole ways.
constexpr Index kPage = 512;  // doubles
constexpr Index kShift = 5 * kPage + kArrayShift;

std::size_t array_bytes(Index rows, Index cols) {
  const Index cells = (rows + 2) * stride_for(cols) + 5 * kShift + 2 * kLine;
  return static_cast<std::size_t>(cells) * sizeof(double) + kHugePage;
}

double* first_of_huge_page(const platform::Pages& pages) {
  const auto address = reinterpret_cast<std::uintptr_t>(pages.data());
  return reinterpret_cast<double*>((address + kHugePage - 1) / kHugePage * kHugePage);
}

}  // namespace

std::uint64_t bytes_needed(Index rows, Index cols) {
  const std::uint64_t copies = 3 * static_cast<std::uint64_t>(rows * cols) * sizeof(double);
  return 6 * array_bytes(rows, cols) + copies;
}

base::Result<Problem> Problem::create(const Earth& earth, int threads) {
  Problem problem;
  if (auto status = problem.allocate(earth.rows(), earth.cols()); !status) return status;
  problem.setup_ = Setup(earth, threads);
  problem.reset(threads);
  problem.fill_ground(earth, threads);
  return problem;
}

base::Status Problem::allocate(Index rows, Index cols) {
  fields_.rows = rows;
  fields_.cols = cols;
  fields_.stride = stride_for(cols);
  std::array<double*, 6> origin{};
  for (std::size_t i = 0; i < origin.size(); ++i) {
    auto pages = platform::Pages::map({array_bytes(rows, cols)}, std::nullopt);
    if (!pages) return pages.status();
    memory_.push_back(std::move(*pages));
    const Index shift = kLine + kShift * static_cast<Index>(i);  // kLine: the ghosts left of column 0
    origin[i] = first_of_huge_page(memory_.back()) + shift + fields_.stride;
  }
  fields_.velocity = origin[0];
  fields_.stress_x = origin[1];
  fields_.stress_y = origin[2];
  fields_.material = ground_[0] = origin[3];
  fields_.damping = ground_[1] = origin[4];
  fields_.inverse_density = ground_[2] = origin[5];
  return base::Status::success();
}

void Problem::fill_ground(const Earth& earth, int threads) {
#pragma omp parallel num_threads(threads)
  {
    std::vector<double> velocity(static_cast<std::size_t>(cols())), density(velocity.size());
#pragma omp for schedule(static)
    for (Index y = 0; y < rows(); ++y) {
      earth.row(y, velocity, density);
      const Index at = y * fields_.stride;
      setup_.fill_ground(y, velocity, density, {ground_[0] + at, ground_[1] + at, ground_[2] + at});
    }
  }
}

double Problem::wave_velocity(Index y, Index x) const noexcept {
  const Index at = y * fields_.stride + x;
  return std::sqrt(fields_.material[at] * fields_.inverse_density[at]) * kCellSize / time_step();
}

Index Problem::iterations_to_cross() const noexcept {
  const double mean = std::sqrt(slowest() * fastest()) * time_step() / kCellSize;  // cells per iteration
  return static_cast<Index>(0.7 * static_cast<double>(rows()) / mean);
}

void Problem::reset(int threads) {
  double* const state[] = {fields_.velocity, fields_.stress_x, fields_.stress_y};
  const auto bytes = static_cast<std::size_t>(cols()) * sizeof(double);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index y = 0; y < rows(); ++y) {
    for (double* array : state) std::memset(array + y * fields_.stride, 0, bytes);
  }
}

base::Result<Snapshot> Snapshot::take(const Problem& problem, int threads) {
  const Fields& f = problem.fields();
  const double* const state[] = {f.velocity, f.stress_x, f.stress_y};
  const auto bytes = static_cast<std::size_t>(f.cols) * sizeof(double);
  Snapshot snapshot;
  for (const double* array : state) {
    auto pages = platform::Pages::map({static_cast<std::size_t>(f.rows) * bytes}, std::nullopt);
    if (!pages) return pages.status();
    auto* copy = static_cast<std::byte*>(pages->data());
    snapshot.memory_.push_back(std::move(*pages));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index y = 0; y < f.rows; ++y) {
      std::memcpy(copy + static_cast<std::size_t>(y) * bytes, array + y * f.stride, bytes);
    }
  }
  return snapshot;
}

Difference Snapshot::compare(const Problem& problem, int threads) const {
  const Fields& f = problem.fields();
  const double* const state[] = {f.velocity, f.stress_x, f.stress_y};
  const char* const names[] = {"V", "S", "T"};
  const auto bytes = static_cast<std::size_t>(f.cols) * sizeof(double);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto* wanted = static_cast<const double*>(memory_[i].data());
    Index first = f.rows;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : first)
    for (Index y = 0; y < f.rows; ++y) {
      if (std::memcmp(wanted + y * f.cols, state[i] + y * f.stride, bytes) != 0) first = std::min(first, y);
    }
    if (first == f.rows) continue;
    const double* want = wanted + first * f.cols;
    const double* have = state[i] + first * f.stride;
    Index x = 0;
    while (std::memcmp(want + x, have + x, sizeof(double)) == 0) ++x;
    return fmt::format("{}[{}][{}] is {:.17g} instead of {:.17g}", names[i], first, x, have[x], want[x]);
  }
  return std::nullopt;
}

}  // namespace weir::apps::seismic
