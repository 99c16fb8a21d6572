// SPDX-License-Identifier: Apache-2.0

// What events of a PE mean by their fields: the calls of a SHMEM program that other PEs are concerned with.
//
// Numbers are part of the file format (docs/trace-format.md): new ones are added at the end. An event is one call of
// the program's; what the library does within it is not recorded. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::trace {

enum class PePut : std::uint8_t { put, put_nbi, strided, signal, signal_nbi };  // signals: the place is the signal's
enum class PeGet : std::uint8_t { get, get_nbi, strided };
enum class PeUntil : std::uint8_t { one, all, any, some };
enum class PeLock : std::uint8_t { set, clear, test };
enum class PeOrder : std::uint8_t { fence, quiet };
enum class PeMeet : std::uint8_t {
  barrier,
  sync,
  broadcast,
  collect,
  fcollect,
  alltoall,
  alltoalls,
  reduce,
  inclusive_scan,
  exclusive_scan,
  heap,  // an allocation and the like: all PEs meet in it
  team   // made or destroyed
};
// In the order of PeMeet.
inline constexpr std::string_view kPeMeetNames[] = {"barrier",        "sync",           "broadcast", "collect",
                                                    "fcollect",       "alltoall",       "alltoalls", "reduce",
                                                    "inclusive scan", "exclusive scan", "heap",      "team"};

// Symmetric memory of a PE: pe 20 bits, segment 6, offset in it 38.
struct PePlace {
  std::uint32_t pe = 0, segment = 0;
  std::uint64_t offset = 0;
  // An offset beyond is recorded as this one, and means a place that is not known.
  static constexpr std::uint64_t kMostOffset = (std::uint64_t{1} << 38) - 1;

  constexpr std::uint64_t packed() const noexcept {
    return std::uint64_t{pe} << 44 | std::uint64_t{segment & 63} << 38 | (offset < kMostOffset ? offset : kMostOffset);
  }
  static constexpr PePlace of(std::uint64_t packed) noexcept {
    return {static_cast<std::uint32_t>(packed >> 44), static_cast<std::uint32_t>(packed >> 38 & 63),
            packed & kMostOffset};
  }
  constexpr bool is_known() const noexcept { return offset < kMostOffset; }
  friend constexpr bool operator==(PePlace, PePlace) = default;
};

// One collective: on all members of the group the same two numbers, and on no others.
struct PeMeeting {
  std::uint32_t group = 0, turn = 0;  // the turn-th of the group
  constexpr std::uint64_t packed() const noexcept { return std::uint64_t{group} << 32 | turn; }
  static constexpr PeMeeting of(std::uint64_t packed) noexcept {
    return {static_cast<std::uint32_t>(packed >> 32), static_cast<std::uint32_t>(packed)};
  }
};

}  // namespace weir::trace
