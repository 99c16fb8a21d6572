// SPDX-License-Identifier: Apache-2.0

#include "explain/findings.hpp"

#include <algorithm>
#include <utility>

namespace weir::explain {

namespace {

// The waits as a graph: rows of neighbours, one array for all.
class Graph {
 public:
  struct Neighbour {
    Index thing;
    std::uint32_t wait;
  };

  // Forwards: from who waits to what for. Backwards: from what is waited for to who waits.
  Graph(const Situation& situation, bool forwards) : start_(situation.things.size() + 1, 0) {
    const auto ends = [&](const Wait& wait) {
      return forwards ? std::pair(wait.who, wait.on) : std::pair(wait.on, wait.who);
    };
    for (const Wait& wait : situation.waits)
      if (wait.on != kNobody) ++start_[ends(wait).first + 1];
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    all_.resize(start_.back());
    std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
    for (std::uint32_t i = 0; i < situation.waits.size(); ++i) {
      const Wait& wait = situation.waits[i];
      if (wait.on != kNobody) all_[next[ends(wait).first]++] = {ends(wait).second, i};
    }
  }

  const Neighbour* begin(Index thing) const { return all_.data() + start_[thing]; }
  const Neighbour* end(Index thing) const { return all_.data() + start_[thing + 1]; }
  bool has(Index thing) const { return start_[thing] != start_[thing + 1]; }
  std::size_t size() const { return start_.size() - 1; }

 private:
  std::vector<std::uint32_t> start_;
  std::vector<Neighbour> all_;
};

// A thing that lies on a cycle, or kNobody: depth first, without recursion.
Index on_cycle(const Graph& graph) {
  enum : std::uint8_t { fresh, open, done };
  std::vector<std::uint8_t> state(graph.size(), fresh);
  std::vector<std::pair<Index, const Graph::Neighbour*>> path;
  for (Index start = 0; start < graph.size(); ++start) {
    if (state[start] != fresh) continue;
    state[start] = open;
    path.assign(1, {start, graph.begin(start)});
    while (!path.empty()) {
      auto& [thing, next] = path.back();
      if (next == graph.end(thing)) {
        state[thing] = done;
        path.pop_back();
        continue;
      }
      const Index other = (next++)->thing;
      if (state[other] == open) return other;
      if (state[other] == fresh) {
        state[other] = open;
        path.emplace_back(other, graph.begin(other));
      }
    }
  }
  return kNobody;
}

// The shortest way from a thing back to itself, as waits; breadth first.
std::vector<std::uint32_t> shortest_cycle(const Graph& graph, const Situation& situation, Index from) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> reached_by(graph.size(), kNone);
  std::vector<Index> queue{from};
  for (std::size_t at = 0; at < queue.size() && reached_by[from] == kNone; ++at) {
    for (const auto* n = graph.begin(queue[at]); n != graph.end(queue[at]); ++n) {
      if (reached_by[n->thing] != kNone) continue;
      reached_by[n->thing] = n->wait;
      queue.push_back(n->thing);
    }
  }
  std::vector<std::uint32_t> cycle;
  Index at = from;
  do {
    cycle.push_back(reached_by[at]);
    at = situation.waits[reached_by[at]].who;
  } while (at != from);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

std::uint32_t count_reached(const Graph& backwards, Index root, std::vector<Index>& seen, Index mark) {
  std::vector<Index> queue{root};
  seen[root] = mark;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (const auto* n = backwards.begin(queue[at]); n != backwards.end(queue[at]); ++n) {
      if (std::exchange(seen[n->thing], mark) != mark) queue.push_back(n->thing);
    }
  }
  return static_cast<std::uint32_t>(queue.size() - 1);
}

// Of many roots, only those that most things wait for directly are followed up.
void find_roots(const Situation& situation, const Graph& forwards, const Graph& backwards, Findings& findings) {
  constexpr std::size_t kCandidates = 64;
  std::vector<Root>& roots = findings.roots;
  std::vector<bool> ends_here(situation.things.size(), false), unseen(situation.things.size(), false);
  for (const Wait& wait : situation.waits) {
    if (wait.cause == Cause::nothing || wait.cause == Cause::rank) ends_here[wait.who] = true;
    if (wait.cause == Cause::edge && wait.on == kNobody) unseen[wait.who] = true;
  }
  for (Index i = 0; i < situation.things.size(); ++i) {
    if ((forwards.has(i) && !ends_here[i]) || unseen[i]) continue;
    const auto direct = static_cast<std::uint32_t>(backwards.end(i) - backwards.begin(i));
    const bool counts =
        direct != 0 || situation.things[i].state == State::waiting || situation.things[i].state == State::running;
    if (counts) roots.push_back({i, direct});
  }
  findings.roots_left_out = roots.size() - std::min(roots.size(), kMostRoots);
  const auto more = [](const Root& a, const Root& b) { return a.waiters > b.waiters; };
  std::stable_sort(roots.begin(), roots.end(), more);
  if (roots.size() > kCandidates) roots.resize(kCandidates);
  std::vector<Index> seen(situation.things.size(), kNobody);
  for (Root& root : roots) root.waiters = count_reached(backwards, root.thing, seen, root.thing);
  std::stable_sort(roots.begin(), roots.end(), more);
  if (roots.size() > kMostRoots) roots.resize(kMostRoots);
}

}  // namespace

namespace {

// What is counted as left, and as waiting: not what only stands for a thread of the program or an event.
bool is_task(const Thing& thing) { return thing.kind != Kind::thread && thing.kind != Kind::event; }

}  // namespace

Findings find(const Situation& situation) {
  Findings findings;
  for (const Thing& thing : situation.things) {
    if (!is_task(thing)) continue;
    findings.waiting += thing.state == State::waiting ? 1 : 0;
    findings.ready += thing.state == State::ready ? 1 : 0;
    findings.running += thing.state == State::running ? 1 : 0;
  }
  std::vector<std::uint16_t> causes(situation.things.size(), 0);
  for (const Wait& wait : situation.waits) {
    const Thing& waiter = situation.things[wait.who];
    // A throttled thread runs tasks while it waits, so it does not count as waiting; why it spawns nothing is of
    // interest.
    if (wait.cause != Cause::throttle && (!is_task(waiter) || waiter.state != State::waiting)) continue;
    const auto bit = static_cast<std::uint16_t>(1u << static_cast<unsigned>(wait.cause));
    if ((causes[wait.who] & bit) == 0) ++findings.by_cause[static_cast<std::size_t>(wait.cause)];
    causes[wait.who] |= bit;
  }
  const Graph forwards(situation, true);
  const Graph backwards(situation, false);
  find_roots(situation, forwards, backwards, findings);
  if (const Index at = on_cycle(forwards); at != kNobody) findings.cycle = shortest_cycle(forwards, situation, at);
  return findings;
}

}  // namespace weir::explain
