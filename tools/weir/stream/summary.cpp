// SPDX-License-Identifier: Apache-2.0

#include "stream/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::tool {
namespace {

using machine::Stores;

bool same_memory(const SweepRow& a, const SweepRow& b) {
  return a.point.domains == b.point.domains && a.point.memory == b.point.memory && a.stream.loop == b.stream.loop;
}

double best_of(std::span<const SweepRow> rows, Stores stores) {
  double best = 0;
  for (const SweepRow& row : rows) {
    if (row.point.stores == stores) best = std::max(best, row.stream.best_gb_per_s);
  }
  return best;
}

// The row with the fewest threads that is near the best; of those with as many, the fastest.
const SweepRow& first_saturated(std::span<const SweepRow> rows, double best) {
  const SweepRow* found = nullptr;
  for (const SweepRow& row : rows) {
    if (row.stream.best_gb_per_s < kSaturated * best) continue;
    const bool better =
        found == nullptr || row.point.threads < found->point.threads ||
        (row.point.threads == found->point.threads && row.stream.best_gb_per_s > found->stream.best_gb_per_s);
    if (better) found = &row;
  }
  return *found;
}

std::string saturation(std::span<const SweepRow> rows, double best) {
  const auto [fewest, most] = std::minmax_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.point.threads < b.point.threads; });
  if (fewest->point.threads == most->point.threads) {
    return fmt::format("{:.1f} GB/s by {} thread{}", best, most->point.threads, most->point.threads == 1 ? "" : "s");
  }
  const SweepRow& first = first_saturated(rows, best);
  if (first.point.threads == most->point.threads) {
    return fmt::format("not saturated by fewer than all {} threads, {:.1f} GB/s", most->point.threads, best);
  }
  return fmt::format("saturated by {} of {} threads ({}, {}), best {:.1f} GB/s", first.point.threads,
                     most->point.threads, to_string(first.point.place), to_string(first.point.stores), best);
}

std::string line_of(std::span<const SweepRow> rows) {
  const double temporal = best_of(rows, Stores::temporal), around = best_of(rows, Stores::non_temporal);
  std::string line = fmt::format("{}, {}: {}", where_text(rows.front().point), to_string(rows.front().stream.loop),
                                 saturation(rows, std::max(temporal, around)));
  if (temporal > 0 && around > 0) {
    line += fmt::format("; non-temporal stores give {:.2f} times temporal ones", around / temporal);
  }
  return line + "\n";
}

}  // namespace

std::string summary_of(std::span<const SweepRow> rows) {
  std::string text;
  std::vector<SweepRow> done;  // one of each memory and loop
  for (const SweepRow& row : rows) {
    const auto same = [&](const SweepRow& other) { return same_memory(row, other); };
    if (std::any_of(done.begin(), done.end(), same)) continue;
    done.push_back(row);
    std::vector<SweepRow> of_memory;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(of_memory), same);
    text += line_of(of_memory);
  }
  return text;
}

}  // namespace weir::tool
