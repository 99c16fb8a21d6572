// SPDX-License-Identifier: Apache-2.0

#include "ocr/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/joined.hpp"
#include "explain/render.hpp"
#include "ocr/blocks/copies.hpp"
#include "ocr/edts/far_edt.hpp"
#include "ocr/edts/run.hpp"
#include "ocr/graph/awaited.hpp"
#include "ocr/graph/channel.hpp"
#include "ocr/graph/collective.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/observe/waits.hpp"
#include "runtime/blocks.hpp"
#include "runtime/task_data.hpp"

namespace weir::ocr {

namespace {

using explain::Cause;
using explain::Index;
using explain::Snapshot;

constexpr std::size_t kMostListed = 100;   // events and blocks that are listed one by one
constexpr std::size_t kMostHolders = 8;    // of one block that are named
constexpr std::size_t kMostEdts = 50'000;  // that are looked at

const char* type_name(EventType type) noexcept {
  constexpr const char* kTypes[] = {"?", "ONCE", "IDEM", "STICKY", "LATCH", "COUNTED", "CHANNEL", "COLLECTIVE"};
  return kTypes[static_cast<std::size_t>(type)];
}

// Under its lock.
std::string details_of(Event& event) {
  std::string text;
  if (event.type == EventType::latch) {
    const bool is_negative = event.count >> 63 != 0;
    text = fmt::format("{} more {}, ", is_negative ? -event.count : event.count,
                       is_negative ? "decrements than increments" : "increments than decrements");
  }
  if (event.type == EventType::collective)
    text =
        fmt::format("{} generations are complete, {}, ", event.collective->completed, missing_text(*event.collective));
  return text + fmt::format("created in {}", lasting_name_of(event.maker));
}

bool is_satisfied(const Event& event) noexcept {
  if (event.type == EventType::channel) return event.channel->waiting == 0 && event.channel->satisfied.empty();
  return event.type == EventType::collective ? is_idle(*event.collective) : event.fired;
}

// "; EDTs or events of rank 1 wait for it", when any of those that wait are not of this rank; else "".
class RanksThatWait {
 public:
  void add(Node node) {
    if (!is_link(node)) return;
    const Link& link = link_of(node);
    if (is_far_slot(link))
      ranks_.insert(static_cast<std::uint32_t>(far_slot_of(link).home));
    else if (is_far(link.target))
      ranks_.insert(static_cast<std::uint32_t>(home_of(link.target)));
  }
  std::string text() const {
    if (ranks_.empty()) return "";
    return fmt::format("; EDTs or events of rank{} {} wait for it", ranks_.size() == 1 ? "" : "s",
                       base::joined(ranks_, ", "));
  }
  bool any() const noexcept { return !ranks_.empty(); }

