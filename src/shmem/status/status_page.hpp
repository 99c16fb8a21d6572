// SPDX-License-Identifier: Apache-2.0

// StatusPage: what a PE shows of itself to whoever looks at the job from outside (weir explain): who it is, whether it
// runs or has left, and what its threads wait for when a wait has got long.
//
// It is the first thing in the library's own symmetric memory, at the start of the PE's part of the memfd "weir heap":
// the part of the host's PE i begins at i * stride. So it is read without the PE's help, when it hangs or is stopped,
// too. The PE writes; the other PEs of its host and tools read. A reader that knows another version reads no further
// than `version`. docs/protocols/shmem.md.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shmem/status/standing.hpp"

namespace weir::shmem {

enum class Phase : std::uint32_t { none, running, finishing, left };

inline constexpr std::uint32_t kMostShown = 1024;  // members of a group
inline constexpr std::uint32_t kNotHere = UINT32_MAX;

// A member of the group in whose collective a PE waits.
struct ShownMember {
  std::int32_t pe;
  std::uint32_t area;  // its Area, bytes from the start of its PE's part; kNotHere: on another node
};

// One long wait. `sequence` is odd while it is written; a copy is whole when it is the same even number before and
// after.
struct ShownWait {
  std::atomic<std::uint32_t> sequence;
  std::atomic<std::uint32_t> thread;  // the kernel's number; 0: free
  std::uint64_t since_ns;             // of the monotonic clock
  char routine[64];                   // "" when it is not known
  std::uint32_t kind;                 // Awaited::Kind
  std::int32_t comparison;
  std::uint32_t bytes, is_signed;
  std::int32_t pe;        // -1: none
  std::uint32_t words;    // of those waited for
  std::uint64_t wanted;   // what the word is compared with
  char object[128];       // "heap+0x40", "counter", "static data of ./a.out+0x120"; "" when it is in no segment
  std::int32_t file;      // the descriptor in the PE that has the word, -1: none
  std::uint32_t members;  // of `member`
  std::uint64_t place;    // of the word in that file
  std::uint64_t step;     // of the group; 0: not known
  std::uint32_t more_members, unused;
  std::array<ShownMember, kMostShown> member;
};

struct StatusPage {
  static constexpr std::uint64_t kMagic = 0x7350457269655773;
  static constexpr std::uint32_t kVersion = 2;
  static constexpr std::size_t kWaits = 4;

  std::atomic<std::uint64_t> magic;  // written last
  std::uint32_t version;
  std::uint32_t n_pes, pe;
  std::uint32_t index, here;  // which of how many parts in this memory
  std::uint32_t pid;          // as the PE's own namespace has it
  std::uint64_t stride;       // from one PE's part to the next; 0: it is the only one
  std::atomic<Phase> phase;
  std::atomic<std::uint64_t> phase_since_ns;
  Standing standing;
  std::array<ShownWait, kWaits> waits;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<Phase>::is_always_lock_free);

}  // namespace weir::shmem
