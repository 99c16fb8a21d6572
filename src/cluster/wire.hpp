// SPDX-License-Identifier: Apache-2.0

// What ranks send one another: named structs, as they lie in memory. All ranks are of one build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "transport/transport.hpp"

namespace weir::cluster {

// Of what is sent as a tile is, and belongs to no array: the word of the ranks that write checkpoints.
inline constexpr std::uint32_t kNoArray = ~std::uint32_t{0};
struct TileId {
  std::uint32_t array = 0;  // in the order in which the ranks have made them
  std::uint32_t tile = 0;   // in the grid
};

// One version of a tile, which is sent to a rank at most once, and once more each time that the rank has dropped it.
struct TileVersion {
  TileId id;
  std::uint32_t version = 0;
  std::uint32_t drops = 0;  // before this sending, by the rank that it goes to
  friend bool operator==(const TileVersion& a, const TileVersion& b) noexcept {
    return a.id.array == b.id.array && a.id.tile == b.id.tile && a.version == b.version && a.drops == b.drops;
  }
};
struct HashTileVersion {
  std::size_t operator()(const TileVersion& of) const noexcept {
    const std::uint64_t place =
        std::uint64_t{of.id.array} << 40 ^ std::uint64_t{of.id.tile} << 12 ^ of.version ^ std::uint64_t{of.drops} << 52;
    return std::hash<std::uint64_t>()(place * 0x9e3779b97f4a7c15u);
  }
};

// Numbers of the transport's handlers.
enum class Message : std::uint16_t {
  contents,
  ready,
  taken,
  failed,
  barrier,
  time_asked,
  time_told,
  refused,
  asked,
  standing,
  probe,
  made
};

// Followed by the bytes of the tile.
struct Contents {
  TileVersion what;
};
// It lies there until the receiver says that it has it.
struct Ready {
  TileVersion what;
  transport::RegionId region{};
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t offer = 0;  // the sender's number for it
};
struct Taken {
  std::uint64_t offer = 0;
};
// Followed by the text. It goes from rank to rank by a tree (spread.hpp) with the one that has failed as its root.
struct Failed {
  std::uint32_t root = 0;
};
// Where all ranks meet, in the same order.
enum class Meeting : std::uint32_t { barrier, end };  // end: of the Ranks, the last
struct Arrived {
  std::uint32_t round = 0;
  Meeting at = Meeting::barrier;
};
// Followed by why: to the next rank (calls.hpp).
struct Refused {
  std::uint64_t call = 0;
  std::uint32_t meetings = 0;
};
// To a rank of which something is awaited: the sender has come to so many meetings.
struct Asked {
  std::uint32_t meetings = 0;
};
// The answer: where the sender waits. Meetings are numbered from 1. Followed by why, where it has refused a call.
struct Standing {
  std::uint32_t meeting = 0;
  Meeting at = Meeting::barrier;
  std::uint64_t refused = 0;  // the last call that it has; 0: none
};

// To the next rank, of an array that the sender has made (array_marks.hpp).
struct Made {
  std::uint64_t tiles = 0, owners = 0;
};

// Of a search for ranks that wait for one another (standstill.hpp). Followed, in an answer, by what they wait for.
struct Probe {
  std::uint32_t initiator = 0;  // the rank that has begun the search
  std::uint32_t number = 0;     // of its searches
  std::uint32_t is_answer = 0;
};

inline constexpr std::size_t kMostContents = transport::Transport::kMaxMessage - sizeof(Contents);

}  // namespace weir::cluster
