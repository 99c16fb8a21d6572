// SPDX-License-Identifier: Apache-2.0

#include "placer/ranges.hpp"

#include <sys/mman.h>
#include <cstring>

namespace weir::placer {

namespace {

class Holding {
 public:
  explicit Holding(Ranges& ranges) noexcept : ranges_(ranges) { ranges_.hold(); }
  ~Holding() { ranges_.release(); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  Ranges& ranges_;
};

constexpr std::size_t kFirstCapacity = 4096;

}  // namespace

std::size_t Ranges::first_ending_after(std::uintptr_t address) const noexcept {
  std::size_t low = 0, high = count_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (table_[middle].end > address) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

bool Ranges::make_room() noexcept {
  if (count_ + kept_ < capacity_) return true;
  const std::size_t more = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
  void* const memory =
      capacity_ == 0 ? mmap(nullptr, more * sizeof(Range), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : mremap(table_, capacity_ * sizeof(Range), more * sizeof(Range), MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) return false;
  table_ = static_cast<Range*>(memory);
  capacity_ = more;
  return true;
}

void Ranges::remove(std::size_t from, std::size_t to) noexcept {
  memmove(table_ + from, table_ + to, (count_ - to) * sizeof(Range));
  count_ -= to - from;
}

void Ranges::forget_overlapping(Range range) noexcept {
  const std::size_t at = first_ending_after(range.begin);
  std::size_t beyond = at;
  while (beyond < count_ && table_[beyond].begin < range.end) ++beyond;
  remove(at, beyond);
}

void Ranges::enter(Range range) noexcept {
  const std::size_t at = first_ending_after(range.begin);
  memmove(table_ + at + 1, table_ + at, (count_ - at) * sizeof(Range));
  table_[at] = range;
  ++count_;
}

bool Ranges::add(Range range) noexcept {
  const Holding holding(*this);
  forget_overlapping(range);
  if (!make_room()) return false;
  enter(range);
  return true;
}

Range Ranges::remove_beginning_at(std::uintptr_t begin) noexcept {
  const std::size_t at = first_ending_after(begin);
  if (at == count_ || table_[at].begin != begin) return {};
  const Range found = table_[at];
  remove(at, at + 1);
  return found;
}

Range Ranges::take(std::uintptr_t begin) noexcept {
  const Holding holding(*this);
  return remove_beginning_at(begin);
}

Range Ranges::take_for_now(std::uintptr_t begin) noexcept {
  const Holding holding(*this);
  const Range found = remove_beginning_at(begin);
  if (found.size() > 0) ++kept_;
  return found;
}

void Ranges::put_back(Range range) noexcept {
  const Holding holding(*this);
  forget_overlapping(range);
  --kept_;
  enter(range);
}

bool Ranges::can_be_read() noexcept {
  if (!lock_.hold_at_end()) return false;
  lock_.release();
  return true;
}

Range Ranges::beginning_at(std::uintptr_t begin) noexcept {
  const Range found = at_or_after(begin);
  return found.begin == begin ? found : Range{};
}

Range Ranges::at_or_after(std::uintptr_t address) noexcept {
  const Holding holding(*this);
  const std::size_t at = first_ending_after(address);
  return at == count_ ? Range{} : table_[at];
}

}  // namespace weir::placer