 private:
  std::set<std::uint32_t> ranks_;
};

// What is read of an EDT under its lock, and does not change while it lives, or is an atomic.
struct SeenEdt {
  explain::Thing thing;
  const sched::Task* task;
  const data::Requester* requester;  // null: it has none
  Guid output;
  Guid finish_output;               // of the finish EDT in whose scope it is
  std::vector<std::uint32_t> open;  // slots that nothing was linked to
  struct Waiting {
    std::uint32_t slot;
    Guid source;
  };
  std::vector<Waiting> waiting;
  std::vector<const Block*> holds;  // in its slots
  Guid borrowed;                    // a block of another rank that it waits for; null: none
  Index index = explain::kNobody;   // in the Snapshot
  bool is_stand_in = false;         // of an EDT elsewhere
  Guid stands_for;                  // that EDT; null: it is not known
};

SeenEdt look_at(Edt& edt) {
  const runtime::TaskData* const data = runtime::TaskData::seen_of(edt.task());
  SeenEdt seen{};
  seen.task = &edt.task();
  seen.requester = data == nullptr ? nullptr : data->requester();
  seen.output = edt.output();
  seen.thing.kind = explain::Kind::edt;
  seen.thing.id = edt.guid().bits;
  seen.thing.name = lasting_name_of(edt.kind());
  seen.thing.site = edt.origin()->site;
  seen.thing.detail = fmt::format("created in {}", lasting_name_of(edt.origin()->creator));
  if (const sched::Scope* const scope = edt.task().scope.seen(); scope != nullptr && scope->parent() != nullptr)
    seen.finish_output = Edt::of(*scope->parent()).output();
  if (edt.is_complete()) {
    seen.thing.state = explain::State::ready;  // unless it runs, or waits for a block: others know
    for (const Slot& slot : edt.slots()) {
      if (slot.state.load(std::memory_order_acquire) == SlotState::held)  // HELD-1
        seen.holds.push_back(&slot.block());
      else if (!edt.has_begun() && is_far(Guid{slot.value}))
        seen.borrowed = Guid{slot.value};
    }
    return seen;
  }
  seen.is_stand_in = is_stand_in(edt);
  if (seen.is_stand_in) seen.stands_for = stands_for(edt);
  for (const Slot& slot : edt.slots()) {
    // Relaxed: nothing else is read of a slot that nothing was linked to.
    if (slot.state.load(std::memory_order_relaxed) == SlotState::open) seen.open.push_back(slot.index);
    if (const Guid source = edt.body().source_of(slot); !source.is_null()) seen.waiting.push_back({slot.index, source});
  }
  return seen;
}

// Calls f(Node) for all that wait for the event; under its lock.
template <class F>
void for_each_dependent(const Event& event, F&& f) {
  const auto of = [&](const NodeList& list) {
    for (Node node = list.first; node != 0; node = next_of(node)) f(node);
  };
  of(event.dependents);
  if (event.type != EventType::collective) return;
  for (const Generation& generation : event.collective->generations)
    for (const NodeList& list : generation.dependents) of(list);
}

std::string label_text(Guid label) {
  const char* const what = label.kind() == Kind::event ? "event" : label.kind() == Kind::edt ? "EDT" : "data block";
  return fmt::format("{} of label {:#x}", what, label.bits);
}

// EDTs, then the events that they wait for, then what would satisfy these.
class Edts {
 public:
  explicit Edts(Snapshot& snapshot) : s_(snapshot) {}

  void add(std::span<const runtime::BegunTask> begun) {
    const std::vector<NotedWait> waits = noted_waits();
    std::vector<SeenEdt> all;
    for_each_edt([&](Edt& edt) {
      if (all.size() < kMostEdts)
        all.push_back(look_at(edt));
      else
        s_.leave_out();
    });
    add_things(all, begun, waits);
    look_at_events();
    for (const SeenEdt& seen : all) add_waits(seen.index, seen);
    look_at_blocks();
    for (std::size_t i = 0; i < waits.size(); ++i) add_noted(waiters_[i], waits[i]);
    add_asked();
    add_sources();
  }

 private:
  // An EDT by which the library acquires a block for a function that waits for that is no thing of its own: it is the
  // EDT, or the thread, of that function.
  void add_things(std::span<SeenEdt> all, std::span<const runtime::BegunTask> begun, std::span<const NotedWait> waits) {
    std::unordered_map<const sched::Task*, const runtime::BegunTask*> workers;
    for (const runtime::BegunTask& b : begun) workers[b.task] = &b;
    std::unordered_map<std::uint64_t, std::size_t> stand_ins;  // EDT, what is noted
    for (std::size_t i = 0; i < waits.size(); ++i)
      if (waits[i].of.what == WaitedFor::What::block) stand_ins[waits[i].of.by] = i;
    for (SeenEdt& seen : all)
      if (!stand_ins.contains(seen.thing.id)) add_thing(seen, workers);
    for (const NotedWait& wait : waits) waiters_.push_back(who_waits(wait));
    for (SeenEdt& seen : all) {
      const auto stands = stand_ins.find(seen.thing.id);
      if (stands == stand_ins.end()) continue;
      seen.index = waiters_[stands->second];
      if (seen.index == explain::kNobody) {
        add_thing(seen, workers);
        continue;
      }
      s_.add_key(seen.task, seen.index);
      add_keys(seen);
    }
  }

  void add_thing(SeenEdt& seen, const std::unordered_map<const sched::Task*, const runtime::BegunTask*>& workers) {
    const bool complete = seen.thing.state == explain::State::ready;
    seen.index = s_.add(seen.task, std::move(seen.thing));
    if (const auto at = workers.find(seen.task); at != workers.end() && complete) {
      const runtime::BegunTask& begun = *at->second;
      s_.run(seen.index, begun.waits ? explain::State::waiting : explain::State::running, begun.worker, begun.seconds,
             begun.asleep);
    }
    add_keys(seen);
  }

