// SPDX-License-Identifier: Apache-2.0

#include "placer/kept.hpp"

namespace weir::placer {

namespace {

class HoldingKept {
 public:
  explicit HoldingKept(Kept& kept) noexcept : kept_(kept) { kept_.hold(); }
  ~HoldingKept() { kept_.release(); }
  HoldingKept(const HoldingKept&) = delete;
  HoldingKept& operator=(const HoldingKept&) = delete;

 private:
  Kept& kept_;
};

}  // namespace

bool Kept::put(Range range) noexcept {
  const HoldingKept holding(*this);
  if (count_ == kMost || bytes_ + range.size() > kMostBytes) return false;
  ranges_[count_++] = range;
  bytes_ += range.size();
  return true;
}

Range Kept::remove(std::size_t index) noexcept {
  const Range found = ranges_[index];
  for (std::size_t i = index; i + 1 < count_; ++i) ranges_[i] = ranges_[i + 1];
  --count_;
  bytes_ -= found.size();
  return found;
}

Range Kept::take(std::size_t size, std::size_t alignment) noexcept {
  const HoldingKept holding(*this);
  std::size_t best = count_;
  for (std::size_t i = 0; i < count_; ++i) {
    const Range& range = ranges_[i];
    const bool fits = range.size() >= size && range.size() - size <= size / 8 && range.begin % alignment == 0;
    if (fits && (best == count_ || range.size() <= ranges_[best].size())) best = i;
  }
  return best == count_ ? Range{} : remove(best);
}

Range Kept::take_oldest() noexcept {
  const HoldingKept holding(*this);
  return count_ == 0 ? Range{} : remove(0);
}

Range Kept::at_or_after(std::uintptr_t address) noexcept {
  const HoldingKept holding(*this);
  Range first;
  for (std::size_t i = 0; i < count_; ++i)
    if (ranges_[i].end > address && (first.end == 0 || ranges_[i].begin < first.begin)) first = ranges_[i];
  return first;
}

bool Kept::can_be_read() noexcept {
  if (!lock_.hold_at_end()) return false;
  lock_.release();
  return true;
}

}  // namespace weir::placer
