// SPDX-License-Identifier: Apache-2.0

#include "island/checked_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/check.hpp"

namespace weir::island {
namespace {

constexpr std::size_t kPage = 4096;  // what is compared at a time, however large the kernel's pages are
constexpr std::size_t kWords = kLine / sizeof(std::uint64_t);
using Words = std::array<std::uint64_t, kWords>;

// Lines of memory are read and written by several processes at a time, so word by word. Each word is released and
// acquired: who reads one sees all that was written before it (MPB-3). The first word is the last to be written and the
// first to be read, so that a line whose first word is new is new.
void to_memory(std::byte* memory, const std::byte* line) noexcept {
  Words words;
  std::memcpy(words.data(), line, kLine);
  auto* const shared = reinterpret_cast<std::uint64_t*>(memory);
  for (std::size_t i = kWords; i-- > 0;) std::atomic_ref(shared[i]).store(words[i], std::memory_order_release);
}

Words from_memory(std::byte* memory) noexcept {
  Words words;
  auto* const shared = reinterpret_cast<std::uint64_t*>(memory);
  // MPB-3: in this order, the reverse of the one in which they are stored.
  for (std::size_t i = 0; i < kWords; ++i) words[i] = std::atomic_ref(shared[i]).load(std::memory_order_acquire);
  return words;
}

// Which pages of this process have ever been touched, from the kernel; where it does not tell, all of them.
class TouchedPages {
 public:
  static constexpr std::size_t kAtATime = 512;

  TouchedPages() noexcept : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~TouchedPages() {
    if (file_ >= 0) close(file_);
  }
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  // From the page at `address` on.
  void look(const std::byte* address, std::size_t pages) noexcept {
    static const auto kSystemPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    known_ = 0;
    if (file_ < 0 || kSystemPage != kPage) return;
    const auto at = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(address) / kPage * sizeof(std::uint64_t));
    const ssize_t got = pread(file_, entries_.data(), std::min(pages, kAtATime) * sizeof(std::uint64_t), at);
    if (got > 0) known_ = static_cast<std::size_t>(got) / sizeof(std::uint64_t);
  }
  bool was_touched(std::size_t page) const noexcept {
    constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kSwapped = std::uint64_t{1} << 62;
    return page >= known_ || (entries_[page] & (kPresent | kSwapped)) != 0;
  }

 private:
  int file_;
  std::array<std::uint64_t, kAtATime> entries_;
  std::size_t known_ = 0;
};

}  // namespace

base::Result<std::unique_ptr<SharedMemory>> CheckedMemory::map(const Segment& segment, std::uint64_t seed) {
  Segment elsewhere = segment;  // the program's addresses are the cache's
  elsewhere.address = nullptr;
  auto memory = map_segment(elsewhere);
  if (!memory) return memory.status();
  auto cache = PrivateMapping::map((*memory)->size(), segment.address);
  if (!cache) return cache.status();
  auto base = PrivateMapping::map((*memory)->size());
  if (!base) return base.status();
  return std::unique_ptr<SharedMemory>(
      std::make_unique<CheckedMemory>(std::move(*memory), std::move(*cache), std::move(*base), seed));
}

CheckedMemory::CheckedMemory(std::unique_ptr<memory::SharedBacking> memory, PrivateMapping&& cache,
                             PrivateMapping&& base, std::uint64_t seed) noexcept
    : memory_(std::move(memory)), cache_(std::move(cache)), base_(std::move(base)), seed_(seed), state_(seed) {}

void CheckedMemory::enter_process(int process) noexcept {
  cache_.clear();
  base_.clear();
  names_ = 0;
  state_ = seed_;
  state_ = random() + static_cast<std::uint64_t>(process);
}

void CheckedMemory::write_back(const void* data, std::size_t bytes) noexcept {
  const Lines lines = lines_of(data, bytes);
  remember(lines);
  perhaps_evict();
  for (std::size_t i = 0; i < lines.count; ++i) write_line(lines.first + i);
  perhaps_evict();
}

void CheckedMemory::invalidate(const void* data, std::size_t bytes) noexcept {
  const Lines lines = lines_of(data, bytes);
  remember(lines);
  perhaps_evict();
  for (std::size_t i = 0; i < lines.count; ++i) read_line(lines.first + i);
  perhaps_evict();
}

const void* CheckedMemory::find_unwritten(const void* data, std::size_t bytes) const noexcept {
  const Lines lines = lines_of(data, bytes);
  const std::size_t end = (lines.first + lines.count) * kLine;
  TouchedPages touched;
  for (std::size_t at = lines.first * kLine, page = 0; at < end; at = (at / kPage + 1) * kPage, ++page) {
    const std::size_t look = page % TouchedPages::kAtATime;
    if (look == 0) touched.look(cache_.data() + at / kPage * kPage, (end - at / kPage * kPage + kPage - 1) / kPage);
    if (!touched.was_touched(look)) continue;
    const std::size_t stop = std::min(end, (at / kPage + 1) * kPage);
    if (std::memcmp(cache_.data() + at, base_.data() + at, stop - at) == 0) continue;
    std::size_t line = at / kLine;
    while (!is_dirty(line)) ++line;
    return cache_.data() + line * kLine;
  }
  return nullptr;
}

CheckedMemory::Lines CheckedMemory::lines_of(const void* data, std::size_t bytes) const noexcept {
  const auto offset = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(cache_.data());
  WEIR_CHECK(offset <= size().count && bytes <= size().count - offset, "a range that is not of the islands' memory");
  if (bytes == 0) return {offset / kLine, 0};
  return {offset / kLine, (offset + bytes - 1) / kLine - offset / kLine + 1};
}

void CheckedMemory::remember(Lines lines) noexcept {
  if (lines.count != 0) named_[names_++ % kRemembered] = lines;
}

bool CheckedMemory::is_dirty(std::size_t line) const noexcept {
  return std::memcmp(cache_.data() + line * kLine, base_.data() + line * kLine, kLine) != 0;
}

void CheckedMemory::write_line(std::size_t line) noexcept {
  if (!is_dirty(line)) return;
  const std::byte* const mine = cache_.data() + line * kLine;
  to_memory(memory_->data() + line * kLine, mine);
  std::memcpy(base_.data() + line * kLine, mine, kLine);
}

void CheckedMemory::read_line(std::size_t line) noexcept {
  const Words words = from_memory(memory_->data() + line * kLine);
  for (const PrivateMapping* const copy : {&cache_, &base_}) {
    std::byte* const mine = copy->data() + line * kLine;
    // What is as it was is not written: pages that nobody wrote stay away.
    if (std::memcmp(mine, words.data(), kLine) != 0) std::memcpy(mine, words.data(), kLine);
  }
}

// Before and after each step, together one time in eight.
void CheckedMemory::perhaps_evict() noexcept {
  if (seed_ == 0 || names_ == 0 || random() % 16 != 0) return;
  const Lines lines = named_[random() % std::min(names_, kRemembered)];
  const std::size_t line = lines.first + random() % lines.count;
  if (is_dirty(line)) {
    write_line(line);
  } else {
    read_line(line);
  }
}

// splitmix64
std::uint64_t CheckedMemory::random() noexcept {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace weir::island
