// What hooks (hooks/) and handlers of faults (faults/) share.
//
// Two locks. The turn is held while a task runs and by hooks: by its holder only are tasks, items and the pool changed.
// The gate is held for moments, by hooks while they change what is watched and by handlers, on any thread; nothing
// under it uses malloc(), whose lock the thread that has faulted may hold.
#pragma once

#include <atomic>
#include <memory_resource>
#include <mutex>
#include <unordered_map>

#include "check/judge/order.hpp"
#include "check/judge/run.hpp"
#include "check/memory/own_memory.hpp"
#include "check/memory/watch.hpp"
#include "check/tell/link.hpp"

namespace weir::check {

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

enum class CallOpening : std::uint8_t { nothing, given, all };

// Of a thread that runs tasks or has met a closed page. In memory of its own, which begins as zero.
struct ThreadState {
  static constexpr std::size_t kSignalStackBytes = std::size_t{512} << 10;
  static constexpr std::size_t kMostOpened = 32;
  static constexpr std::size_t kMostGiven = 64;

  volatile unsigned char held = 0;  // read by the kernel: system calls raise SIGSYS
  bool holds_system_calls = false;
  bool prepared = false;
  bool in_handler = false;
  bool stepping = false;
  bool stepping_call = false;
  CallOpening opened_for_call = CallOpening::nothing;
  bool helps = false;  // a task, or another such thread, has started it, or it has made a block
  bool uses_runtime = false;
  bool has_window = false;  // standstill.hpp; guarded by the gate
  bool call_waits_for_futex = false;
  bool call_has_buffer = false, call_writes = false;
  platform::StoppedThread::Memory call_buffer;  // of read(), write() and their like
  int call = 0;                                 // its number
  std::uint64_t call_epoch = 0;                 // of Watch, when all was opened for it
  std::uint32_t given_count = 0;
  platform::StoppedThread::Memory given[kMostGiven] = {};  // to the call
  platform::StoppedThread::Changed call_changed;
  int pauses = 0;
  int turn = 0;                 // how often this thread has taken it
  int number = 0;               // by which the kernel knows it
  std::atomic<bool> at_large;   // it runs the program's code in a task; written by the thread, read by others
  ThreadState* next = nullptr;  // in the list of all
  Run* run = nullptr;
  Segment* outside = nullptr;           // what it does outside of tasks comes after this
  Segment* cause = nullptr;             // beside its task, why it does what it does
  std::uintptr_t late_instruction = 0;  // of the last fault on a page that was not watched any more
  int late_times = 0;                   // how often in a row
  std::uint32_t opened_count = 0, nested_count = 0;
  std::uintptr_t opened[kMostOpened] = {};
  std::uintptr_t nested[kMostOpened] = {};

  bool restricted() const noexcept { return run != nullptr && pauses == 0; }
  // Outside of handlers.
  void hold_calls() noexcept { held = holds_system_calls && pauses == 0 && (helps || run != nullptr) ? 1 : 0; }
  std::byte* signal_stack() noexcept {
    constexpr std::size_t kWhole = 4096;
    return reinterpret_cast<std::byte*>(this) + (sizeof(ThreadState) + kWhole - 1) / kWhole * kWhole;
  }
};

// What has been told already: by kind, place and the task's site.
struct FindingKey {
  FindingKind kind;
  std::uintptr_t instruction;
  const Site* site;
  const Site* other;
  friend bool operator==(const FindingKey&, const FindingKey&) = default;
};
struct FindingHash {
  std::size_t operator()(const FindingKey& key) const noexcept {
    std::size_t h = static_cast<std::size_t>(key.kind) * 0x9e3779b97f4a7c15u;
    for (const std::size_t x : {static_cast<std::size_t>(key.instruction), reinterpret_cast<std::size_t>(key.site),
                                reinterpret_cast<std::size_t>(key.other)})
      h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 31;
  }
};
// Where code was is looked up once for an instruction and a site.
struct Origin {
  std::uintptr_t instruction;
  const Site* site;
  friend bool operator==(const Origin&, const Origin&) = default;
};
struct OriginHash {
  std::size_t operator()(const Origin& origin) const noexcept {
    const std::size_t h = origin.instruction * 0x9e3779b97f4a7c15u ^ reinterpret_cast<std::size_t>(origin.site);
    return h * 0x9e3779b97f4a7c15u ^ h >> 31;
  }
};
struct Told {
  std::uint64_t number = 0, times = 0;
};

struct KnownInstruction {
  platform::Instruction code;
  bool may_read_more = false;  // than it uses
};

struct State {
  State();

  OwnMemory own;
  std::pmr::unsynchronized_pool_resource pool;
  std::mutex turn;
  Gate gate;
  Link link;
  Watch watch;
  Order order;
  Shadow shadow;
  std::pmr::unordered_map<std::uintptr_t, KnownInstruction> instructions;
  std::pmr::unordered_map<Origin, Frames, OriginHash> origins;
  std::pmr::unordered_map<FindingKey, Told, FindingHash> told;
  Run* running = nullptr;  // of whoever has the turn
  std::uint64_t accesses = 0;
  std::uint64_t tasks = 0;
  int runtimes = 0;        // that live
  bool all_exact = false;  // no page is left to a task for what it has done there
  std::atomic<ThreadState*> threads{nullptr};
  std::atomic<int> windows{0};
  std::atomic<bool> waits_for_windows{false};  // whoever runs a task
  std::uint64_t unseen = 0;                    // windows beside which a task went on; guarded by the gate
  // Of the C library: its string functions read whole vectors, of which they use the part that was meant. Its functions
  // that copy use all that they read; where they begin.
  std::uintptr_t libc_start = 0, libc_end = 0;
  std::uintptr_t copying[4] = {};
};

// On a page of its own: handlers read it whatever is closed. Null before start().
struct alignas(kPageBytes) StatePointer {
  State* pointer = nullptr;
  operator State*() const noexcept { return pointer; }
  State* operator->() const noexcept { return pointer; }
  State& operator*() const noexcept { return *pointer; }
};
extern constinit StatePointer state;

// The calling thread's; made at the first call.
ThreadState& this_thread() noexcept;
// Where the calling thread finds its own.
std::uintptr_t page_of_thread_record() noexcept;

// Handlers of faults, for the process; at the first runtime.
base::Status install_handlers();
bool can_hold_system_calls() noexcept;

// ---- Telling (telling.cpp). Under the gate. ----

// What is known of who did it and of the memory; the rest is the caller's.
Finding make_finding(FindingKind kind, const TaskInfo* task, std::uintptr_t address, std::size_t bytes);
void fill(WireTask& to, const TaskInfo* from) noexcept;
// Frames of the calling thread from `instruction` on, when a handler is among them; else from the caller on. Of the
// run's task only; null: all.
void take_frames(Frames& frames, std::uintptr_t instruction, const Run* run) noexcept;
// Of the function that has the address; 0: it is not known.
std::uintptr_t start_of_function(const void* address) noexcept;
// Tells it unless that was told; ends the process when that is wanted.
void tell(Finding& finding, const FindingKey& key) noexcept;

}  // namespace weir::check