  void add_keys(const SeenEdt& seen) {
    if (seen.requester != nullptr) s_.add_key(seen.requester, seen.index);
    for (const Block* const block : seen.holds) {
      std::vector<Index>& holders = holders_[block];
      if (holders.empty() || holders.back() != seen.index) holders.push_back(seen.index);  // in several slots
    }
    if (!seen.output.is_null()) sources_[seen.output.bits].push_back(seen.index);
    if (!seen.finish_output.is_null()) sources_[seen.finish_output.bits].push_back(seen.index);
  }

  // kNobody: its function has returned since, or it was not looked at.
  Index who_waits(const NotedWait& wait) {
    Index who = explain::kNobody;
    if (wait.task != nullptr) {
      who = s_.find(wait.task);
      // EDGE-2: another generation is another EDT, which was looked at where the one that waited had been.
      if (who == explain::kNobody || wait.task->generation.load(std::memory_order_acquire) != wait.generation)
        return explain::kNobody;
      std::string& detail = s_[who].detail;
      detail += fmt::format("{}in its function", detail.empty() ? "" : ", ");
    } else {
      explain::Thing thread;
      thread.kind = explain::Kind::thread;
      thread.name = "the program outside of EDTs";
      who = s_.add(nullptr, std::move(thread));
    }
    s_[who].state = explain::State::waiting;
    s_[who].worker = wait.worker;
    if (wait.of.what == WaitedFor::What::room) s_.add_key(reinterpret_cast<const void*>(wait.of.by), who);
    return who;
  }

  // Of a block, and of room, others say what is waited for.
  void add_noted(Index who, const NotedWait& wait) {
    if (who == explain::kNobody) return;
    if (wait.of.what == WaitedFor::What::event) wait_for_event(who, wait.of.object, wait.is_lost);
    if (wait.of.what == WaitedFor::What::label) wait_for_label(who, wait.of.object);
  }

  void wait_for_event(Index who, Guid event, bool is_lost) {
    if (is_lost)
      return s_.wait(who, Cause::nothing, explain::kNobody,
                     fmt::format("event {:#x}, which was destroyed", event.bits));
    if (const Index on = event_thing(event); on != explain::kNobody) return s_.wait(who, Cause::event, on);
    if (is_far(event)) s_.wait(who, Cause::rank, explain::kNobody, far_source(event));
  }

  // The object under it is to be given up, or there is none.
  void wait_for_label(Index who, Guid label) {
    if (is_far(label))
      return s_.wait(who, Cause::rank, explain::kNobody,
                     fmt::format("the {}{} to be made or given up", label_text(label), of_rank(label)));
    const auto say = [&](const std::string& object) {
      s_.wait(who, Cause::label, explain::kNobody, fmt::format("the {} to be destroyed{}", label_text(label), object));
    };
    if (Event* const event = lock_object(ocr::events(), Kind::event, label)) {
      const std::string details = details_of(*event);
      const EventType type = event->type;
      event->word.unlock();
      return say(fmt::format(": {} event, {}", type_name(type), details));
    }
    if (const Edt* const edt = find_edt(label))
      return s_.wait(who, Cause::label, s_.find(&edt->task()), fmt::format("the {} to end", label_text(label)));
    if (Block* const block = label.kind() == Kind::block ? blocks().find(label.index()) : nullptr; block != nullptr) {
      block->word.lock_held();
      const bool is_used = block->memory != 0, is_alive = block->word.alive();
      const std::string details = is_used ? fmt::format(", created in {}", lasting_name_of(block->maker)) : "";
      if (is_used && !is_alive) wait_for_block(who, *block);
      block->word.unlock();
      if (is_used && is_alive) say(details);
      if (is_used) return;
    }
    s_.wait(who, Cause::nothing, explain::kNobody, fmt::format("the {}, which was never created", label_text(label)));
  }

  // EDTs that wait for the answer of another rank.
  void add_asked() {
    Mail* const mail = Mail::running();
    if (mail == nullptr) return;
    for (const Mail::Asked& asked : mail->asked()) {
      const Index who = s_.find(static_cast<const sched::Task*>(asked.task));
      if (who == explain::kNobody) continue;
      s_.wait(who, Cause::rank, explain::kNobody,
              fmt::format("rank {} to answer: {}", static_cast<std::uint32_t>(asked.to),
                          trace::kRankRequestNames[static_cast<std::size_t>(request_of(asked.what))]));
    }
  }

