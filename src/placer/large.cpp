// SPDX-License-Identifier: Apache-2.0

#include "placer/large.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "placer/placer.hpp"
#include "placer/unnoticed.hpp"

#ifndef MADV_KEEPONFORK
#define MADV_KEEPONFORK 19
#endif

namespace weir::placer {

namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t size) noexcept { return (size + kPage - 1) & ~(kPage - 1); }

std::uintptr_t number(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

void* no_memory() noexcept {
  errno = ENOMEM;
  return nullptr;
}

// A process that has as many mappings as it may cannot give back a part of one: its pages go, its addresses stay.
void give_back(std::uintptr_t begin, std::size_t size) noexcept {
  if (size == 0) return;
  const Unnoticed unnoticed;
  if (syscall(SYS_munmap, begin, size) != 0) madvise(reinterpret_cast<void*>(begin), size, MADV_DONTNEED);
}

// In a program that locks what it will have (mlockall, MCL_FUTURE) the kernel fills a new mapping before it has a
// policy of its own, by that of the thread: while this lives, that is the one that was asked for.
class PolicyWhileMapping {
 public:
  PolicyWhileMapping() noexcept {
    const Settings& settings = the_placer.settings;
    if (!the_placer.fills || settings.mode < 0) return;
    if (syscall(SYS_get_mempolicy, &mode_, nodes_, kBits, nullptr, 0) != 0) return;
    is_set_ = syscall(SYS_set_mempolicy, settings.mode, settings.nodes, 8 * sizeof settings.nodes) == 0;
  }
  ~PolicyWhileMapping() {
    if (is_set_) syscall(SYS_set_mempolicy, mode_, nodes_, kBits);
  }
  PolicyWhileMapping(const PolicyWhileMapping&) = delete;
  PolicyWhileMapping& operator=(const PolicyWhileMapping&) = delete;

 private:
  static constexpr unsigned long kBits = 1024;  // the most that a kernel has
  int mode_ = 0;
  unsigned long nodes_[kBits / 64] = {};
  bool is_set_ = false;
};

// Pages that are there for all that move. Where none are, to ask for it would have all processors give up pages that
// they hold back.
void place(void* data, std::size_t size) noexcept {
  constexpr unsigned kMove = 2;  // MPOL_MF_MOVE
  const Settings& settings = the_placer.settings;
  if (settings.mode < 0) return;
  const unsigned flags = the_placer.fills ? kMove : 0;
  const long done = syscall(SYS_mbind, data, size, settings.mode, settings.nodes, 8 * sizeof settings.nodes, flags);
  if (done != 0) the_placer.failures.fetch_add(1);
}

// As a new mapping, whatever policy the program has given to a part of it.
void place_again(void* data, std::size_t size) noexcept {
  constexpr int kThatOfTheThread = 0;  // MPOL_DEFAULT
  if (the_placer.settings.mode >= 0) return place(data, size);
  const Unnoticed unnoticed;
  syscall(SYS_mbind, data, size, kThatOfTheThread, nullptr, 0, 0);
}

// Null when there is none. The program may have taken rights from it, or have unmapped a part.
void* kept_memory(std::size_t size, std::size_t alignment, Contents contents) noexcept {
  if (the_placer.locks) return nullptr;
  const Range range = the_placer.kept.take(size, alignment);
  if (range.size() == 0) return nullptr;
  void* const data = reinterpret_cast<void*>(range.begin);
  if (mprotect(data, range.size(), PROT_READ | PROT_WRITE) != 0 || !the_placer.large.add(range)) {
    give_back(range.begin, range.size());
    return nullptr;
  }
  place_again(data, range.size());
  if (contents == Contents::zeros && madvise(data, range.size(), MADV_DONTNEED) != 0) memset(data, 0, range.size());
  return data;
}

void* new_mapping(std::size_t size) noexcept {
  const PolicyWhileMapping policy;
  void* const got = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

// What the program has asked for its children is no matter of the next allocation there.
void forget_advice(Range range) noexcept {
  const Unnoticed unnoticed;
  void* const data = reinterpret_cast<void*>(range.begin);
  madvise(data, range.size(), MADV_DOFORK);
  madvise(data, range.size(), MADV_KEEPONFORK);
}

void keep(Range range) noexcept {
  if (range.size() > Kept::kMostOfOne || the_placer.restricted || the_placer.locks)
    return give_back(range.begin, range.size());
  forget_advice(range);
  while (!the_placer.kept.put(range)) {
    const Range oldest = the_placer.kept.take_oldest();
    give_back(oldest.begin, oldest.size());
  }
  if (the_placer.locks) give_back_kept();  // the program has locked memory meanwhile
}

}  // namespace

void give_back_kept() noexcept {
  for (;;) {
    const Range oldest = the_placer.kept.take_oldest();
    if (oldest.size() == 0) return;
    give_back(oldest.begin, oldest.size());
  }
}

void* map_large(std::size_t size, std::size_t alignment, Contents contents) noexcept {
  const std::size_t extra = alignment > kPage ? alignment : 0;
  if (size > SIZE_MAX / 2 || extra > SIZE_MAX / 4) return no_memory();
  size = whole_pages(size);
  const int before = errno;
  if (void* const data = kept_memory(size, alignment, contents); data != nullptr) {
    errno = before;
    return data;
  }
  void* got = new_mapping(size + extra);
  if (got == nullptr) {
    give_back_kept();
    got = new_mapping(size + extra);
  }
  if (got == nullptr) return no_memory();
  const std::uintptr_t begin = extra == 0 ? number(got) : (number(got) + extra - 1) & ~(extra - 1);
  give_back(number(got), begin - number(got));
  give_back(begin + size, number(got) + extra - begin);
  void* const data = reinterpret_cast<void*>(begin);
  place(data, size);
  if (the_placer.large.add({begin, begin + size})) return data;
  give_back(begin, size);
  return no_memory();
}

std::size_t size_of_large(const void* data) noexcept {
  if (number(data) % kPage != 0 || data == nullptr) return 0;
  return the_placer.large.beginning_at(number(data)).size();
}

bool unmap_large(void* data) noexcept {
  if (size_of_large(data) == 0) return false;
  consider();
  keep(the_placer.large.take(number(data)));
  return true;
}

void* resize_large(void* data, std::size_t size) noexcept {
  if (size > SIZE_MAX / 2) return no_memory();
  const std::size_t before = size_of_large(data);
  size = whole_pages(size);
  if (size == before) return data;
  if (size < before) consider();
  // Another thread may be given these addresses and enter them first: forgotten before they are free.
  const Range range = the_placer.large.take_for_now(number(data));
  // The kernel refuses to move what the program has cut into several mappings, by madvise() on a part of it.
  void* const moved = mremap(data, before, size, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) {
    the_placer.large.put_back(range);
    return size < before ? data : no_memory();
  }
  the_placer.large.put_back({number(moved), number(moved) + size});
  return moved;
}

}  // namespace weir::placer
