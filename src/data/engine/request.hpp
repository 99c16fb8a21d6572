// SPDX-License-Identifier: Apache-2.0

// Request: the blocks that one task names, from spawning to its end.
//
// Owned by the task; the engine links it into its queues. All fields belong to the lock of whoever drives the engine,
// but for the places of the blocks, which the running task reads, and the step from held to begun.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "data/engine/place.hpp"
#include "data/snapshot.hpp"
#include "weir/footprint.hpp"

namespace weir::data::engine {

struct Block;
struct Replica;
struct Request;

// A task's use of one block. Linked in the block's queue, in the order of spawning.
struct Use {
  Block* block = nullptr;
  Request* request = nullptr;
  Mode mode = Mode::in;
  bool fresh = false;             // its contents need not be fetched: out
  bool at_home = false;           // used where its home is
  bool early = false;             // to be brought in before the task is ready
  NodeId planned = NodeId::none;  // where its replica is to be made; none: where those of the whole task are
  Replica* replica = nullptr;     // pinned for it
  Use* before = nullptr;          // in the block's queue
  Use* after = nullptr;
  Use* next_landing = nullptr;  // waits for the same transfer
};

enum class RequestState : std::uint8_t {
  pending,     // some task it depends on has not ended
  waiting,     // ready; its blocks are not in place
  fragmented,  // as waiting; there is room for them, but in pieces
  staging,     // all room is reserved; transfers are under way
  held,        // all blocks in place and pinned: the task may begin; until it has, its room may be taken back
  begun,       // the task runs, or its children do
  failed,      // its blocks cannot be had: `failure` says why
  ended,       // its task has ended, or will not run
};

constexpr bool may_follow(RequestState from, RequestState to) noexcept {
  using enum RequestState;
  switch (from) {
    case pending:
    case waiting:
    case fragmented: return to != pending && to != begun;
    case staging: return to == held || to == failed;
    case held: return to == begun || to == waiting;  // waiting: its room was taken back
    case begun:
    case failed: return to == ended;
    case ended: return false;
  }
  return false;
}

// How its task came to ask.
enum class RequestKind : std::uint8_t {
  task,      // of a task that begins when it has its blocks
  addition,  // of a task that runs and wants one block more: before all that have yet to begin
};

// Whose a request is, in the layer above: one object for each, which lives as long as its request is registered.
class Requester {
 public:
  // The request was not ready at once, and can run now, or has failed. Called without the engine's lock, by any thread;
  // the request may be gone when this returns.
  virtual void staged(Request& request) noexcept = 0;

 protected:
  ~Requester() = default;
};

// What the engine writes in a request.
struct RequestBooks {
  policy::Sequence sequence = 0;
  bool in_queue = false;           // revocable: its task is on its way to a worker, and will call try_begin()
  bool last_resort = false;        // admitted to end a stall: that is not taken back
  bool in_place = false;           // held, and some block is used where an emulated tier or a file has it
  TierNumber target{};             // with chains of tiers: where its blocks are brought to, once that is decided
  std::uint32_t landing = 0;       // transfers it waits for
  std::uint32_t passed = 0;        // tasks that were admitted while it was the first that waited
  std::uint32_t target_asked = 0;  // Ledger::shrinkings() when its target was found to hold it
  std::size_t in_place_bytes = 0;  // used in slow memory: what an emulated tier charges
  base::Status failure;
  Request* before = nullptr;  // all unfinished requests, in the order of spawning
  Request* after = nullptr;
  Request* next_staged = nullptr;
};

struct Request : RequestBooks {
  static constexpr std::size_t kFew = 4;

  Requester* requester = nullptr;
  const char* name = "";       // of the task, for messages
  const void* site = nullptr;  // likewise: where the program spawned it, an address of its code
  RequestKind kind = RequestKind::task;
  bool revocable = false;  // begins by try_begin(); until then, tasks that run may take its room
  bool cancelled = false;  // its function did not run
  DomainId domain{};       // where the task will run
  int lane = 0;            // the worker at which it became ready
  // Of the nearest task around this one that has a request: held for as long as this one is unfinished.
  Request* parent = nullptr;
  std::uint32_t depth = 0;  // of such tasks around it
  // An addition: what its task holds in addition, each block once; the caller's until the request is held or has
  // failed.
  std::span<Block* const> also_held;

  // For a trace, written by the observer.
  std::uint64_t trace_id = 0;  // of its task
  std::uint64_t since = 0;     // ticks at which it began to wait for what it waits for; 0: it does not wait

  // Exact under the lock, but that a held one may begin at any moment. Relaxed: whoever goes on by it from held
  // exchanges the state (ADMIT-1).
  RequestState state() const noexcept { return state_.load(std::memory_order_relaxed); }
  bool waits() const noexcept {
    const RequestState now = state();
    return now == RequestState::waiting || now == RequestState::fragmented;
  }
  bool has_room() const noexcept {
    const RequestState now = state();
    return now == RequestState::held || now == RequestState::begun;
  }
  // Ends the process on a step that the state machine does not have.
  void change_state(RequestState to) noexcept;
  // Any thread. ADMIT-1: whoever exchanges held has it, the worker that begins the task or the engine that takes its
  // room back. Sequentially consistent: the worker reads the places as they were when it was held last.
  bool begin() noexcept { return exchange_held(RequestState::begun); }
  bool revoke() noexcept { return exchange_held(RequestState::waiting); }

  std::span<Use> uses() noexcept { return {many_ != nullptr ? many_.get() : few_, count_}; }
  std::span<const Use> uses() const noexcept { return {many_ != nullptr ? many_.get() : few_, count_}; }
  // Before it is registered; `count` is what the footprint has at most.
  void make_room(std::size_t count) {
    if (count > kFew) many_ = std::make_unique<Use[]>(count);
  }
  // A block named twice is one use of the stronger mode. The use, when it is a new one.
  Use* add(Block& block, Mode mode) noexcept;
  // The task is made inside of that one, which may be null. Before it is registered.
  void set_parent(Request* around) noexcept {
    parent = around;
    depth = around != nullptr ? around->depth + 1 : 0;
  }
  // Null when it does not name the block.
  Use* find(const Block& block) noexcept;
  const Use* find(const Block& block) const noexcept { return const_cast<Request*>(this)->find(block); }
  // Its last use, which is in no queue.
  void drop_last() noexcept {
    uses().back() = {};
    --count_;
  }

 private:
  bool exchange_held(RequestState to) noexcept {
    RequestState expected = RequestState::held;
    return state_.compare_exchange_strong(expected, to);  // ADMIT-1
  }

  std::atomic<RequestState> state_{RequestState::pending};
  Use few_[kFew];
  std::unique_ptr<Use[]> many_;
  std::size_t count_ = 0;
};

}  // namespace weir::data::engine
