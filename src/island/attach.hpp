// SPDX-License-Identifier: Apache-2.0

// How programs that were not forked become workers: what the master says of its memory, at the memory's start.
//
// The master takes its place (presence.hpp), clears what was there, posts a head, and takes the place that says so. A
// program that attaches reads the head then, maps the memory where the master has it, takes the place of a worker and
// says hello in that worker's mailbox.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "island/letter.hpp"
#include "island/memory.hpp"

namespace weir::island {

struct SegmentHead {
  static constexpr std::uint64_t kMagic = 0x3430646e616c7369;  // "island04": changes with what is in the memory

  std::uint64_t magic;
  std::uint64_t address, bytes;    // of the memory
  std::uint64_t heap, heap_bytes;  // offset from its start
  std::uint64_t seed;
  std::uint64_t master;             // its process
  std::uint32_t kind;               // IslandMemory
  std::uint32_t workers, attached;  // the last ones are those that attach; 0: nobody is to
  std::uint32_t park_after;
  std::uint32_t shares;
};
using HeadLetter = Letter<128>;
static_assert(sizeof(SegmentHead) <= HeadLetter::kPayload);

// What is there, of whichever master; none: it is no head.
std::optional<SegmentHead> look_at_head(SharedMemory& memory) noexcept;

// Where the memory should be so that programs that attach have nothing else there; null: it does not matter.
std::byte* shared_address() noexcept;

// The variable by which `weir run --islands` tells a process which memory it is to attach to, and a master how many
// programs do.
inline constexpr const char* kJoinVariable = "WEIR_ATTACH";
inline constexpr const char* kAttachedVariable = "WEIR_ATTACHED";
// And the memory, where that is not the one that options name.
inline constexpr const char* kMemoryVariable = "WEIR_ATTACHED_TO";

// Memory that `weir run` holds has this name, and its processes are told "/proc/PID/fd/N". That is closed to those of
// another user namespace (a container without root): where they have inherited the descriptor it is found by that. No
// program that they start inherits it then.
inline constexpr const char* kHeldMemory = "weir-islands";
std::string where_it_is_found(const std::string& told);

}  // namespace weir::island
