// SPDX-License-Identifier: Apache-2.0

// World: what a PE knows of itself and of the others: numbers, the transport, and where symmetric memory lies.
//
// One for a process, made by start() (start/start.hpp) and not changed until the last finish() but for what says so.
// Any thread reads it without a lock. PE numbers are ranks of the transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shmem/world/awaited.hpp"
#include "transport/transport.hpp"

namespace weir::shmem {

// Values as in shmem.h: SHMEM_THREAD_SINGLE ...
enum class ThreadLevel : int { single, funneled, serialized, multiple };

// A range of symmetric memory: a heap, or the static data of a program or of a shared library. Its bytes are at the
// same offset from its start on every PE.
struct Segment {
  static constexpr std::ptrdiff_t kNotMapped = PTRDIFF_MIN;

  std::uintptr_t start = 1;  // of this PE's own, as the program addresses it
  std::size_t size = 0;
  // For each PE, what is added to an address in this PE's own to get the address here of the same byte of that PE's;
  // kNotMapped where memory is not shared with it, 0 for itself.
  const std::ptrdiff_t* to_pe = nullptr;
  // The same for the short way of puts, gets and atomics. In a traced or checked run kNotMapped everywhere: then each
  // of them goes the long way, which records and checks it.
  const std::ptrdiff_t* direct_to_pe = nullptr;
  // As direct_to_pe, for what programs poll others' words with (gets; atomics that return what there was): kNotMapped
  // everywhere also where PEs share processors, so that each goes the long way, which sees that it is a poll.
  const std::ptrdiff_t* polled_to_pe = nullptr;
  transport::RegionId region{};
  std::uint64_t region_offset = 0;  // of `start` in the region
  const char* name = "";            // for people: "heap", "static data of ./a.out"

  bool contains(std::uintptr_t address) const noexcept { return address - start < size; }
  bool contains(std::uintptr_t address, std::size_t bytes) const noexcept {
    return contains(address) && bytes <= size - (address - start);
  }
};

// Memory that is constant, and the same on every PE: of the program and of its libraries.
struct Constants {
  std::uintptr_t start = 0;
  std::size_t size = 0;

  bool contains(std::uintptr_t address, std::size_t bytes) const noexcept {
    return address - start < size && bytes <= size - (address - start);
  }
};

struct World {
  // Read by every operation: the heap, and what comes after it, mostly the static data of the program.
  Segment segments[2];
  int n_pes = 0;  // 0: not started
  int my_pe = 0;
  int n_segments = 0;
  const Segment* all_segments = nullptr;  // n_segments; those of `segments` first
  int n_constants = 0;
  const Constants* constants = nullptr;
  bool is_open = false;            // the start has come to its end
  bool is_threaded = false;        // ThreadLevel::multiple: contexts that are not private are locked
  bool is_checked = false;         // calls are checked: WEIR_CHECK=1
  bool has_remote = false;         // some PE's memory is not mapped here
  bool is_traced = false;          // calls are recorded: observe/call.hpp
  bool needs_progress = false;     // of the transport: who waits makes it
  bool is_oversubscribed = false;  // more PEs on this host than processors that they may use
  ThreadLevel thread_level = ThreadLevel::single;
  transport::Transport* transport = nullptr;  // never null while started

  // The PEs whose memory is mapped here, this one too, in rising order: those of its node.
  const int* neighbours = nullptr;
  int n_neighbours = 0;

  // The library's own symmetric memory, zero at start, at the head of the heap's segment.
  std::byte* internal = nullptr;
  std::size_t internal_bytes = 0;

  // Called before this process is ended by fail() or global_exit(); null: nothing.
  void (*before_end)() noexcept = nullptr;

  Watcher* watcher = nullptr;  // of waits that get long; null: nobody is
};

inline constinit World world_state;
inline World& world() noexcept { return world_state; }

// Ends all PEs with status 1, after a line that names this PE, the routine of the program's call and `what`: what was
// asked, what there is, what to do. Any thread, at any time, also before start().
[[noreturn]] void fail(std::string_view what) noexcept;
// The end for a call before start() or after finish().
[[noreturn]] void fail_not_started() noexcept;
// The end for a failure of the transport: names the PE that was lost, if that is the cause.
[[noreturn]] void fail(const base::Status& status) noexcept;
inline void check(const base::Status& status) noexcept {
  if (!status) [[unlikely]]
    fail(status);
}
// Ends all PEs of the job with this status: any PE, any thread, at any time, whatever others wait for.
[[noreturn]] void global_exit(int status) noexcept;

// Whether one of these is on its way: what ends this process is not the program's.
bool is_ending() noexcept;
// Whether this thread is in one of these: what it calls may call exit().
bool is_ending_here() noexcept;

// The end of this process alone, of a job that is ending.
[[noreturn]] void end_quietly(int status) noexcept;

// `bytes` of World::internal for one user, the same on every PE as long as PEs reserve in the same order; a multiple of
// 64, zero. Ends the program when there is no more. Not for many threads.
std::byte* reserve_internal(std::size_t bytes);
// For start(): nothing is reserved any more.
void reset_internal() noexcept;

}  // namespace weir::shmem
