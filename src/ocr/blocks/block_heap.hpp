// SPDX-License-Identifier: Apache-2.0

// BlockHeap: the memory inside one data block, given out by ocrDbMalloc(): first fit over ranges kept outside the
// block, so that the whole of it is the program's.
//
// The caller serialises: several EDTs may hold the block in mode RW.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace weir::ocr {

struct BlockHeap {
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> free;  // offset -> bytes; guarded by mutex
  std::map<std::uint64_t, std::uint64_t> used;  // guarded by mutex
};

BlockHeap* make_heap(std::uint64_t bytes);
// An offset that is a multiple of 16; none when there is no room.
std::optional<std::uint64_t> allocate(BlockHeap& heap, std::uint64_t bytes);
// False: nothing starts there.
bool free(BlockHeap& heap, std::uint64_t offset);

}  // namespace weir::ocr
