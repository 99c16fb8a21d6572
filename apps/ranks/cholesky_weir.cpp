// SPDX-License-Identifier: Apache-2.0

// weir-ranks-cholesky cholesky [option...]: by Weir, on the ranks of a job; options as those of weir-bddt-weir.

#include "apps/bddt/kernels.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/ranks/cholesky.hpp"
#include "apps/ranks/main.hpp"
#include "weir/ranks.hpp"

namespace weir::apps::ranks {
namespace {

using Tile = View2D<double>;
using Source = View2D<const double>;

class Tasks {
 public:
  Tasks(Ranks& ranks, std::size_t n, std::size_t tile)
      : ranks_(ranks),
        tile_(tile),
        a_(Array<double, 2>::distribute(ranks, {n, n}, {tile, tile}, distribution(ranks.size()), "a")) {}

  const Array<double, 2>& array() const { return a_; }
  void factor(std::size_t k) {
    ranks_.spawn(inout(a_.tile(k, k)), name("potrf"), [t = tile_](Tile a) { bddt::factor_tile(a.data(), t, t); });
  }
  void solve(std::size_t k, std::size_t i) {
    ranks_.spawn(in(a_.tile(k, k)), inout(a_.tile(i, k)), name("trsm"),
                 [t = tile_](Source l, Tile a) { bddt::solve_tile(l.data(), a.data(), t, t); });
  }
  void subtract_square(std::size_t k, std::size_t i) {
    ranks_.spawn(in(a_.tile(i, k)), inout(a_.tile(i, i)), name("syrk"),
                 [t = tile_](Source a, Tile c) { bddt::subtract_square(a.data(), c.data(), t, t); });
  }
  void subtract_product(std::size_t k, std::size_t i, std::size_t j) {
    ranks_.spawn(
        in(a_.tile(i, k)), in(a_.tile(j, k)), inout(a_.tile(i, j)), name("gemm"),
        [t = tile_](Source a, Source b, Tile c) { bddt::subtract_product(a.data(), b.data(), c.data(), t, t); });
  }

 private:
  static Distribution distribution(int ranks) {
    const Grid grid(ranks);
    return block_cyclic_2d(grid.rows, grid.columns);
  }

  Ranks& ranks_;
  std::size_t tile_;
  Array<double, 2> a_;
};

bddt::Report measure(Ranks& ranks, const bddt::Request& request) {
  const std::size_t n = request.size.n, tiles = n / request.size.tile;
  bddt::Report report{"Weir on " + std::to_string(ranks.size()) + " ranks", tasks_of(tiles), {}, ""};
  Tasks tasks(ranks, n, request.size.tile);
  const bool is_root = ranks.rank() == 0;
  for (int i = 0; i < request.repeat && report.wrong.empty(); ++i) {
    std::vector<double> dense = is_root ? definite_matrix(n) : std::vector<double>();
    scatter(ranks, tasks.array(), dense.data());
    for (std::size_t row = 0; row < tiles; ++row)  // each tile is on its owner when the time begins
      for (std::size_t column = 0; column < tiles; ++column) ranks.spawn(inout(tasks.array().tile(row, column)), [] {});
    ranks.barrier();
    const Stopwatch watch;
    spawn_cholesky(tasks, tiles);
    ranks.barrier();
    report.runs.push_back({watch.seconds(), 0, {}});
    gather(ranks, tasks.array(), dense.data());
    ranks.wait();
    if (is_root) report.wrong = bddt::check_factor(dense.data(), n);
  }
  return report;
}

int run(int argc, char** argv) {
  const bddt::Request request = bddt::requests_of(argc, argv).front();
  if (request.program != "cholesky") {
    std::fprintf(stderr, "%s: this program factors matrices: cholesky\n", request.program.c_str());
    return 2;
  }
  bddt::load_kernels(0);
  Options options = Options::from_environment();
  options.workers = request.workers;
  Ranks ranks(options);
  const bddt::Report report = measure(ranks, request);
  return ranks.rank() == 0 ? conclude(report) : 0;
}

}  // namespace
}  // namespace weir::apps::ranks

int main(int argc, char** argv) { return weir::apps::ranks::main_of(weir::apps::ranks::run, argc, argv); }
