// SPDX-License-Identifier: Apache-2.0

// What hooks (hooks/) and handlers of faults (faults/) share.
//
// Two locks. The turn is held while a task runs and by hooks: by its holder only are tasks and their order changed.
// The gate is held for moments, by hooks while they change what handlers of other threads read and by handlers, on any
// thread; nothing under it uses malloc(), whose lock the thread that has faulted may hold.
#pragma once

#include <atomic>
#include <memory_resource>
#include <unordered_map>

#include "base/mutex.hpp"
#include "check/hash.hpp"
#include "checker/faults/thread_state.hpp"
#include "checker/judge/order.hpp"
#include "checker/judge/run.hpp"
#include "checker/memory/own_memory.hpp"
#include "checker/memory/watch.hpp"
#include "checker/tell/finding_key.hpp"
#include "checker/tell/link.hpp"

namespace weir::checker {

class WEIR_ANNOTATION(capability("mutex")) Gate {
 public:
  void lock() noexcept WEIR_ACQUIRE() {
    for (int spins = 0; taken_.exchange(true); ++spins)
      if (spins >= kSpins) platform::yield();  // whoever has it waits for a thread, or for a processor
  }
  void unlock() noexcept WEIR_RELEASE() { taken_.store(false); }

 private:
  static constexpr int kSpins = 100;
  std::atomic<bool> taken_{false};
};

// Holds the gate until its end.
class WEIR_ANNOTATION(scoped_lockable) GateLock {
 public:
  explicit GateLock(Gate& gate) noexcept WEIR_ACQUIRE(gate) : gate_(gate) { gate_.lock(); }
  ~GateLock() WEIR_RELEASE() { gate_.unlock(); }
  GateLock(const GateLock&) = delete;
  GateLock& operator=(const GateLock&) = delete;

 private:
  Gate& gate_;
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
  base::Mutex turn;
  // Guarded by the turn.
  std::pmr::unsynchronized_pool_resource pool;
  Order order;
  Shadow shadow;
  std::uint64_t tasks = 0;
  std::uint64_t tasks_in_part = 0;          // of these, those that were not judged as a whole
  std::uint64_t parts = 0, parts_free = 0;  // of fork_join(); that touched nothing that is watched
  int runtimes = 0;                         // that live
  bool all_exact = false;                   // no page is left to a task for what it has done there
  // For handlers, too.
  Gate gate;
  std::pmr::unsynchronized_pool_resource gate_pool WEIR_GUARDED_BY(gate);
  Link link WEIR_GUARDED_BY(gate);
  Watch watch WEIR_GUARDED_BY(gate);
  std::pmr::unordered_map<std::uintptr_t, KnownInstruction> instructions WEIR_GUARDED_BY(gate);
  std::pmr::unordered_map<Origin, Frames, Hash> origins WEIR_GUARDED_BY(gate);
  std::pmr::unordered_map<FindingKey, Told, Hash> told WEIR_GUARDED_BY(gate);
  Run* running = nullptr;  // of whoever has the turn; what others read of it may be late
  std::uint64_t accesses WEIR_GUARDED_BY(gate) = 0;
  std::atomic<ThreadState*> threads{nullptr};
  std::atomic<int> windows{0};
  std::atomic<bool> waits_for_windows{false};      // whoever works for a task
  std::uint64_t unseen WEIR_GUARDED_BY(gate) = 0;  // windows beside which a task went on
  bool library_called_otherwise = false;           // than through what was redirected
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
