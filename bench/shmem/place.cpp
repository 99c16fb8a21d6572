// SPDX-License-Identifier: Apache-2.0

#include "bench/shmem/place.hpp"

#include <algorithm>
#include <cmath>

namespace weir::bench {
namespace {

constexpr double kInterrupted = 12;  // times the shortest line of the run: no machine has lines so different
constexpr double kTwoKinds = 1.6;    // the mean of the far lines over that of the near ones, at least

double mean_log(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return sum / static_cast<double>(values.size());
}

// How far the logarithms of both halves lie from their means.
double spread(std::span<const double> values) {
  const double mean = mean_log(values);
  double sum = 0;
  for (const double value : values) sum += (std::log(value) - mean) * (std::log(value) - mean);
  return sum;
}

// How many of the sorted values belong to the lower kind: the cut that leaves the least spread.
std::size_t best_cut(std::span<const double> sorted) {
  std::size_t best = 1;
  double least = INFINITY;
  for (std::size_t cut = 1; cut < sorted.size(); ++cut) {
    const double both = spread(sorted.first(cut)) + spread(sorted.subspan(cut));
    if (both < least) least = both, best = cut;
  }
  return best;
}

}  // namespace

const char* to_string(Place place) noexcept {
  switch (place) {
    case Place::unknown: return "unknown";
    case Place::only: return "only";
    case Place::near: return "near";
    case Place::far: return "far";
  }
  return "";
}

Places::Places(std::span<const Lines> lines) {
  std::vector<double> known;
  for (const Lines& of : lines)
    for (const double line : {of.before, of.after})
      if (line > 0) known.push_back(line);
  if (known.empty()) return;
  std::sort(known.begin(), known.end());
  most_ = known.front() * kInterrupted;
  known.erase(std::upper_bound(known.begin(), known.end(), most_), known.end());
  if (known.size() < 2) return;
  const std::span sorted(known);
  const std::size_t cut = best_cut(sorted);
  const double low = mean_log(sorted.first(cut)), high = mean_log(sorted.subspan(cut));
  if (std::exp(high - low) >= kTwoKinds) border_ = std::exp((low + high) / 2);
}

Place Places::place_of(double line) const noexcept {
  if (line <= 0 || line > most_) return Place::unknown;
  if (!border_) return Place::only;
  return line < *border_ ? Place::near : Place::far;
}

Place Places::place_of(const Lines& lines) const noexcept {
  const Place before = place_of(lines.before), after = place_of(lines.after);
  return before == after ? before : Place::unknown;
}

}  // namespace weir::bench
