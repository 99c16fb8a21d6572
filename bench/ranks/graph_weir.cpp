// SPDX-License-Identifier: Apache-2.0

// weir-bench-ranks: graphs by Weir over the ranks of a job, each cell a tile that belongs to its column's rank.
// Arguments: graph_job.hpp.
#include <array>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "bench/ranks/graph_job.hpp"
#include "weir/ranks.hpp"

namespace weir::bench {
namespace {

template <std::size_t>
using Source = std::span<const Cell>;

class WeirJob final : public GraphJob {
 public:
  explicit WeirJob(const Options& options)
      : ranks_(options), told_(Array<double, 1>::distribute(ranks_, {1}, {1}, block_cyclic(1), "told")) {}

  int rank() const override { return ranks_.rank(); }
  int ranks() const override { return ranks_.size(); }
  void barrier() override { ranks_.barrier(); }
  double of_root(double value) override {
    double said = value;
    ranks_.spawn(out(told_.tile(0)), [value](std::span<double> v) { v[0] = value; });
    for (int r = 0; r < ranks(); ++r)
      ranks_.spawn(on_rank(r), in(told_.tile(0)), [&said](std::span<const double> v) { said = v[0]; });
    ranks_.wait();
    return said;
  }

  void prepare(TaskGraph& graph) override {
    const std::size_t width = std::size_t(graph.width()), cells = graph.cells().size();
    cells_.emplace(Array<Cell, 1>::distribute(
        ranks_, {cells}, {1},
        owned_by([this, width](auto place) { return owner_of(int(place[0] % width), int(width), ranks()); }), "cells"));
  }
  void finish(TaskGraph&) override { cells_.reset(); }

  void reset(TaskGraph& graph) override {
    for (std::size_t i = 0; i < graph.cells().size(); ++i)
      ranks_.spawn(out(cells_->tile(i)), [](std::span<Cell> cell) { cell[0] = Cell{}; });
  }
  void task_graph(TaskGraph& graph) override {
    for (int step = 0; step < graph.steps(); ++step) {
      const Columns row = graph.columns(step);
      for (int column = row.first; column < row.end(); ++column) spawn(graph, step, column);
    }
    ranks_.wait();
  }
  void collect(TaskGraph& graph) override {
    for (std::size_t i = 0; i < graph.cells().size(); ++i)
      ranks_.spawn(in(cells_->tile(i)), [to = &graph.cells()[i]](std::span<const Cell> cell) { *to = cell[0]; });
    ranks_.wait();
  }

 private:
  ArrayTile<Cell, 1> tile(TaskGraph& graph, int step, int column) const {
    return cells_->tile(std::size_t(&graph.cell(step, column) - graph.cells().data()));
  }

  template <std::size_t... I>
  void spawn(TaskGraph& graph, int step, int column, std::index_sequence<I...>) {
    [[maybe_unused]] const auto inputs = graph.inputs(step, column);
    ranks_.spawn(in(tile(graph, step - 1, inputs[I]))..., out(tile(graph, step, column)),
                 [&graph, step, column](Source<I>... from, std::span<Cell> own) {
                   const std::array<const Cell*, sizeof...(I)> cells{from.data()...};
                   graph.execute(step, column, cells, own[0]);
                 });
  }
  void spawn_of_many(TaskGraph& graph, int step, int column) {
    std::vector<Access> before;
    for (const int c : graph.inputs(step, column)) before.push_back(in(tile(graph, step - 1, c)));
    ranks_.spawn(before, out(tile(graph, step, column)), [&graph, step, column](Items items, std::span<Cell> own) {
      std::vector<const Cell*> cells;
      for (std::size_t i = 0; i < items.size(); ++i) cells.push_back(items[i].span<const Cell>().data());
      graph.execute(step, column, cells, own[0]);
    });
  }
  void spawn(TaskGraph& graph, int step, int column) {
    switch (graph.inputs(step, column).size()) {
      case 0: return spawn(graph, step, column, std::make_index_sequence<0>{});
      case 1: return spawn(graph, step, column, std::make_index_sequence<1>{});
      case 2: return spawn(graph, step, column, std::make_index_sequence<2>{});
      case 3: return spawn(graph, step, column, std::make_index_sequence<3>{});
      case 4: return spawn(graph, step, column, std::make_index_sequence<4>{});
      case 5: return spawn(graph, step, column, std::make_index_sequence<5>{});
      default: return spawn_of_many(graph, step, column);
    }
  }

  Ranks ranks_;
  Array<double, 1> told_;
  std::optional<Array<Cell, 1>> cells_;
};

int run(std::span<char* const> arguments) {
  const GraphRequest request = graph_request_of(arguments);
  if (request.what == GraphRequest::What::about) return std::puts(R"({"about":"Weir over ranks"})") < 0 ? 1 : 0;
  const double peak = graph_peak_of(request);
  Options options = Options::from_environment();
  options.workers = request.of.workers;
  WeirJob job(options);
  run_graph_job(request, job, peak);
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) { return weir::bench::graph_main(argc, argv, weir::bench::run); }
