// SPDX-License-Identifier: Apache-2.0

#include "alloc/huge_pages.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <fstream>
#include <map>

#include "base/mutex.hpp"

namespace weir::alloc {

namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;

struct Mappings {
  base::Mutex mutex;
  std::map<const void*, std::size_t> sizes WEIR_GUARDED_BY(mutex);
  std::atomic<std::size_t> count{0};  // of sizes: most programs have none, and ask for every free()
};

Mappings& mappings();

// The child of fork() must not find them locked by a thread that it does not have.
void hold_mappings() WEIR_NOT_ANALYSED { mappings().mutex.lock(); }
void release_mappings() WEIR_NOT_ANALYSED { mappings().mutex.unlock(); }

// Never destroyed: programs free memory in their last destructors.
Mappings& mappings() {
  static auto* const instance = new Mappings;
  return *instance;
}

[[maybe_unused]] const int kMappingsAtFork = pthread_atfork(&hold_mappings, &release_mappings, &release_mappings);

}  // namespace

std::size_t huge_pages_free() {
  std::ifstream file("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
  std::size_t free = 0;
  return file >> free ? free : 0;
}

void* map_huge(std::size_t size, std::size_t alignment) noexcept {
  if (size == 0 || size > SIZE_MAX - kHuge || alignment > kHuge) return nullptr;
  size = (size + kHuge - 1) / kHuge * kHuge;
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  try {
    const base::Lock lock(mappings().mutex);
    mappings().sizes[data] = size;
    mappings().count = mappings().sizes.size();
    return data;
  } catch (const std::exception&) {  // no memory for the entry
    munmap(data, size);
    return nullptr;
  }
}

std::size_t size_of_huge(const void* data) noexcept {
  if (mappings().count.load() == 0) return 0;
  const base::Lock lock(mappings().mutex);
  const auto found = mappings().sizes.find(data);
  return found == mappings().sizes.end() ? 0 : found->second;
}

bool unmap_huge(void* data) noexcept {
  const std::size_t size = size_of_huge(data);
  if (size == 0) return false;
  const base::Lock lock(mappings().mutex);
  mappings().sizes.erase(data);
  mappings().count = mappings().sizes.size();
  munmap(data, size);
  return true;
}

}  // namespace weir::alloc
