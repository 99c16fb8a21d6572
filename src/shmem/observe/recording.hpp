// SPDX-License-Identifier: Apache-2.0

// The trace of this PE: a file of its own, opened at the start when WEIR_TRACE says so, whole at the end.
//
// A runtime of the scheduler in the same process writes to the same file. One thread opens and closes; any thread
// records (call.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "shmem/observe/gathering.hpp"
#include "trace/track.hpp"

namespace weir::shmem {

// Whether WEIR_TRACE asks for it (World::is_traced).
bool is_recording_wanted() noexcept;
// Where it is: once memory is symmetric, as the recording has a thread, which must not use static data while it moves.
// `job`: a name that other runs do not have. Ends the program when the file cannot be written.
void open_recording(const std::string& job);
// This PE's clock and what has to be added to it to get that of PE 0, for PEs of several hosts.
void note_clock_offset(std::int64_t ns);
// The file is whole. Also by fail() and global_exit(), while other threads still call.
void close_recording() noexcept;

// What all members know and others do not, as a gathering's number.
Gathering gathering_of(std::span<const std::uint64_t> key, std::span<const int> pes);
// That of all PEs in calls of the heap.
Gathering& heap_gathering() noexcept;

// For Call: which recording this is, from 1, another number when it has ended.
unsigned recording_number() noexcept;
// The track of a thread that has none in this recording, and the recording's number; null when there is none any more.
struct ThreadTrack {
  trace::Track* track = nullptr;
  unsigned recording = 0;
};
ThreadTrack add_thread() noexcept;

}  // namespace weir::shmem
