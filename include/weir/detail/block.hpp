// SPDX-License-Identifier: Apache-2.0

// What the templates of blocks and arrays need of the library: not for programs to use directly.
#pragma once

#include <atomic>
#include <cstddef>

#include "weir/detail/spawn.hpp"
#include "weir/footprint.hpp"

namespace weir::detail {

inline constexpr std::size_t kBlockAlignment = 64;

// The part of a block that tasks read. The rest is the library's (src/data/block.hpp).
struct BlockBase {
  // Where it is, while there is only one place where tasks may use it; null: each task has a place of its own. The
  // library writes it before it lets a task run; a running task reads the same for as long as it runs.
  std::atomic<void*> address{nullptr};
  std::size_t bytes = 0;

 protected:
  BlockBase() = default;
  ~BlockBase() = default;
};

// The form of adopted memory: counts[0] x counts[1] runs of run_bytes, strides[i] bytes from one to the next. In a
// tier's memory the runs lie one behind the other.
struct BlockLayout {
  std::size_t run_bytes = 0;
  std::size_t counts[2] = {1, 1};
  std::size_t strides[2] = {0, 0};

  std::size_t bytes() const noexcept { return run_bytes * counts[0] * counts[1]; }
};

constexpr BlockLayout contiguous(std::size_t bytes) noexcept { return {bytes, {1, 1}, {0, 0}}; }

// `program` not null: the memory to adopt. Throw weir::Error.
BlockBase* make_block(Runtime& runtime, const BlockLayout& layout, void* program, const char* name);
void flush_block(BlockBase* block);
void drop_block(BlockBase* block) noexcept;
[[noreturn]] void no_such_tile(const BlockBase* first, const std::size_t* at, const std::size_t* tiles,
                               std::size_t rank) noexcept;
[[noreturn]] void throw_empty_array(const char* name);

void* address_slow(Task* self, const BlockBase* block) noexcept;
// Of a block in the footprint of the running task `self`.
inline void* address_in(Task* self, const BlockBase* block) noexcept {
  void* const address = block->address.load(std::memory_order_relaxed);  // written before the task became ready
  return address != nullptr ? address : address_slow(self, block);
}
// Of the task that the calling thread runs.
void* address_here(const BlockBase* block) noexcept;

// The block that an item stands for.
inline BlockBase* block_of(const Access& access) noexcept {
  return static_cast<BlockBase*>(const_cast<void*>(access.region.base));
}

}  // namespace weir::detail
