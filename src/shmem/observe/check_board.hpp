// SPDX-License-Identifier: Apache-2.0

// CheckBoard: in which collective call each PE stands, and for which PE it waits there, where all PEs can read it
// (WEIR_CHECK=1).
//
// A wait of a checked call is one for a word of another PE that only that PE raises. So who waits for whom is known,
// and PEs that wait for one another, each in a call that the next one never comes to, are named and ended: a check does
// not hang when PEs differ in their calls (docs/protocols/shmem-check.md). With ThreadLevel::multiple a PE may stand in
// several calls, and circles are not looked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::shmem {

// Collective, at the start of a program that is checked; and its end.
void open_check_board();
void close_check_board() noexcept;

// This PE stands in a call, of which the text is for people.
void begin_call(std::string_view text);
void end_call();

// A word of another PE in the library's own symmetric memory, given by its address here. Only that PE writes it, and it
// only grows.
struct AwaitedWord {
  int pe = 0;
  const std::atomic<std::uint64_t>* word = nullptr;
  std::uint64_t value = 0;  // at least
};
// Between begin_call() and end_call(). Ends the program when it would be in vain.
void wait_for(const AwaitedWord& awaited);

// Bytes of another PE's part of symmetric memory.
void read_of(int pe, const void* symmetric, void* to, std::size_t bytes);

// While another PE ends the program, with a better message than this one's. Returns when that takes long.
void wait_for_the_end();

}  // namespace weir::shmem