  // What would satisfy the events so far: EDTs whose output they are, or that are in its scope, and other events.
  void add_sources() {
    for (std::size_t at = 0; at < met_.size(); ++at) {  // grows
      const std::uint64_t event = met_[at];
      const Index who = events_[event];
      if (const auto edts = sources_.find(event); edts != sources_.end())
        for (const Index edt : edts->second) s_.wait(who, Cause::source, edt);
      if (const auto found = links_.find(event); found != links_.end())
        for (const std::uint64_t source : found->second)
          if (const Index on = event_thing({source}); on != explain::kNobody) s_.wait(who, Cause::source, on);
    }
  }

  struct SlotAt {
    const sched::Task* task;
    std::uint32_t slot;
    friend bool operator==(const SlotAt&, const SlotAt&) = default;
    struct Hash {
      std::size_t operator()(const SlotAt& at) const noexcept {
        return std::hash<const void*>{}(at.task) * 31 + at.slot;
      }
    };
  };

  // Who waits for which event is the event's to know: a slot in its list stays there while its lock is held.
  void look_at_events() {
    ocr::events().for_each([&](Event& event) {
      if (!event.word.alive() || !event.word.lock(event.word.generation())) return;
      const std::uint64_t self = event.word.guid(Kind::event).bits;
      for_each_dependent(event, [&](Node node) {
        if (is_link(node)) {
          links_[link_of(node).target.bits].push_back(self);
        } else if (is_slot(node)) {
          Slot& slot = slot_of(node);
          slots_[{&Edt::of(slot).task(), slot.index}] = self;
        }
      });
      event.word.unlock();
    });
    for_each_awaited([&](Guid label, Node node, std::uint32_t) {
      if (!is_slot(node)) return;
      Slot& slot = slot_of(node);
      labels_[{&Edt::of(slot).task(), slot.index}] = label.bits;
    });
  }

  // EDTs that have all but a block that others hold.
  void look_at_blocks() {
    blocks().for_each([&](Block& block) {
      if (!block.word.alive() || !block.word.lock(block.word.generation())) return;
      for (const sched::Task* task = block.first_waiting; task != nullptr; task = task->next) {
        const Index who = s_.find(task);
        if (who == explain::kNobody) continue;
        s_[who].state = explain::State::waiting;
        wait_for_block(who, block);
      }
      block.word.unlock();
    });
  }

  // Locked. The block knows the EDT that made it, and slots know theirs; of the rest there is but a number.
  void wait_for_block(Index who, const Block& block) {
    std::vector<Index> holders;
    if (const auto known = holders_.find(&block); known != holders_.end()) holders = known->second;
    if (block.creator != nullptr)
      if (const Index creator = s_.find(&block.creator->task()); creator != explain::kNobody)
        holders.push_back(creator);
    const std::string what = fmt::format("data block {:#x} of {} bytes", block.guid().bits, block.size);
    const std::size_t named = std::min(holders.size(), kMostHolders);
    for (std::size_t i = 0; i < named; ++i) s_.wait(who, Cause::block, holders[i], what);
    if (block.keeps_contents)
      s_.wait(who, Cause::block, explain::kNobody, fmt::format("{}, which a checkpoint is being made of", what));
    const std::size_t all = std::size_t{block.strong} + block.weak - (block.keeps_contents ? 1 : 0);
    if (all <= named) return;
    const bool is_one = all - named == 1;
    s_.wait(who, Cause::block, explain::kNobody,
            fmt::format("{}, which {}{} EDT{} hold{}{}", what, all - named, named == 0 ? "" : " more",
                        is_one ? "" : "s", is_one ? "s" : "",
                        holders.size() > named ? "" : ", of other ranks or by ocrLegacyBlockProgress()"));
  }

  // kNobody when there is no such event.
  Index event_thing(Guid guid) {
    if (const auto known = events_.find(guid.bits); known != events_.end()) return known->second;
    Event* const event = lock_object(ocr::events(), Kind::event, guid);
    if (event == nullptr) return explain::kNobody;
    explain::Thing thing;
    thing.kind = explain::Kind::event;
    thing.state = explain::State::inactive;
    thing.id = guid.bits;
    thing.name = fmt::format("{} event", type_name(event->type));
    thing.detail = details_of(*event);
    event->word.unlock();
    const Index index = s_.add(nullptr, std::move(thing));
    events_[guid.bits] = index;
    met_.push_back(guid.bits);
    return index;
  }

