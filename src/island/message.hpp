// SPDX-License-Identifier: Apache-2.0

// What master and worker write to each other: structs of whole words in letters (letter.hpp).
//
// A task is a TaskHead, then its footprint (Item by Item), then the bytes of its callable; what does not fit in a
// letter lies in shared memory, and the letter says where.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "island/bell.hpp"
#include "island/code.hpp"
#include "island/letter.hpp"
#include "island/sharing.hpp"
#include "island/stream.hpp"
#include "weir/island.hpp"

namespace weir::island {

struct TaskHead {
  FunctionName invoke;       // of no object: the worker ends
  const std::byte* spilled;  // where the rest is; null: behind this
  std::uint32_t items;
  std::uint32_t function_bytes;
  std::uint64_t spilled_bytes;
};

struct Item {
  Region region;
  std::uint64_t mode;
};

// A worker has done with a task. Times are platform::ticks().
struct Done {
  std::uint64_t taken;           // the letter was found
  std::uint64_t fresh;           // the footprint was made fresh
  std::uint64_t ended;           // the function had returned
  std::uint64_t written;         // the footprint was written back
  const void* unwritten;         // memory `checked`: written beside the footprint; null: nothing
  std::uint64_t children_bytes;  // of what it says of the tasks that it has made, in the worker's stream
  std::uint64_t children_from;   // where in that stream
  std::uint32_t failed;          // it threw
  std::uint32_t text_bytes;
  std::uint64_t by;  // index of the worker that ran it: another one than it was given to when workers share
};
inline constexpr std::size_t kTextBytes = 192;  // of what it threw, at most

using TaskLetter = Letter<512>;
using DoneLetter = Letter<320>;
using HelloLetter = Letter<64>;
static_assert(sizeof(Done) + kTextBytes <= DoneLetter::kPayload);

// A worker is there, under the number 1.
struct Hello {
  std::uint64_t pid;
  std::uint64_t numbering;  // of processes: the namespace of that number; 0: not known
};

// What a worker has to do and has done: written by the master and by the worker in turn, line by line. The k-th task of
// the worker, from 1 on, is the letter number k in place k modulo kSlots.
struct Mailbox {
  static constexpr std::uint32_t kSlots = 8;
  struct Slot {
    TaskLetter task;  // the master's
    DoneLetter done;  // the worker's
  };
  std::array<Slot, kSlots> slots;
  HelloLetter hello;  // the worker's
  Bell bell;          // rung by the master when it has posted a task, where caches are coherent
  std::array<Share, kPartners> shares;
  Stream children;  // to the master: what tasks say of tasks that they make (children.hpp)

  Slot& slot(std::uint32_t number) noexcept { return slots[number % kSlots]; }
  // The letter after this one. 0 is the number of no letter: behind the last number comes one for the same place.
  static constexpr std::uint32_t after(std::uint32_t number) noexcept { return number + 1 != 0 ? number + 1 : kSlots; }
};

}  // namespace weir::island
