// SPDX-License-Identifier: Apache-2.0

#include "ocr/observe/tracing.hpp"

#include <optional>
#include <unordered_map>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/objects/tables.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/observe/observe_local.hpp"
#include "runtime/workers.hpp"
#include "trace/details.hpp"

namespace weir::ocr {

namespace {

// Since when an EDT has been waiting for a block: there is no room for it in the EDT, and only traced ones need it.
struct Waits {
  base::Mutex mutex;
  std::unordered_map<const Edt*, std::uint64_t> since WEIR_GUARDED_BY(mutex);  // ticks
};
Waits& waits() {
  static base::Forever<Waits> the_waits;
  return the_waits.value;
}

}  // namespace

void trace_made(ObserveLocal& local, Edt& edt, std::uint64_t start) noexcept {
  trace::Track& track = *local.worker->track();
  const trace::Details details(track, trace::Track::spawned(start, sched::trace_id(edt.task().ref()), 0, 0),
                               local.traced);
}

// As a footprint means it.
static trace::EdgeBlock edge_block(Guid guid) noexcept {
  if (guid.is_null()) return {};
  Block* const block = lock_object(blocks(), Kind::block, guid);
  if (block == nullptr) return {};
  const trace::EdgeBlock result = block->is_tiered()
                                      ? trace::EdgeBlock::of(trace::BlockKind::numbered, block->tier().trace_id)
                                      : trace::EdgeBlock::of(trace::BlockKind::guid, guid.bits);
  block->word.unlock();
  return result;
}

void trace_satisfied(ObserveLocal& local, Edt& edt, Guid block) noexcept {
  const std::uint64_t self = sched::trace_id(edt.task().ref());
  if (local.traced == 0 || local.traced == self) return;
  local.worker->track()->edge(local.traced, self, edge_block(block),
                              local.forwards_output ? trace::EdgeBy::end : trace::EdgeBy::code);
}

// Also without blocks: it says when the EDT became ready. A bare one did when it was made.
static void trace_footprint(ObserveLocal& local, Edt& edt) noexcept {
  std::uint64_t bytes = 0;
  std::size_t items = 0;
  for (const Slot& slot : edt.slots()) {
    if (!holds_first(slot)) continue;
    bytes += slot.block().size;
    ++items;
  }
  trace::Details details(*local.worker->track(),
                         trace::Track::footprint(sched::trace_id(edt.task().ref()), bytes, items));
  for (const Slot& slot : edt.slots()) {
    if (!holds_first(slot)) continue;
    const Block& block = slot.block();
    const trace::AccessMode mode{static_cast<std::uint8_t>(mode_for(slot.mode)), false};
    block.is_tiered() ? details.block(mode, block.tier().trace_id) : details.guid(mode, block.guid().bits);
  }
}

void trace_ready(ObserveLocal& local, Edt& edt) {
  if (!edt.is_bare()) trace_footprint(local, edt);
  const char* const name = lasting_name_of(edt.kind());
  sched::Task& task = edt.task();
  if (sched::TaskExtra* const extra = task.note.extra())
    extra->name = name;
  else
    task.note = sched::TaskNote(name);
}

std::uint64_t trace_begin(ObserveLocal& local, Edt& edt) noexcept {
  return std::exchange(local.traced, sched::trace_id(edt.task().ref()));
}

void trace_block_wait(const Edt& edt) noexcept {
  const std::uint64_t now = trace::Track::now();
  const base::Lock lock(waits().mutex);
  waits().since[&edt] = now;
}

// None: it has not waited.
static std::optional<std::uint64_t> end_wait(const Edt& edt) noexcept {
  const base::Lock lock(waits().mutex);
  const auto found = waits().since.find(&edt);
  if (found == waits().since.end()) return std::nullopt;
  const std::uint64_t since = found->second;
  waits().since.erase(found);
  return since;
}

void trace_block_granted(ObserveLocal& local, Edt& edt) noexcept {
  const auto since = end_wait(edt);
  if (!since) return;
  const std::uint64_t self = sched::trace_id(edt.task().ref());
  local.worker->track()->data_wait(*since, trace::Track::now(), self, trace::DataWait::block);
  // The task that has released it: over ranks that is what the path through a lent block goes by.
  if (MessageLog::running() != nullptr && local.traced != 0 && local.traced != self)
    local.worker->track()->edge(local.traced, self, {});
}

void trace_block_came(Edt& edt, Rank from, const TracedContents& contents) noexcept {
  const std::uint64_t since = end_wait(edt).value_or(trace::Track::now());
  if (MessageLog* const log = MessageLog::running())
    log->received(contents.between(from), sched::trace_id(edt.task().ref()), since);
}

void trace_block_made(ObserveLocal& local, const Block& block) noexcept {
  if (block.is_tiered()) return;  // the data layer has recorded it
  local.worker->track()->made(trace::BlockKind::guid, trace::number_of(block.guid().bits), block.size, trace::kNoTier);
}

void trace_block_gone(ObserveLocal& local, const Block& block) noexcept {
  if (block.is_tiered()) return;
  local.worker->track()->gone(trace::BlockKind::guid, trace::number_of(block.guid().bits));
}

}  // namespace weir::ocr