  static std::string end_of(Guid edt) {
    if (edt.is_null()) return "an EDT on another rank to end";
    return fmt::format("EDT {:#x}{} to end", edt.bits, of_rank(edt));
  }
  // " of rank 1"; after a restart with fewer ranks it may be of this one.
  static std::string of_rank(Guid object) {
    return is_far(object) ? fmt::format(" of rank {}", static_cast<std::uint32_t>(home_of(object))) : std::string();
  }

  void add_waits(Index who, const SeenEdt& seen) {
    if (seen.is_stand_in && !seen.open.empty())
      return s_.wait(who, Cause::rank, explain::kNobody, end_of(seen.stands_for));
    for (const std::uint32_t slot : seen.open) {
      s_.wait(who, Cause::nothing, explain::kNobody,
              fmt::format("slot {}: nothing was ever linked to it: ocrAddDependence() is missing", slot));
    }
    for (const auto& [slot, waited] : seen.waiting) {
      const auto source = slots_.find({seen.task, slot});
      const Index event = source == slots_.end() ? explain::kNobody : event_thing({source->second});
      if (event != explain::kNobody)
        s_.wait(who, Cause::event, event, fmt::format("slot {}", slot));
      else
        s_.wait(who, is_far(waited) ? Cause::rank : Cause::nothing, explain::kNobody,
                fmt::format("slot {}: {}", slot, missing_source({seen.task, slot}, waited)));
    }
    if (seen.borrowed.is_null()) return;
    s_[who].state = explain::State::waiting;
    s_.wait(who, Cause::rank, explain::kNobody,
            fmt::format("data block {:#x}{}", seen.borrowed.bits, of_rank(seen.borrowed)));
  }

  static std::string far_source(Guid source) {
    if (source.is_label())
      return fmt::format("the {}{}, whose report says whether it was never created", label_text(source),
                         of_rank(source));
    return fmt::format("event {:#x}{}", source.bits, of_rank(source));
  }

  std::string missing_source(const SlotAt& at, Guid source) const {
    if (is_far(source)) return far_source(source);
    const auto label = labels_.find(at);
    if (label == labels_.end()) return "an event that is gone";
    return fmt::format("the {}, which was never created", label_text(Guid{label->second}));
  }

