// SPDX-License-Identifier: Apache-2.0

#include "data/engine/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::data::engine {

namespace {

const char* name_of(ReplicaState state) noexcept {
  static constexpr const char* kNames[] = {"absent", "filling", "clean", "dirty", "draining"};
  return kNames[static_cast<std::size_t>(state)];
}
const char* name_of(RequestState state) noexcept {
  static constexpr const char* kNames[] = {"pending", "waiting", "waiting (room in pieces)", "staging", "held", "begun",
                                           "failed",  "ended"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string shown(const Block& block) {
  return block.name.empty() ? fmt::format("a block of {} bytes", block.size) : fmt::format("block '{}'", block.name);
}

// "block 'a' and 3 others", of the blocks that are added.
class FirstAndOthers {
 public:
  void add(const Block& block) noexcept {
    if (first_ == nullptr)
      first_ = &block;
    else
      ++others_;
  }
  bool empty() const noexcept { return first_ == nullptr; }
  std::string text() const {
    std::string text = shown(*first_);
    if (others_ != 0) text += fmt::format(" and {} other{}", others_, others_ == 1 ? "" : "s");
    return text;
  }

 private:
  const Block* first_ = nullptr;
  std::size_t others_ = 0;
};

std::string describe(const Core& core, const Replica& r) {
  const std::string& node = core.hierarchy().nodes[index_of(r.place.node)].name;
  return fmt::format(" {}{} {}{}{}{}{}", r.stale ? "stale " : "", name_of(r.state), node,
                     r.pins != 0 ? fmt::format(" pinned by {}", r.pins) : std::string(), r.candidate ? "" : " stays",
                     r.early ? " early" : "", r.write_failed ? " unwritable" : "");
}

std::string describe(const Core& core, const Use& use) {
  const Block& block = *use.block;
  std::string text = fmt::format("'{}' {}", block.name, block.charge);
  if (block.home.in_place) text += " in place";
  if (block.home_uses != 0) text += fmt::format(" used at home by {}", block.home_uses);
  for (const Replica* r = block.replicas; r != nullptr; r = r->next) text += describe(core, *r);
  return text;
}

RoomHolder describe_holder(const Core& core, const Request& request) {
  RoomHolder holder{request.requester, 0, {}};
  FirstAndOthers blocks;
  for (const Use& use : request.uses()) {
    if (use.replica == nullptr) continue;
    holder.bytes += use.block->charge;
    blocks.add(*use.block);
  }
  if (!blocks.empty())
    holder.what =
        fmt::format("holds {} bytes of tier {}: {}", holder.bytes, core.tier_for(request).name, blocks.text());
  return holder;
}

// Budget and use are of all nodes of the tier together: which one it gets is decided when there is room.
std::string describe_room(const Core& core, const Request& request) {
  std::size_t missing = 0, budget = 0, used = 0;
  FirstAndOthers blocks;
  for (const Use& use : request.uses()) {
    if (!Fit::is_missing(use) || use.block->home.in_place || use.block->replicas != nullptr) continue;
    missing += use.block->charge;
    blocks.add(*use.block);
  }
  const TierShape& tier = core.tier_for(request);
  for (const NodeId node : tier.nodes) {
    budget += core.ledger.budget(node);
    used += core.ledger.used(node);
  }
  std::string text =
      fmt::format("room for {} bytes in tier {} (of its {} bytes {} are in use)", missing, tier.name, budget, used);
  if (!blocks.empty()) text += ", for " + blocks.text();
  return text;
}

std::string describe_staging(const Core& core, const Request& request) {
  std::string text = fmt::format("{} block{} on the way to tier {}", request.landing, request.landing == 1 ? "" : "s",
                                 core.tier_for(request).name);
  for (const Use& use : request.uses()) {
    if (use.replica == nullptr || use.replica->state != ReplicaState::filling) continue;
    const TierIndex from = use.block->home.tier;
    return text + fmt::format(": '{}', {} bytes from {}", use.block->name, use.block->size,
                              from == TierIndex::none ? "the program's memory" : core.hierarchy().tier(from).name);
  }
  return text;
}

std::vector<RoomHolder> holders_of_most(const Core& core) {
  constexpr std::size_t kMost = 16;
  std::vector<RoomHolder> holders;
  const auto more = [](const RoomHolder& a, const RoomHolder& b) { return a.bytes > b.bytes; };
  for (const Request* r = core.schedule.first(); r != nullptr; r = r->after) {
    if (!r->has_room() && r->state() != RequestState::staging) continue;
    RoomHolder holder = describe_holder(core, *r);
    if (holder.bytes == 0) continue;
    holders.insert(std::upper_bound(holders.begin(), holders.end(), holder, more), std::move(holder));
    if (holders.size() > kMost) holders.pop_back();
  }
  return holders;
}

}  // namespace

Waiting waiting_tasks(const Engine& engine) {
  const Core& core = engine.core();
  Waiting waiting;
  for (const Request* r = core.schedule.first(); r != nullptr; r = r->after) {
    if (r->waits())
      waiting.tasks.push_back({r->requester, describe_room(core, *r), true});
    else if (r->state() == RequestState::staging)
      waiting.tasks.push_back({r->requester, describe_staging(core, *r), false});
  }
  if (std::any_of(waiting.tasks.begin(), waiting.tasks.end(), [](const WaitingTask& task) { return task.room; }))
    waiting.holders = holders_of_most(core);
  return waiting;
}

std::vector<std::string> describe_waiting(const Engine& engine) {
  std::vector<std::string> lines;
  const std::vector<WaitingTask> tasks = waiting_tasks(engine).tasks;
  std::size_t i = 0;
  for (const Request* r = engine.core().schedule.first(); r != nullptr && i < tasks.size(); r = r->after) {
    if (r->requester == tasks[i].who && (r->waits() || r->state() == RequestState::staging))
      lines.push_back(fmt::format("task {:?} (number {}) waits for {}", r->name, r->sequence, tasks[i++].what));
  }
  return lines;
}

std::vector<std::string> describe_state(const Engine& engine) {
  const Core& core = engine.core();
  const Load& load = core.load;
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{} tasks hold their blocks ({} have not begun), {} wait for transfers, {} for room ({} of these for "
                  "whole room), {} transfers under way, {} bytes early of {}, {} blocks of tasks that are not tracked",
                  load.with_room, load.queued_now(), load.staging, load.waiting, load.fragmented, load.under_way,
                  core.replicas.early_bytes(), engine.early_limit(), engine.untracked_blocks()));
  for (std::size_t i = 0; i < core.hierarchy().nodes.size(); ++i) {
    const auto node = static_cast<NodeId>(i);
    const Ledger& ledger = core.ledger;
    lines.push_back(fmt::format("{}: {} of {} bytes in use, {} together free; {} could leave, {} leave, {} stay",
                                core.hierarchy().nodes[i].name, ledger.used(node), ledger.budget(node),
                                ledger.largest_free(node), core.replicas.leavable_bytes(node), ledger.leaving(node),
                                ledger.permanent(node)));
  }
  for (const Request* r = core.schedule.first(); r != nullptr; r = r->after) {
    std::string text = fmt::format("task {:?} (number {}) of domain {}, {}:", r->name, r->sequence,
                                   static_cast<int>(r->domain), name_of(r->state()));
    for (const Use& use : r->uses()) text += (&use == r->uses().data() ? " " : "; ") + describe(core, use);
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace weir::data::engine
