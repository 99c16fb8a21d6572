// SPDX-License-Identifier: Apache-2.0

// ThreadState: of a thread that runs tasks or has met a closed page, what its handlers and hooks know.
//
// Written by its thread, but for what says otherwise. In memory of its own, which begins as zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "checker/memory/extent.hpp"
#include "platform/stopped_thread.hpp"

namespace weir::checker {

struct Run;
struct Segment;

enum class CallOpening : std::uint8_t { nothing, given, all };

// A system call of a thread, from when it was held up until it is over.
struct HeldCall {
  static constexpr std::size_t kMostGiven = 64;
  using Memory = platform::StoppedThread::Memory;

  int number = 0;
  CallOpening opened = CallOpening::nothing;
  bool waits_for_futex = false;
  bool has_buffer = false, writes = false;  // one of read(), write() and their like; into the buffer
  Memory buffer;
  void* copy = nullptr;     // what is in the buffer goes by this; null: directly
  std::uint64_t epoch = 0;  // of Watch, when all was opened for it
  std::uint32_t given_count = 0;
  Memory given[kMostGiven] = {};
  platform::StoppedThread::Changed changed;
};

// A call of one of the C library's functions on memory and strings (library_functions.hpp), until it returns.
struct LibraryCall {
  int function = 0;  // by its place, from 1; 0: none is under way
  bool judged = false;
  bool has_opened = false;  // pages, until it is over
  std::uint32_t touched_count = 0;
  std::uintptr_t caller = 0;  // what it returns to
  std::uintptr_t frame = 0;   // of what has noted it
  std::uintptr_t arguments[4] = {};
  platform::StoppedThread::Memory touched[3] = {};

  // The page is open until it is over, for what it touches there.
  bool covers(std::uintptr_t page) const noexcept {
    for (std::uint32_t i = 0; has_opened && i < touched_count; ++i)
      if (page + kPageBytes > touched[i].start && page < touched[i].start + touched[i].bytes) return true;
    return false;
  }
};

// A few pages, by their addresses.
struct PageList {
  static constexpr std::size_t kMost = 32;

  bool is_full() const noexcept { return count == kMost; }
  bool has(std::uintptr_t page) const noexcept {
    for (std::uint32_t i = 0; i < count; ++i)
      if (pages[i] == page) return true;
    return false;
  }
  // Not of a full one.
  void add(std::uintptr_t page) noexcept { pages[count++] = page; }
  const std::uintptr_t* begin() const noexcept { return pages; }
  const std::uintptr_t* end() const noexcept { return pages + count; }

  std::uint32_t count = 0;
  std::uintptr_t pages[kMost] = {};
};

// Faults on pages that were not watched any more.
struct LateFaults {
  std::uintptr_t instruction = 0;  // of the last
  int times = 0;                   // how often in a row
};

struct ThreadState {
  static constexpr std::size_t kSignalStackBytes = std::size_t{512} << 10;

  volatile unsigned char held = 0;  // read by the kernel: system calls raise SIGSYS
  bool holds_system_calls = false;
  bool prepared = false;
  bool in_handler = false;
  bool stepping = false;
  bool stepping_call = false;
  bool helps = false;  // a task, or another such thread, has started it, or it has made a block
  bool uses_runtime = false;
  bool has_window = false;  // standstill.hpp; guarded by the gate
  HeldCall call;
  LibraryCall library_call;
  std::uintptr_t judged_place = 0;  // of the access that is being judged, when it is not where the thread was stopped
  int pauses = 0;
  int turn = 0;                 // how often this thread has taken it
  int number = 0;               // by which the kernel knows it
  std::atomic<bool> at_large;   // it runs the program's code for a task; written by the thread, read by others
  ThreadState* next = nullptr;  // in the list of all
  Run* run = nullptr;
  Segment* outside = nullptr;  // what it does outside of tasks comes after this
  Segment* cause = nullptr;    // beside its task, why it does what it does
  bool serves = false;         // another process, and not its task
  LateFaults late;
  PageList opened;                 // for the access or the call that is under way
  PageList nested;                 // met by a handler or a hook of Weir's
  std::uint32_t nested_times = 0;  // how often in a row

  // The task of which what the thread does is a part.
  Run* acting() const noexcept { return serves ? nullptr : run; }
  bool restricted() const noexcept { return run != nullptr && pauses == 0; }
  // Runs a task, or is a thread that a task has started: what it touches has to be seen.
  bool works_for_task() const noexcept {
    const bool beside = run == nullptr && helps && holds_system_calls && !uses_runtime;
    return pauses == 0 && (run != nullptr || beside);
  }
  // Outside of handlers.
  void hold_calls() noexcept { held = holds_system_calls && pauses == 0 && (helps || run != nullptr) ? 1 : 0; }
  std::byte* signal_stack() noexcept {
    constexpr std::size_t kWhole = 4096;
    return reinterpret_cast<std::byte*>(this) + (sizeof(ThreadState) + kWhole - 1) / kWhole * kWhole;
  }
};

// The calling thread's; made at the first call.
ThreadState& this_thread() noexcept;
// Null: none was made.
ThreadState* this_thread_if_known() noexcept;
// Where the calling thread finds its own.
std::uintptr_t page_of_thread_record() noexcept;

}  // namespace weir::checker
