// SPDX-License-Identifier: Apache-2.0

// What hooks (hooks/) and handlers of faults (faults/) share.
//
// Two locks. The turn is held while a task runs and by hooks: by its holder only are tasks and their order changed.
// The gate is held for moments, by hooks while they change what handlers of other threads read and by handlers, on any
// thread; nothing under it uses malloc(), whose lock the thread that has faulted may hold.
#pragma once

#include <atomic>
#include <memory_resource>
#include <mutex>
#include <unordered_map>

#include "check/hash.hpp"
#include "checker/faults/thread_state.hpp"
#include "checker/judge/order.hpp"
#include "checker/judge/run.hpp"
#include "checker/memory/own_memory.hpp"
#include "checker/memory/watch.hpp"
#include "checker/tell/finding_key.hpp"
#include "checker/tell/link.hpp"

namespace weir::checker {

class Gate {
 public:
  void lock() noexcept {
    for (int spins = 0; taken_.exchange(true, std::memory_order_acquire); ++spins)
      if (spins >= kSpins) platform::yield();  // whoever has it waits for a thread, or for a processor
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  static constexpr int kSpins = 100;
  std::atomic<bool> taken_{false};
};

// Where code was is looked up once for an instruction and a site.
struct Origin {
  std::uintptr_t instruction;
  const Site* site;
  friend bool operator==(const Origin&, const Origin&) = default;
  std::size_t hash() const noexcept { return hash_of(instruction, site); }
};

struct KnownInstruction {
  platform::Instruction code;
  bool may_read_more = false;  // than it uses
};

struct State {
  State();

  OwnMemory own;
  std::mutex turn;
  // Guarded by the turn.
  std::pmr::unsynchronized_pool_resource pool;
  Order order;
  Shadow shadow;
  std::uint64_t tasks = 0;
  std::uint64_t tasks_in_part = 0;          // of these, those that were not judged as a whole
  std::uint64_t parts = 0, parts_free = 0;  // of fork_join(); that touched nothing that is watched
  int runtimes = 0;                         // that live
  bool all_exact = false;                   // no page is left to a task for what it has done there
  // Guarded by the gate.
  Gate gate;
  std::pmr::unsynchronized_pool_resource gate_pool;
  Link link;
  Watch watch;
  std::pmr::unordered_map<std::uintptr_t, KnownInstruction> instructions;
  std::pmr::unordered_map<Origin, Frames, Hash> origins;
  std::pmr::unordered_map<FindingKey, Told, Hash> told;
  Run* running = nullptr;  // of whoever has the turn; what others read of it may be late
  std::uint64_t accesses = 0;
  std::atomic<ThreadState*> threads{nullptr};
  std::atomic<int> windows{0};
  std::atomic<bool> waits_for_windows{false};  // whoever works for a task
  std::uint64_t unseen = 0;                    // windows beside which a task went on; guarded by the gate
  bool library_called_otherwise = false;       // than through what was redirected
};

// On a page of its own: handlers read it whatever is closed. Null before start().
struct alignas(kPageBytes) StatePointer {
  State* pointer = nullptr;
  operator State*() const noexcept { return pointer; }
  State* operator->() const noexcept { return pointer; }
  State& operator*() const noexcept { return *pointer; }
};
extern constinit StatePointer state;

// Handlers of faults, for the process; at the first runtime.
base::Status install_handlers();
bool can_hold_system_calls() noexcept;

}  // namespace weir::checker
