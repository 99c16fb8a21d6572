// SPDX-License-Identifier: Apache-2.0

// The frame of a trace file: a head, then chunks, each with its kind, place, length and checksums.
//
// docs/trace-format.md is the description for others. All numbers are in the byte order of the machine that wrote the
// file, which the head says. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "platform/crc32c.hpp"

namespace weir::trace {

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr char kFileMagic[8] = {'W', 'E', 'I', 'R', 'T', 'R', 'C', '\n'};
inline constexpr std::uint32_t kChunkMagic = 0x6b6e6843;  // "Chnk" where the low byte comes first
inline constexpr std::uint32_t kMostChunk = 16u << 20;    // bytes behind a chunk's head

struct FileHead {
  char magic[8];
  std::uint32_t byte_order, version;
  std::uint64_t reserved;   // 0
  std::uint32_t reserved2;  // 0
  std::uint32_t checksum;   // CRC-32C of what is before it
};
static_assert(sizeof(FileHead) == 32 && std::is_trivially_copyable_v<FileHead>);

enum class ChunkKind : std::uint16_t {
  runtime = 1,  // a runtime begins: its clocks
  name,         // a definition: Named
  units,        // events of a track
  clock,        // both clocks, read together once more
  summary,      // a runtime has ended: what it knows of itself
  end,          // the last one: an index of the runtimes
  settings,     // a runtime has ended: how it was set up, before its summary
};

struct ChunkHead {
  std::uint32_t magic;
  std::uint32_t head_checksum;  // CRC-32C of the rest of the head
  std::uint16_t kind;
  std::uint16_t runtime;   // from 1; 0: of the file
  std::uint32_t track;     // of units; else 0
  std::uint64_t sequence;  // 0 for the first chunk of the file, each one more than the one before
  std::uint32_t pass;      // of units: how often the rings had been emptied
  std::uint32_t bytes;     // behind the head, before the next chunk
  std::uint32_t checksum;  // CRC-32C of these
  std::uint32_t reserved;  // 0
};
static_assert(sizeof(ChunkHead) == 40 && std::is_trivially_copyable_v<ChunkHead>);

inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
template <class T>
std::string_view as_text(const T& object) noexcept {
  return {reinterpret_cast<const char*>(&object), sizeof object};
}

inline std::uint32_t checksum_of(const FileHead& head) noexcept {
  return platform::crc32c(as_text(head).substr(0, offsetof(FileHead, checksum)));
}
inline std::uint32_t checksum_of(const ChunkHead& head) noexcept {
  return platform::crc32c(as_text(head).substr(offsetof(ChunkHead, kind)));
}

// What a chunk of kind `end` holds for each runtime, from the first on.
struct IndexEntry {
  std::uint64_t runtime_at, summary_at;  // bytes from the start of the file, of the chunks' heads
  std::uint64_t units;
};

}  // namespace weir::trace
