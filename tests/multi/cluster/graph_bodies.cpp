// SPDX-License-Identifier: Apache-2.0

// Random graphs of tasks over tiles of all sizes, against the same tasks one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "multi/cluster/bodies.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster::multi {
namespace {

using Word = std::uint64_t;

struct RandomTask {
  std::vector<std::size_t> reads;  // tiles
  std::size_t written = 0;
  enum class Way { out, inout, add, exclusive_or } way = Way::out;
  int rank = -1;  // -1: the owner's
  Word number = 0;
};

struct Graph {
  std::size_t tiles, tile_words;
  std::vector<RandomTask> tasks;
};

Graph make_graph(int seed, int ranks) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t sizes[] = {1, 7, 100, 489, 490, 2000, 40'000};
  const auto most = static_cast<std::size_t>(setting("WEIR_GRAPH_MOST_WORDS", 40'000));
  Graph graph{3 + below(12), std::min(most, sizes[below(std::size(sizes))]), {}};
  const std::size_t count = 20 + below(static_cast<std::size_t>(setting("WEIR_GRAPH_TASKS", 200)));
  for (std::size_t i = 0; i < count; ++i) {
    RandomTask task;
    task.number = random();
    task.written = below(graph.tiles);
    // Several tasks in a row accumulate into one tile, as sums are made.
    const bool goes_on = i > 0 && graph.tasks.back().way >= RandomTask::Way::add && below(4) != 0;
    task.way = goes_on ? graph.tasks.back().way : static_cast<RandomTask::Way>(below(4));
    if (goes_on) task.written = graph.tasks.back().written;
    for (std::size_t reads = below(4); reads > 0; --reads) {
      const std::size_t tile = below(graph.tiles);
      if (tile != task.written) task.reads.push_back(tile);
    }
    if (below(task.way >= RandomTask::Way::add ? 2 : 5) == 0)
      task.rank = static_cast<int>(below(static_cast<std::size_t>(ranks)));
    graph.tasks.push_back(std::move(task));
  }
  return graph;
}

Word mixed(Word value, Word with) { return (value ^ with) * 0x9e3779b97f4a7c15u + 1; }

void run_task(const RandomTask& task, const std::vector<const Word*>& reads, Word* to, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) {
    Word value = mixed(task.way == RandomTask::Way::inout ? to[i] : 0, task.number + i);
    for (const Word* const from : reads) value = mixed(value, from[i]);
    switch (task.way) {
      case RandomTask::Way::add: to[i] += value; break;
      case RandomTask::Way::exclusive_or: to[i] ^= value; break;
      case RandomTask::Way::out:
      case RandomTask::Way::inout: to[i] = value; break;
    }
  }
}

std::vector<Word> run_serially(const Graph& graph) {
  std::vector<Word> all(graph.tiles * graph.tile_words);
  for (const RandomTask& task : graph.tasks) {
    std::vector<const Word*> reads;
    for (const std::size_t tile : task.reads) reads.push_back(all.data() + tile * graph.tile_words);
    run_task(task, reads, all.data() + task.written * graph.tile_words, graph.tile_words);
  }
  return all;
}

void spawn(Ranks& ranks, const Array<Word, 1>& array, const Graph& graph, const RandomTask& task) {
  std::vector<Access> reads;
  for (const std::size_t tile : task.reads) reads.push_back(in(array.tile(tile)));
  const auto body = [&task, words = graph.tile_words](Items from, std::span<Word> to) {
    std::vector<const Word*> sources;
    for (std::size_t i = 0; i < from.size(); ++i) sources.push_back(from[i].span<const Word>().data());
    run_task(task, sources, to.data(), words);
  };
  const auto spawn_with = [&](auto item) {
    if (task.rank >= 0)
      ranks.spawn(on_rank(task.rank), reads, item, body);
    else
      ranks.spawn(reads, item, body);
  };
  const auto tile = array.tile(task.written);
  switch (task.way) {
    case RandomTask::Way::out: return spawn_with(out(tile));
    case RandomTask::Way::inout: return spawn_with(inout(tile));
    case RandomTask::Way::add: return spawn_with(reduce(tile, std::plus<>(), 0));
    case RandomTask::Way::exclusive_or: return spawn_with(reduce(tile, std::bit_xor<>(), 0));
  }
}

void run_graph(Ranks& ranks, int seed) {
  const Graph graph = make_graph(seed, ranks.size());
  const std::vector<Word> expected = run_serially(graph);
  const int root = seed % ranks.size();
  std::vector<Word> zeros(ranks.rank() == root ? expected.size() : 0), found(zeros.size());
  const auto array = Array<Word, 1>::distribute(
      ranks, {expected.size()}, {graph.tile_words},
      seed % 2 == 0 ? block_cyclic(ranks.size()) : bands(ranks.size(), graph.tiles), "random");
  scatter(ranks, array, zeros.data(), root);
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto drops = static_cast<unsigned>(setting("WEIR_GRAPH_DROPS", 0));
  for (const RandomTask& task : graph.tasks) {
    spawn(ranks, array, graph, task);
    if (random() % 100 < drops) ranks.drop_copies(array.tile(random() % graph.tiles));
    if (random() % 1000 < drops) ranks.drop_copies(array);
  }
  gather(ranks, array, found.data(), root);
  ranks.wait();
  if (ranks.rank() == root) expect(found == expected, fmt::format("graph of seed {} as one after the other", seed));
}

// WEIR_SEEDS graphs from WEIR_FIRST_SEED on; WEIR_GRAPH_DROPS of 100 tasks are followed by a drop_copies().
void random_graphs() {
  Ranks ranks;
  const int first = setting("WEIR_FIRST_SEED", 1), count = setting("WEIR_SEEDS", 20);
  for (int seed = first; seed < first + count; ++seed) run_graph(ranks, seed);
}
const Named kRandomGraphs("graphs", random_graphs);

}  // namespace
}  // namespace weir::cluster::multi
