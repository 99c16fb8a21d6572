// SPDX-License-Identifier: Apache-2.0

// What the bytes of a frontier mean, for those who write and read them.
//
//   kFrontierMagic | addresses | body: maps, then lists: templates, blocks, events, scopes, EDTs, nodes
//
// A node is a dependent of an event or a label, in the order in which these have them. Over ranks each has a frontier
// of its own. A slot of an EDT on another rank is known by where it was there (graph/far.hpp), and each EDT says where
// its slots were. A run with other ranks reads several frontiers as one rank.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "checkpoint/image_file.hpp"
#include "ocr/objects/edt.hpp"

namespace weir::ocr {

inline constexpr std::uint64_t kFrontierMagic = 0x33464f5249455757;
// Of Edt: those that mean something in another process.
inline constexpr std::uint8_t kKeptFlags =
    Edt::kFinish | Edt::kNoHint | Edt::kOwnOutput | Edt::kStoodFor | Edt::kInnerFinish;
inline constexpr std::uint8_t kDestroyedBlock = 1, kBlockWithoutHint = 2, kBlockWithHeap = 4;
// Of a copy, whose block is destroyed where it was.
inline constexpr std::uint8_t kLastCopy = 8;
enum class PastSlot : std::uint8_t { open, satisfied, waiting };
// Items of the image: the frontier; what blocks contain that are smaller than a piece, in the order of the frontier,
// since a device is slow at small writes; what the rank is among the others (rank_state.hpp), which ranks that do not
// adopt it read, too; and the other blocks, each under its GUID.
inline constexpr std::uint64_t kFrontierKey = 0, kGatheredKey = 1, kRankKey = 2;
inline constexpr std::size_t kFrontierItem = 0, kGatheredItem = 1, kRankItem = 2;  // where these are
inline constexpr const char* kFrontierName = "OCR frontier";
inline constexpr const char* kGatheredName = "small OCR data blocks";
inline constexpr const char* kRankName = "OCR rank";
inline std::string name_of_item(std::uint64_t block) { return fmt::format("data block {:#x}", block); }
inline constexpr bool is_gathered(std::uint64_t bytes) noexcept { return bytes < checkpoint::kPieceBytes; }

}  // namespace weir::ocr
