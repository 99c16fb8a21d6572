// SPDX-License-Identifier: Apache-2.0

#include "sim/bound.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "data/policy/evict.hpp"

namespace weir::sim {
namespace {

using data::policy::Candidate;
using data::policy::kNever;
using data::policy::Sequence;

// For each access the task that uses its block next; kNever if none does.
std::vector<Sequence> next_uses(const AccessTrace& trace) {
  std::vector<Sequence> next(trace.accesses.size());
  std::vector<Sequence> seen(trace.block_bytes.size(), kNever);
  for (std::size_t task = trace.task_ends.size(); task-- > 0;) {
    const std::size_t first = task == 0 ? 0 : trace.task_ends[task - 1];
    for (std::size_t a = first; a < trace.task_ends[task]; ++a) next[a] = seen[trace.accesses[a].block];
    for (std::size_t a = first; a < trace.task_ends[task]; ++a) seen[trace.accesses[a].block] = task;
  }
  return next;
}

class FastTier {
 public:
  FastTier(const AccessTrace& trace, std::uint64_t budget)
      : trace_(trace), budget_(budget), states_(trace.block_bytes.size()) {}

  // Runs a task whose blocks are used again as `next` says; counts into `movement`.
  void run(std::span<const TracedAccess> accesses, std::span<const Sequence> next, Movement& movement) {
    for (const TracedAccess& access : accesses) by_next_use_.erase(key_of(access.block));  // pinned
    for (const TracedAccess& access : accesses) bring(access, movement);
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      State& state = states_[accesses[a].block];
      state.next = next[a];
      state.dirty = state.dirty || accesses[a].writes;
    }
    for (const TracedAccess& access : accesses) by_next_use_.insert(key_of(access.block));
  }

 private:
  struct State {
    bool here = false, dirty = false;
    Sequence next = kNever;
  };
  // Sorted by what leaves first.
  struct Key {
    Candidate candidate;
    std::uint32_t block;
    friend bool operator<(const Key& a, const Key& b) {
      if (data::policy::farther(a.candidate, b.candidate)) return true;
      return !data::policy::farther(b.candidate, a.candidate) && a.block < b.block;
    }
  };
  Key key_of(std::uint32_t block) const {
    const State& state = states_[block];
    return {{.next_use = state.next, .bytes = trace_.block_bytes[block], .dirty = state.dirty}, block};
  }

  void bring(const TracedAccess& access, Movement& movement) {
    State& state = states_[access.block];
    if (state.here) return;
    const std::uint64_t bytes = trace_.block_bytes[access.block];
    while (used_ + bytes > budget_) evict(movement);
    used_ += bytes;
    state.here = true;
    if (access.reads) movement.fetched += bytes;
  }

  void evict(Movement& movement) {
    WEIR_CHECK(!by_next_use_.empty(), "a task's blocks are larger than the fast tier");
    const Key victim = *by_next_use_.begin();
    by_next_use_.erase(by_next_use_.begin());
    if (victim.candidate.dirty) movement.written_back += victim.candidate.bytes;
    states_[victim.block] = {};
    used_ -= victim.candidate.bytes;
  }

  const AccessTrace& trace_;
  std::uint64_t budget_;
  std::uint64_t used_ = 0;
  std::vector<State> states_;
  std::set<Key> by_next_use_;  // of the blocks that are here and not pinned
};

}  // namespace

Movement least_movement(const AccessTrace& trace, std::uint64_t budget) {
  const std::vector<Sequence> next = next_uses(trace);
  FastTier fast(trace, budget);
  Movement movement;
  for (std::size_t task = 0, first = 0; task < trace.task_ends.size(); first = trace.task_ends[task++]) {
    if (task == trace.first_measured) movement = {};
    const std::size_t count = trace.task_ends[task] - first;
    fast.run({&trace.accesses[first], count}, {&next[first], count}, movement);
  }
  return movement;
}

double bound_seconds(double resident_seconds, const Movement& movement, const SlowBandwidth& slow) {
  const auto fetched = static_cast<double>(movement.fetched), written = static_cast<double>(movement.written_back);
  return std::max({resident_seconds, fetched / slow.read, written / slow.write, (fetched + written) / slow.mixed});
}

std::uint64_t most_at_once(const AccessTrace& trace) {
  std::uint64_t most = 0;
  for (std::size_t task = 0, first = 0; task < trace.task_ends.size(); first = trace.task_ends[task++]) {
    std::uint64_t bytes = 0;
    for (std::size_t a = first; a < trace.task_ends[task]; ++a) bytes += trace.block_bytes[trace.accesses[a].block];
    most = std::max(most, bytes);
  }
  return most;
}

// A block that the program has made has nothing to fetch until a task has written it, which the data layer knows, too.
// An EDT that makes a block writes it, and no item says so: there all but the first use finds contents.
AccessTrace access_trace_of(const Program& program) {
  AccessTrace trace;
  std::vector<bool> has_contents;
  for (const ProgramBlock& block : program.blocks) {
    trace.block_bytes.push_back(block.bytes);
    has_contents.push_back(block.adopted);
  }
  for (const ProgramTask& task : program.tasks) {
    const std::size_t first = trace.accesses.size();
    for (std::uint32_t i = task.items.first; i < task.items.first + task.items.count; ++i) {
      const Item& item = program.items[i];
      if (!item.is_tiered(program.blocks)) continue;
      const bool reads = item.mode != Mode::out && has_contents[item.block], writes = item.mode != Mode::in;
      const auto known = std::find_if(trace.accesses.begin() + static_cast<std::ptrdiff_t>(first), trace.accesses.end(),
                                      [&](const TracedAccess& access) { return access.block == item.block; });
      if (known == trace.accesses.end()) {
        trace.accesses.push_back({item.block, reads, writes});
      } else {
        known->reads = known->reads || reads;
        known->writes = known->writes || writes;
      }
    }
    for (std::size_t a = first; a < trace.accesses.size(); ++a)
      if (trace.accesses[a].writes || program.edts) has_contents[trace.accesses[a].block] = true;
    trace.end_task();
  }
  return trace;
}

}  // namespace weir::sim
