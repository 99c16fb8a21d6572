// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/private_blocks.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace weir::shmem {

namespace {

struct Blocks {
  std::mutex mutex;
  std::unordered_set<const void*, std::hash<const void*>, std::equal_to<>, MallocAllocator<const void*>> all;
};

Blocks& blocks() {
  alignas(Blocks) static std::byte memory[sizeof(Blocks)];
  static auto* const made = new (memory) Blocks;
  return *made;
}

// Whether there has ever been one: most programs look no further. Relaxed: who releases a block has got it from the
// thread that has counted it.
std::atomic<bool> is_used{false};

}  // namespace

void* allocate_private(std::size_t alignment, std::size_t bytes) noexcept {
  void* data = nullptr;
  if (alignment <= alignof(std::max_align_t))
    data = std::malloc(bytes);
  else if (posix_memalign(&data, alignment, bytes) != 0)
    return nullptr;
  if (data == nullptr) return nullptr;
  try {
    const std::lock_guard lock(blocks().mutex);
    blocks().all.insert(data);
  } catch (const std::bad_alloc&) {
    std::free(data);
    return nullptr;
  }
  is_used.store(true, std::memory_order_relaxed);  // relaxed: see is_used
  return data;
}

bool release_private(void* data) noexcept {
  if (!is_used.load(std::memory_order_relaxed)) return false;  // relaxed: see is_used
  {
    const std::lock_guard lock(blocks().mutex);
    if (blocks().all.erase(data) == 0) return false;
  }
  std::free(data);
  return true;
}

}  // namespace weir::shmem
