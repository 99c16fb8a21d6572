// SPDX-License-Identifier: Apache-2.0

#include "cluster/move_tile.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "cluster/tile_trace.hpp"
#include "runtime/held_task.hpp"
#include "runtime/rank_tracing.hpp"
#include "runtime/watch.hpp"
#include "trace/track.hpp"
#include "weir/block.hpp"
#include "weir/completion.hpp"
#include "weir/error.hpp"

namespace weir::cluster {

using detail::RanksState;

namespace {

TracedTile traced(const Passing& passing, Rank other, const detail::BlockBase& block, std::size_t bytes) noexcept {
  return {passing.kind, passing.what, other, runtime::traced_block(block), bytes};
}

// Made where it stays: std::make_exception_ptr() copies an error, and copies share their text, which this thread would
// give back after another one has read it, by a counter in the C++ library that ThreadSanitizer does not see.
std::exception_ptr exception_with(const std::string& why) noexcept {
  try {
    throw Error(why);
  } catch (...) {
    return std::current_exception();
  }
}

// The end of a task.
class TaskEnding : public Ending {
 public:
  TaskEnding() : completion_(end_later()) {}
  void done() noexcept override { completion_.complete(); }
  void failed(const std::string& why) noexcept override { completion_.fail(exception_with(why)); }
  bool is_of_task() const noexcept override { return true; }

 private:
  Completion completion_;
};

// Of a task that has wanted a tile, in a traced run.
class TracedReceipt final : public TaskEnding {
 public:
  TracedReceipt(TileTrace& log, const TracedTile& tile, std::uint64_t since)
      : log_(log), tile_(tile), since_(since), task_(runtime::traced_task()) {}
  void done() noexcept override {
    log_.received(tile_, task_, since_);
    TaskEnding::done();
  }

 private:
  TileTrace& log_;
  const TracedTile tile_;
  const std::uint64_t since_, task_;
};

// A block stays where it is until it was taken, unless tasks may be waiting for its room.
void send(RanksState& state, const Passing& passing, std::span<const std::byte> bytes) {
  Exchange& exchange = *state.exchange;
  const auto& [what, from, to, kind, tile] = passing;
  if (Exchange::is_small(bytes.size())) return exchange.send_small(what, to, bytes);
  const auto offset = state.memory->offset_of(bytes.data());
  if (offset && !runtime::blocks_wait_for_room(*state.runtime))
    return exchange.offer(what, to, state.memory->id(), *offset, bytes.size(), std::make_unique<TaskEnding>());
  auto copy = state.staging->copy(bytes);
  if (!copy) throw Error(copy.status().message);
  exchange.offer(what, to, state.memory->id(), copy->offset, bytes.size(), std::move(copy->ending));
}

void receive(RanksState& state, const Passing& passing, const detail::BlockBase& block, std::span<std::byte> to) {
  if (!state.tile_trace->is_on()) {
    state.exchange->receive(passing.what, to, passing.name, [] { return std::make_unique<TaskEnding>(); });
    return;
  }
  const TracedTile tile = traced(passing, passing.from, block, to.size());
  const std::uint64_t since = runtime::traced_task_held_since();
  TileTrace& log = *state.tile_trace;
  const bool is_here = state.exchange->receive(passing.what, to, passing.name,
                                               [&] { return std::make_unique<TracedReceipt>(log, tile, since); });
  if (is_here) log.received(tile, runtime::traced_task(), since);
}

Receiver receiver_of(const Handle<>& task, const Passing& passing) noexcept {
  return {runtime::HeldTask(task).address(),
          [](void* who) noexcept { return runtime::HeldTask(who).try_release_here(); },
          [](void* who) noexcept { runtime::HeldTask(who).release(); }, passing.from, passing.name};
}

}  // namespace

void begin_send(RanksState& state, detail::BlockBase* block, const Passing& passing) {
  state.traffic.note_sent(block->bytes);
  state.runtime->spawn(name("send"), runtime::kPrompt, detail::block_item<Mode::in, const std::byte>(block),
                       [&state, block, passing](std::span<const std::byte> bytes) {
                         if (state.tile_trace->is_on())
                           state.tile_trace->sent(traced(passing, passing.to, *block, bytes.size()),
                                                  runtime::traced_task());
                         send(state, passing, bytes);
                       });
}

// Announced before it is given room: what a task waits for is another rank or room, never both.
void begin_receive(RanksState& state, detail::BlockBase* block, const Passing& passing) {
  state.traffic.note_received(block->bytes);
  const Handle<> task =
      state.runtime->spawn(name(state.receive_names[static_cast<std::uint32_t>(passing.from)].c_str()), runtime::kHeld,
                           detail::block_item<Mode::out, std::byte>(block),
                           [&state, block, passing](std::span<std::byte> to) { receive(state, passing, *block, to); });
  state.exchange->await(passing.what, receiver_of(task, passing));
}

}  // namespace weir::cluster
