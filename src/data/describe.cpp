// SPDX-License-Identifier: Apache-2.0

// Residency: what it tells of itself, in words.
#include <fmt/format.h>

#include <algorithm>

#include "data/policy/prefetch.hpp"
#include "data/residency.hpp"

namespace weir::data {

namespace {

const char* name_of(ReplicaState state) noexcept {
  static constexpr const char* kNames[] = {"absent", "filling", "clean", "dirty", "draining"};
  return kNames[static_cast<std::size_t>(state)];
}
const char* name_of(RequestState state) noexcept {
  static constexpr const char* kNames[] = {"pending", "waiting", "staging", "held", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string shown(const Block& block) {
  return block.name.empty() ? fmt::format("a block of {} bytes", block.bytes) : fmt::format("block '{}'", block.name);
}

std::string describe(const Use& use) {
  const Block& block = *use.block;
  std::string text = fmt::format("'{}' {}", block.name, block.charge);
  if (block.home.in_place) text += " in place";
  if (block.home_uses != 0) text += fmt::format(" used at home by {}", block.home_uses);
  for (const Replica* r = block.replicas; r != nullptr; r = r->next) {
    text += fmt::format(" {}{} {}{}{}{}{}", r->stale ? "stale " : "", name_of(r->state), r->arena->name(),
                        r->pins != 0 ? fmt::format(" pinned by {}", r->pins) : std::string(),
                        r->candidate ? "" : " stays", r->early ? " early" : "", r->write_failed ? " unwritable" : "");
  }
  return text;
}

}  // namespace

Waiting Residency::waiting_tasks() {
  constexpr std::size_t kMostHolders = 16;
  Waiting waiting;
  for (Request* r = first_; r != nullptr; r = r->after) {
    if (r->state == RequestState::waiting)
      waiting.tasks.push_back({r->task, describe_room(*r), true});
    else if (r->state == RequestState::staging)
      waiting.tasks.push_back({r->task, describe_staging(*r), false});
  }
  if (std::none_of(waiting.tasks.begin(), waiting.tasks.end(), [](const WaitingTask& task) { return task.room; }))
    return waiting;
  std::vector<RoomHolder>& holders = waiting.holders;
  const auto more = [](const RoomHolder& a, const RoomHolder& b) { return a.bytes > b.bytes; };
  for (Request* r = first_; r != nullptr; r = r->after) {
    if (r->state != RequestState::held && r->state != RequestState::staging) continue;
    RoomHolder holder = describe_holder(*r);
    if (holder.bytes == 0) continue;
    holders.insert(std::upper_bound(holders.begin(), holders.end(), holder, more), std::move(holder));
    if (holders.size() > kMostHolders) holders.pop_back();
  }
  return waiting;
}

RoomHolder Residency::describe_holder(Request& request) {
  RoomHolder holder{request.task, 0, {}};
  const Block* first = nullptr;
  std::size_t others = 0;
  for (const Use& use : request.uses()) {
    if (use.replica == nullptr) continue;
    holder.bytes += use.block->charge;
    if (first == nullptr)
      first = use.block;
    else
      ++others;
  }
  if (first == nullptr) return holder;
  holder.what = fmt::format("holds {} bytes of tier {}: {}", holder.bytes, tiers_.tiers()[top_].name, shown(*first));
  if (others != 0) holder.what += fmt::format(" and {} other{}", others, others == 1 ? "" : "s");
  return holder;
}

// Budget and use are of all arenas of the tier together: which one it gets is decided when there is room.
std::string Residency::describe_room(Request& request) {
  std::size_t missing = 0, budget = 0, used = 0;
  const Block* first = nullptr;
  std::size_t others = 0;
  for (const Use& use : request.uses()) {
    if (use.replica != nullptr || use.at_home || use.block->home.in_place) continue;
    const bool there = use.block->replicas != nullptr;
    if (there) continue;
    missing += use.block->charge;
    if (first == nullptr)
      first = use.block;
    else
      ++others;
  }
  const Tier& tier = tiers_.tiers()[top_];
  for (const Arena* const arena : tier.arenas) {
    budget += arena->budget();
    used += arena->used();
  }
  std::string text =
      fmt::format("room for {} bytes in tier {} (of its {} bytes {} are in use)", missing, tier.name, budget, used);
  if (first != nullptr) text += fmt::format(", for {}", shown(*first));
  if (others != 0) text += fmt::format(" and {} other{}", others, others == 1 ? "" : "s");
  return text;
}

std::string Residency::describe_staging(Request& request) {
  std::string text = fmt::format("{} block{} on the way to tier {}", request.landing, request.landing == 1 ? "" : "s",
                                 tiers_.tiers()[top_].name);
  for (const Use& use : request.uses()) {
    if (use.replica == nullptr || use.replica->state != ReplicaState::filling) continue;
    const int from = use.block->home.tier;
    return text + fmt::format(": '{}', {} bytes from {}", use.block->name, use.block->bytes,
                              from < 0 ? "the program's memory" : tiers_.tiers()[static_cast<std::size_t>(from)].name);
  }
  return text;
}

std::vector<std::string> Residency::describe_waiting() {
  std::vector<std::string> lines;
  const std::vector<WaitingTask> tasks = waiting_tasks().tasks;
  std::size_t i = 0;
  for (const Request* r = first_; r != nullptr && i < tasks.size(); r = r->after) {
    if (r->task == tasks[i].task && (r->state == RequestState::waiting || r->state == RequestState::staging))
      lines.push_back(fmt::format("task {:?} (number {}) waits for {}", r->name, r->sequence, tasks[i++].what));
  }
  return lines;
}

std::vector<std::string> Residency::describe_state() {
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{} tasks hold their blocks ({} have not begun), {} wait for transfers, {} for room ({} of these for "
                  "whole room), "
                  "{} transfers under way, {} bytes early of {}, {} blocks of tasks that are not tracked",
                  held_, queued_.load(std::memory_order_relaxed), staging_, waiting_count_, scattered_, under_way_,
                  early_bytes_, policy::early_limit(tiers_.tiers()[top_].budget.count), untracked_blocks_.size()));
  for (const Arena* const arena : tiers_.arenas()) {
    const Place& p = places_[static_cast<std::size_t>(arena->index())];
    lines.push_back(fmt::format("{}: {} of {} bytes in use, {} together free; {} could leave, {} leave, {} stay",
                                arena->name(), arena->used(), arena->budget(), arena->largest_free(), p.candidate_bytes,
                                p.leaving_bytes, p.permanent));
  }
  for (Request* r = first_; r != nullptr; r = r->after) {
    std::string text =
        fmt::format("task {:?} (number {}) of domain {}, {}{}{}:", r->name, r->sequence, r->domain, name_of(r->state),
                    r->state == RequestState::held && !r->may_begin.load() ? ", begun" : "",
                    r->scattered ? ", room in pieces" : "");
    for (const Use& use : r->uses()) text += (&use == r->uses().data() ? " " : "; ") + describe(use);
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace weir::data