  Snapshot& s_;
  std::vector<Index> waiters_;  // who waits within a function, of each wait that is noted
  std::unordered_map<std::uint64_t, std::vector<Index>> sources_;  // EDTs by the event that their end satisfies
  std::unordered_map<std::uint64_t, Index> events_;
  std::unordered_map<const Block*, std::vector<Index>> holders_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> links_;  // event, those that it is linked behind
  std::unordered_map<SlotAt, std::uint64_t, SlotAt::Hash> slots_;        // slot, the event that it waits for
  std::unordered_map<SlotAt, std::uint64_t, SlotAt::Hash> labels_;       // slot, the label that has no object
  std::vector<std::uint64_t> met_;  // those events, in the order in which they were met
};

void finish(std::string& text, const char* what, std::size_t count) {
  if (count > kMostListed) text += fmt::format("  ... and {} more {}\n", count - kMostListed, what);
}

void add_events(std::string& text) {
  std::size_t count = 0;
  events().for_each([&](Event& event) {
    if (!event.word.alive() || !event.word.lock(event.word.generation())) return;
    if (!is_satisfied(event)) {
      const std::uint64_t guid = event.word.guid(Kind::event).bits;
      if (count++ == 0) text += "events that were not satisfied:\n";
      if (count <= kMostListed) {
        RanksThatWait elsewhere;
        for_each_dependent(event, [&](Node node) { elsewhere.add(node); });
        text +=
            fmt::format("  {} event {:#x}, {}{}\n", type_name(event.type), guid, details_of(event), elsewhere.text());
      }
    }
    event.word.unlock();
  });
  finish(text, "events", count);
}

// What waits for them on this rank is among its EDTs.
void add_labels(std::string& text) {
  std::map<std::uint64_t, RanksThatWait> waiting;
  for_each_awaited([&](Guid label, Node node, std::uint32_t) { waiting[label.bits].add(node); });
  std::erase_if(waiting, [](const auto& each) { return !each.second.any(); });
  if (waiting.empty()) return;
  text += "what was never created:\n";
  std::size_t count = 0;
  for (const auto& [label, elsewhere] : waiting)
    if (count++ < kMostListed) text += fmt::format("  the {}{}\n", label_text(Guid{label}), elsewhere.text());
  finish(text, "labels", count);
}

void add_blocks(std::string& text) {
  std::size_t count = 0;
  blocks().for_each([&](Block& block) {
    if (!block.word.alive() || !block.word.lock(block.word.generation())) return;
    const bool is_of_this_rank = !block.is_copy;
    if (is_of_this_rank && count++ == 0) text += "data blocks that were not destroyed:\n";
    if (is_of_this_rank && count <= kMostListed) {
      text += fmt::format("  data block {:#x} of {} bytes, created in {}{}\n", block.guid().bits, block.size,
                          lasting_name_of(block.maker), block.strong + block.weak != 0 ? ", is held" : "");
    }
    block.word.unlock();
  });
  finish(text, "data blocks", count);
}

void add_tiers(std::string& text, Tiers& tiers, Slabs& slabs) {
  using memory::size_text;
  text += "tiers:\n";
  for (const memory::ArenaReport& arena : tiers.store().tier_report()) {
    text += fmt::format("  {}: {} of {} used, at most {}\n", arena.arena, size_text(arena.used),
                        size_text(arena.budget), size_text(arena.peak));
  }
  for (const memory::Tier& tier : tiers.store().tiers().tiers()) {
    if (tier.file == nullptr) continue;
    text += fmt::format("  {}: {} of {} used, at most {}\n", tier.file->name(), size_text(Bytes{tier.file->used()}),
                        size_text(tier.budget), size_text(Bytes{tier.file->peak()}));
  }
  std::uint64_t small = 0, bytes = 0;
  blocks().for_each([&](Block& block) {
    if (!block.word.alive() || !block.word.lock(block.word.generation())) return;
    if (!block.is_tiered() && !block.is_copy) ++small, bytes += block.size;
    block.word.unlock();
  });
  text += fmt::format("  {} small data blocks of {}, in slabs of {}, which are used for good\n", small,
                      size_text(Bytes{bytes}), size_text(Bytes{slabs.bytes()}));
}

void add_copies(std::string& text) {
  if (!is_spread()) return;
  // Relaxed, below: exact when no EDT runs.
  const ContentsCounts& counts = contents_counts();
  text += fmt::format(
      "data blocks of other ranks: EDTs were given {} contents that were read there, of {}, and {} times those that "
      "were "
      "here\n",
      counts.read.load(std::memory_order_relaxed),
      memory::size_text(Bytes{counts.bytes_read.load(std::memory_order_relaxed)}),
      counts.reused.load(std::memory_order_relaxed));
}

// What is left, also of a runtime that was started with the switch not to explain itself.
explain::Situation look_at(const Reported& of) {
  if (of.explaining != nullptr) return of.explaining->look();
  Snapshot snapshot("OCR");
  ExplainedEdts(of.program).add_to(snapshot, {});
  return snapshot.finish();
}

}  // namespace

bool ExplainedEdts::is_mine(sched::InvokeFunction invoke) const noexcept { return invoke == &run_edt; }

bool ExplainedEdts::waits_for_itself() const noexcept { return program_.is_alone(); }

void ExplainedEdts::add_to(Snapshot& snapshot, std::span<const runtime::BegunTask> begun) { Edts(snapshot).add(begun); }

void print_report(const Reported& of, const char* why) noexcept {
  try {
    std::string text = explain::to_text(look_at(of));
    add_events(text);
    add_labels(text);
    add_blocks(text);
    add_tiers(text, of.tiers, of.slabs);
    add_copies(text);
    if (text.find(kUnnamed) != std::string::npos)
      text += "names of EDT functions: compile the program with -DOCR_ENABLE_EDT_NAMING\n";
    const std::string who = is_spread() ? fmt::format("rank {}: ", homes().here) : "";
    std::fputs(fmt::format("weir: ocr: report: {}{}\n{}", who, why, text).c_str(), stderr);
  } catch (...) {
    std::fputs("weir: ocr: no memory for the report\n", stderr);
  }
}

}  // namespace weir::ocr
