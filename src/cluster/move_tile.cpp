// SPDX-License-Identifier: Apache-2.0

#include "cluster/move_tile.hpp"

#include <memory>
#include <span>
#include <utility>

#include "runtime/watch.hpp"
#include "weir/block.hpp"
#include "weir/completion.hpp"
#include "weir/error.hpp"

namespace weir::cluster {

using detail::RankedTile;
using detail::RanksState;

namespace {

// The end of a task.
class TaskEnding final : public Ending {
 public:
  TaskEnding() : completion_(end_later()) {}
  void done() noexcept override { completion_.complete(); }
  void failed(const std::string& why) noexcept override { completion_.fail(std::make_exception_ptr(Error(why))); }

 private:
  Completion completion_;
};

// A block stays where it is until it was taken, unless tasks may be waiting for its room.
void send(RanksState& state, const TileVersion& what, Rank to, std::span<const std::byte> bytes) {
  Exchange& exchange = *state.exchange;
  if (Exchange::is_small(bytes.size())) return exchange.send_small(what, to, bytes);
  const auto offset = state.memory->offset_of(bytes.data());
  if (offset && !runtime::blocks_wait_for_room(*state.runtime))
    return exchange.offer(what, to, state.memory->id(), *offset, bytes.size(), std::make_unique<TaskEnding>());
  auto copy = state.staging->copy(bytes);
  if (!copy) throw Error(copy.status().message);
  exchange.offer(what, to, state.memory->id(), copy->offset, bytes.size(), std::move(copy->ending));
}

void receive(RanksState& state, const TileVersion& what, std::span<std::byte> to) {
  state.exchange->receive(what, to, [] { return std::make_unique<TaskEnding>(); });
}

// A task that ends when the tile was announced, and keeps no room until then.
Handle<> begin_to_await(RanksState& state, const TileVersion& what) {
  return state.runtime->spawn(name("await"), Priority::urgent, [&state, what] {
    state.exchange->await_announcement(what, std::make_unique<TaskEnding>());
  });
}

}  // namespace

void need_block(RanksState& state, RankedTile& tile) {
  if (*tile.block != nullptr) return;
  *tile.block = detail::make_block(*state.runtime, detail::contiguous(tile.bytes), nullptr, tile.name.c_str());
}

void begin_send(RanksState& state, detail::BlockBase* block, const TileVersion& what, Rank to) {
  state.runtime->spawn(name("send"), Priority::urgent, detail::block_item<Mode::in, const std::byte>(block),
                       [&state, what, to](std::span<const std::byte> bytes) { send(state, what, to, bytes); });
}

void begin_receive(RanksState& state, detail::BlockBase* block, const TileVersion& what) {
  const Handle<> announced = runtime::blocks_wait_for_room(*state.runtime) ? begin_to_await(state, what) : Handle<>();
  state.runtime->spawn(name("receive"), Priority::urgent, after(announced),
                       detail::block_item<Mode::out, std::byte>(block),
                       [&state, what](std::span<std::byte> to) { receive(state, what, to); });
}

}  // namespace weir::cluster
