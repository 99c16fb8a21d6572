// SPDX-License-Identifier: Apache-2.0

#include "alloc/huge_pages.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <fstream>
#include <map>

#include "base/mutex.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

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

bool has_huge_pages(const std::string& folder) {
  for (const char* const name : {"/nr_hugepages", "/nr_overcommit_hugepages"}) {
    std::ifstream file(folder + name);
    if (std::size_t pages = 0; file >> pages && pages > 0) return true;
  }
  return false;
}

void* map_huge(std::size_t size, std::size_t alignment) noexcept {
  if (size == 0 || size > SIZE_MAX - kHuge || alignment > kHuge) return nullptr;
  size = (size + kHuge - 1) / kHuge * kHuge;
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  // The kernel ends a process that touches a page which its control group or cpuset does not grant. Kernels before 5.14
  // cannot be asked.
  int failed = 0;
  do failed = madvise(data, size, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
  while (failed == EINTR || failed == EAGAIN);
  if (failed != 0 && failed != EINVAL) {
    munmap(data, size);
    return nullptr;
  }
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
