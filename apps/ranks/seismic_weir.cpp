// SPDX-License-Identifier: Apache-2.0

// weir-ranks-seismic [option...]: waves in the ground on the ranks of a job, by the tasks on bands of apps/seismic.
//
// Each rank owns a slab of bands. A layer of iterations goes down the grid, from rank to rank, and the next one follows
// it; so all ranks work while there are more layers than ranks. Rank 0 compares the result with plain loops, bit for
// bit.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "apps/common/caches.hpp"
#include "apps/common/median.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/ranks/main.hpp"
#include "apps/ranks/seismic_grid.hpp"
#include "apps/seismic/weir_blocks.hpp"
#include "bench/ranks/command_line.hpp"
#include "weir/ranks.hpp"

namespace weir::apps::ranks {
namespace {

using namespace seismic;

struct Asked {
  int rows = 2048, cols = 2048, iterations = 128, depth = 8, band_rows = 32, workers = 1, repeat = 3;
};

// Rank 0's: the same by plain loops.
class Reference {
 public:
  Reference(const Earth& earth, const Settings& settings, Index iterations)
      : problem_(created(earth)), solver_(start_serial(settings)) {
    problem_.make_source(iterations);
    solver_->run(problem_.fields(), problem_.source(), 0, iterations);
  }
  bool has(Index y, const double* velocity, const double* stress_x, const double* stress_y) const {
    const Fields& f = problem_.fields();
    const auto bytes = static_cast<std::size_t>(f.cols) * sizeof(double);
    const Index at = y * f.stride;
    return std::memcmp(f.velocity + at, velocity, bytes) == 0 && std::memcmp(f.stress_x + at, stress_x, bytes) == 0 &&
           std::memcmp(f.stress_y + at, stress_y, bytes) == 0;
  }

 private:
  static Problem created(const Earth& earth) {
    auto problem = Problem::create(earth, 1);
    if (!problem) throw Error(problem.status().message);
    return std::move(*problem);
  }
  Problem problem_;
  std::unique_ptr<Solver> solver_;
};

// The first row that is wrong; as many as there are: none is. On rank 0.
Index first_wrong(SeismicGrid& grid, const Reference* reference) {
  std::atomic<Index> first{grid.layout().rows};
  grid.read([&](Index y, const double* velocity, const double* stress_x, const double* stress_y) {
    if (reference->has(y, velocity, stress_x, stress_y)) return;
    for (Index known = first.load(); y < known && !first.compare_exchange_weak(known, y);) {
    }
  });
  return first.load();
}

Settings settings_of(const Asked& asked) {
  Settings settings;
  settings.tiling = choose_tiling({asked.depth, asked.band_rows, 0}, find_caches(), asked.rows, asked.workers);
  settings.kernels = &best_kernels();
  return settings;
}

int measure(Ranks& ranks, const Asked& asked) {
  const Settings settings = settings_of(asked);
  const auto earth = layered_earth(asked.rows, asked.cols);
  Setup setup(*earth, 1);
  setup.make_source(asked.iterations);
  const Source source = setup.source();
  SeismicGrid grid(ranks, band_layout(asked.rows, asked.cols, asked.band_rows));
  // One layer after the other: what lies in a slab is done before what the next rank does not wait for.
  const int layers = (asked.iterations + asked.depth - 1) / asked.depth;
  const std::vector<BandTask> tasks = plan_bands(grid.layout(), 0, asked.iterations, layers, 1);
  const bool is_root = ranks.rank() == 0;
  const auto reference = is_root ? std::make_unique<Reference>(*earth, settings, asked.iterations) : nullptr;
  std::vector<double> seconds;
  Index wrong = asked.rows;
  for (int i = 0; i < asked.repeat && wrong == asked.rows; ++i) {
    grid.fill([&](Index y, const RowCells& row) {
      std::vector<double> velocity(static_cast<std::size_t>(asked.cols)), density(velocity.size());
      earth->row(y, velocity, density);
      setup.fill_ground(y, velocity, density, {row.material, row.damping, row.inverse_density});
    });
    const Stopwatch watch;
    spawn_bands(grid, tasks, settings, source);
    ranks.barrier();
    seconds.push_back(watch.seconds());
    wrong = first_wrong(grid, reference.get());
  }
  if (!is_root) return 0;
  std::printf("Weir on %d ranks: %zu tasks, %.1f ms, %.3f ms an iteration, %.1f GB/s of the plain algorithm\n",
              ranks.size(), tasks.size(), median(seconds) * 1e3, median(seconds) * 1e3 / asked.iterations,
              kPlainBytesPerCell * asked.rows * asked.cols * asked.iterations / median(seconds) / 1e9);
  if (wrong == asked.rows) return 0;
  std::fprintf(stderr, "seismic: V, S or T differs from that of plain loops in row %lld\n",
               static_cast<long long>(wrong));
  return 1;
}

int run(int argc, char** argv) {
  constexpr int kMostSide = 1'000'000;
  Asked asked;
  bench::CommandLine line("weir-ranks-seismic: waves in the ground on the ranks of a job");
  line.number("--rows", asked.rows, kMostSide, "of the grid; default 2048")
      .number("--cols", asked.cols, kMostSide, "of the grid; default 2048")
      .number("--iterations", asked.iterations, kMostSide, "of both phases; default 128")
      .number("--depth", asked.depth, kMostSide, "iterations of a task at most; default 8")
      .number("--band-rows", asked.band_rows, kMostSide, "rows of a band; default 32")
      .number("--workers", asked.workers, 4096, "of each rank; default 1")
      .number("--repeat", asked.repeat, 1000, "times; default 3");
  if (const auto code = line.parse(argc, argv)) return *code;
  Options options = Options::from_environment();
  options.workers = asked.workers;
  Ranks ranks(options);
  return measure(ranks, asked);
}

}  // namespace
}  // namespace weir::apps::ranks

// The variants in OCR are those of one process.
std::span<const weir::apps::seismic::Variant> weir::apps::seismic::ocr_variants() { return {}; }

int main(int argc, char** argv) { return weir::apps::ranks::main_of(weir::apps::ranks::run, argc, argv); }
