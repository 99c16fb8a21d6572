// SPDX-License-Identifier: Apache-2.0

// Request: the blocks that one task names, from spawning to its end.
//
// Owned by the task; the Residency links it into its queues. All fields belong to the store's lock, but for the places
// of the blocks, which the running task reads, and `may_begin`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"
#include "data/snapshot.hpp"
#include "weir/footprint.hpp"

namespace weir::data {

class Arena;
struct Block;
struct Replica;
struct Request;

// A task's use of one block. Linked in the block's queue, in the order of spawning.
struct Use {
  Block* block = nullptr;
  Request* request = nullptr;
  Mode mode = Mode::in;
  bool fresh = false;          // its contents need not be fetched: out
  bool at_home = false;        // used where its home is
  bool early = false;          // to be brought in before the task is ready
  void* address = nullptr;     // where the task finds it
  Replica* replica = nullptr;  // pinned for it
  Arena* planned = nullptr;    // where its replica is to be made; null: where those of the whole task are
  Use* before = nullptr;       // in the block's queue
  Use* after = nullptr;
  Use* next_landing = nullptr;  // waits for the same transfer
};

enum class RequestState : std::uint8_t {
  pending,  // some task it depends on has not ended
  waiting,  // ready; its blocks are not in place
  staging,  // all room is reserved; transfers are under way
  held,     // all blocks in place and pinned: the task may run, runs, or its children do
  failed,   // its blocks cannot be had: `failure` says why
};

struct Request {
  static constexpr std::size_t kFew = 4;

  void* task = nullptr;        // whose it is, for whoever is told that it is staged
  const char* name = "";       // of the task, for messages
  const void* site = nullptr;  // likewise: where the program spawned it, an address of its code
  policy::Sequence sequence = 0;
  int domain = 0;  // of the machine; where the task will run
  int lane = 0;    // the worker at which it became ready
  RequestState state = RequestState::pending;
  bool cancelled = false;            // its function did not run
  bool scattered = false;            // waits, and there is room for it, but in pieces
  bool running = false;              // of a task that runs and wants one block more: before all that do not
  bool revocable = false;            // begins by try_begin(); until then, tasks that run may take its room
  bool in_queue = false;             // revocable: its task is on its way to a worker, and will call try_begin()
  void (*told)(Request&) = nullptr;  // instead of the sink, when it is staged
  std::uint32_t landing = 0;         // transfers it waits for
  std::uint32_t passed = 0;          // tasks that were admitted while it was the first that waited
  bool last_resort = false;          // admitted to end a standstill: that is not taken back
  bool in_place = false;             // held, and some block is used where an emulated tier or a file has it
  std::size_t in_place_bytes = 0;    // used in slow memory: what an emulated tier charges
  base::Status failure;
  // Held, and neither begun nor revoked: who takes it, the worker or the store, decides which.
  std::atomic<bool> may_begin{false};
  // Of the nearest task around this one that has a request: held for as long as this one is unfinished.
  Request* parent = nullptr;
  std::uint32_t depth = 0;  // of such tasks around it
  // Running: what its task holds besides, each block once; the caller's until the request is held or has failed.
  std::span<Block* const> beside;
  // For a trace.
  std::uint64_t trace_id = 0;       // of its task
  std::uint64_t waiting_since = 0;  // ticks; 0: it has not waited for room
  std::uint64_t staging_since = 0;
  Request* before = nullptr;  // all unfinished requests, in the order of spawning
  Request* after = nullptr;
  Request* next_staged = nullptr;

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
  // Of a use that is in no queue. The last one takes its place, and its links with it; no transfer is waited for.
  void remove(Use& use) noexcept;

 private:
  Use few_[kFew];
  std::unique_ptr<Use[]> many_;
  std::size_t count_ = 0;
};

// For people: task "a", or which one it is of those without a name.
std::string task_text(const Request& request);

}  // namespace weir::data
