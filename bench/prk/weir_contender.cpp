// SPDX-License-Identifier: Apache-2.0

// Weir: a task for each tile, ordered by footprints, with no barrier between phases (`tasks`) nor between iterations
// (`flow`); the first with a task for ten tiles of a row (`tasks-10`); and parallel_for over the tiles of a phase, row
// by row (`loops`), the same with a LoopAffinity for each phase (`affinity`), or in squares (`squares`). WEIR_*
// variables apply.
#include <algorithm>
#include <vector>

#include "bench/prk/contender.hpp"
#include "weir/weir.hpp"

namespace weir::prk {
namespace {

enum Way : std::size_t { tasks, tasks_10, flow, loops, affinity, squares };

class WeirContender final : public Contender {
 public:
  explicit WeirContender(const Options& options) : runtime_(options) {}

  std::vector<std::string> ways() const override {
    return {"tasks", "tasks-10", "flow", "loops", "affinity", "squares"};
  }
  void initialise(Kernel& kernel) override {
    const Grid grid = kernel.grid(0);
    weir::parallel_for(0, grid.rows, 1, [&](int first, int last) {
      for (int r = first; r < last; ++r)
        for (int c = 0; c < grid.columns; ++c) kernel.initialise(r, c);
    });
  }
  void run(Kernel& kernel, int iterations, std::size_t way) override {
    for (int i = 0; i < iterations; ++i) {
      if (way == loops || way == affinity || way == squares) {
        for (int phase = 0; phase < kernel.phases(); ++phase) loop(kernel, phase, way);
      } else {
        const int grain = way == tasks_10 ? 10 : 1;
        each_task(kernel, grain, [&](Tile first) { spawn(kernel, first, grain); });
      }
      if (way == tasks || way == tasks_10) runtime_.wait();
    }
    runtime_.wait();
  }

 private:
  void spawn(Kernel& kernel, Tile first, int grain) {
    const Touched t = kernel.touched(first, grain);
    const auto work = [&kernel, first, grain] { run_group(kernel, first, grain); };
    if (t.writes > 1) {  // the wavefront's last tile
      const Access items[] = {weir::inout(*t.written[0]), weir::inout(*t.written[1]), weir::in(*t.read[0]),
                              weir::in(*t.read[1])};
      runtime_.spawn(std::span<const Access>(items, std::size_t(t.writes + t.reads)), work);
      return;
    }
    spawn_reading<kMostReads>(t, work);
  }

  // A footprint whose number of items is known when this is compiled, as a program's mostly is.
  template <int kReads, class Work>
  void spawn_reading(const Touched& t, const Work& work) {
    if constexpr (kReads > 0) {
      if (t.reads < kReads) return spawn_reading<kReads - 1>(t, work);
    }
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      runtime_.spawn(weir::inout(*t.written[0]), weir::in(*t.read[I])..., work);
    }
    (std::make_index_sequence<kReads>());
  }

  void loop(Kernel& kernel, int phase, std::size_t way) {
    const Grid grid = kernel.grid(phase);
    if (grid.wavefront) return wavefront(kernel, phase);
    if (way == squares) {
      weir::parallel_for(weir::Range2<int>{0, grid.rows, 0, grid.columns}, 1, [&](const weir::Range2<int>& tile) {
        kernel.run({phase, tile.top, tile.left});
      });
      return;
    }
    const int columns = grid.columns;
    const auto tiles = [&kernel, phase, columns](int first, int last) {
      for (int i = first; i < last; ++i) kernel.run({phase, i / columns, i % columns});
    };
    if (way == loops) return weir::parallel_for(0, grid.rows * columns, 0, tiles);
    affinities_.resize(std::max(affinities_.size(), std::size_t(phase) + 1));
    weir::parallel_for(0, grid.rows * columns, 0, affinities_[std::size_t(phase)], tiles);
  }
  static void wavefront(Kernel& kernel, int phase) {
    const Grid grid = kernel.grid(phase);
    for (int d = 0; d < diagonals_of(grid); ++d) {
      const Diagonal diagonal = diagonal_of(grid, d);
      weir::parallel_for(diagonal.first, diagonal.last + 1, 0, [&kernel, phase, d](int first, int last) {
        for (int r = first; r < last; ++r) kernel.run({phase, r, d - r});
      });
    }
  }

  Runtime runtime_;
  std::vector<LoopAffinity> affinities_;  // by phase
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers) {
  Options options = Options::from_environment();
  options.workers = workers;
  return std::make_unique<WeirContender>(options);
}

}  // namespace weir::prk
