// SPDX-License-Identifier: Apache-2.0

// PageTimes: for how long whoever grew a tier waited until its pages were there.
//
// The same number of bytes takes a hundred times as long where the host has no memory left, or nobody had pages cleared
// ahead, and where in a run that was decides who else waits. A value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weir::sim {

class PageTimes {
 public:
  PageTimes() = default;
  explicit PageTimes(double ns_per_byte) : rate_(ns_per_byte) {}

  // It grew by `bytes` more.
  void add(std::uint64_t bytes, std::uint64_t ns) {
    steps_.push_back({end().bytes + bytes, end().ns + ns});
    rate_ = end().bytes == 0 ? 0 : static_cast<double>(end().ns) / static_cast<double>(end().bytes);
  }

  std::uint64_t bytes() const noexcept { return end().bytes; }
  std::uint64_t ns() const noexcept { return end().ns; }
  // The average.
  double ns_per_byte() const noexcept { return rate_; }
  // To grow from so many bytes to so many: as long as that took there, beyond that as long as it took on average.
  double ns_between(std::uint64_t from, std::uint64_t to) const noexcept { return ns_until(to) - ns_until(from); }

 private:
  struct Step {
    std::uint64_t bytes = 0, ns = 0;  // from the beginning on
  };

  Step end() const noexcept { return steps_.empty() ? Step{} : steps_.back(); }
  double ns_until(std::uint64_t bytes) const noexcept {
    const auto comes_before = [](const Step& step, std::uint64_t at) { return step.bytes < at; };
    const auto step = std::lower_bound(steps_.begin(), steps_.end(), bytes, comes_before);
    const Step begin = step == steps_.begin() ? Step{} : *(step - 1);
    const bool known = step != steps_.end();
    const double rate =
        known ? static_cast<double>(step->ns - begin.ns) / static_cast<double>(step->bytes - begin.bytes) : rate_;
    return static_cast<double>(begin.ns) + rate * static_cast<double>(bytes - begin.bytes);
  }

  std::vector<Step> steps_;
  double rate_ = 0;
};

}  // namespace weir::sim
