// SPDX-License-Identifier: Apache-2.0

// Sums over equal parts of a run's time.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

class Bins {
 public:
  Bins(const Trace& trace, std::size_t count)
      : start_(static_cast<double>(trace.start)),
        ns_(std::max(static_cast<double>(trace.end - trace.start) / static_cast<double>(count), 1.0)),
        sums_(count, 0) {}

  // `amount`, spread evenly over [from, to).
  void add(double from, double to, double amount) {
    const double rate = amount / std::max(to - from, 1e-9);
    for (std::size_t bin = index(from); bin <= index(to); ++bin) {
      const double begin = start_ + static_cast<double>(bin) * ns_;
      const double part = std::min(to, begin + ns_) - std::max(from, begin);
      if (part > 0) sums_[bin] += part * rate;
    }
  }
  void add(const Move& move) {
    add(static_cast<double>(move.start), static_cast<double>(std::max(move.end, move.start + 1)),
        static_cast<double>(move.bytes));
  }
  std::size_t index(double at) const {
    const double bin = std::floor((at - start_) / ns_);
    return static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(sums_.size() - 1)));
  }
  double ns() const { return ns_; }
  // Each sum divided by `whole`.
  std::vector<double> shares(double whole) const {
    std::vector<double> result;
    for (const double sum : sums_) result.push_back(whole > 0 ? std::min(sum / whole, 1.0) : 0);
    return result;
  }
  // Each sum divided by that of `whole`, which has as many.
  std::vector<double> shares(const Bins& whole) const {
    std::vector<double> result;
    for (std::size_t bin = 0; bin < sums_.size(); ++bin)
      result.push_back(whole.sums_[bin] > 0 ? std::min(sums_[bin] / whole.sums_[bin], 1.0) : 0);
    return result;
  }
  double most() const { return *std::max_element(sums_.begin(), sums_.end()); }

 private:
  const double start_, ns_;
  std::vector<double> sums_;
};

}  // namespace weir::tool::report
