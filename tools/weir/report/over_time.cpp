// SPDX-License-Identifier: Apache-2.0

#include "over_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bins.hpp"
#include "timeline.hpp"
#include "units.hpp"

namespace weir::tool::report {

namespace {

constexpr std::string_view kLevels = " .:-=+*#";

// Guests count while they are there. Spares run tasks in the place of workers.
void add_workers(const Trace& trace, std::size_t bins, std::vector<Course>& result) {
  Bins running(trace, bins), data(trace, bins), there(trace, bins);
  std::size_t workers = 0;
  bool guests = false;
  for (const TimelineRow& row : timeline(trace)) {
    const bool is_guest = trace.is_guest(row.track), counts = is_guest || trace.is_worker(row.track);
    workers += counts && !is_guest ? 1 : 0;
    guests = guests || is_guest;
    auto at = static_cast<double>(trace.start);
    for (const Piece& piece : row.pieces) {
      const double end = at + static_cast<double>(piece.ns);
      if (piece.part == Part::running) running.add(at, end, static_cast<double>(piece.ns));
      if (piece.part == Part::data) data.add(at, end, static_cast<double>(piece.ns));
      if (counts && piece.part != Part::absent) there.add(at, end, static_cast<double>(piece.ns));
      at = end;
    }
  }
  const std::string all = guests ? fmt::format("{} and guests", workers) : counted(workers, "worker");
  result.push_back({"running tasks", running.shares(there), all});
  if (data.most() > 0) result.push_back({"waiting for data", data.shares(there), all});
}

void add_tier(const Trace& trace, const Tier& tier, std::size_t bins, std::vector<Course>& result) {
  const auto found = trace.residency.find(tier.name);
  if (found == trace.residency.end() || found->second.empty()) return;
  const Bins places(trace, bins);
  std::vector<double> held(bins, 0);
  std::size_t bin = 0;
  double now = 0, most = 0;
  for (const Resident& change : found->second) {
    for (const std::size_t until = places.index(static_cast<double>(change.at)); bin < until;) {
      held[++bin] = now;  // what it begins with
    }
    now = static_cast<double>(change.bytes);
    held[bin] = std::max(held[bin], now);
    most = std::max(most, now);
  }
  while (++bin < bins) held[bin] = now;
  const bool near = tier.budget != 0 && static_cast<double>(tier.budget) < 4 * most;
  const double top = near ? static_cast<double>(tier.budget) : most;
  if (top <= 0) return;
  for (double& bytes : held) bytes = std::min(bytes / top, 1.0);
  result.push_back({"in " + tier.name, std::move(held), measured_size(static_cast<std::uint64_t>(top))});
}

void add_links(const Trace& trace, std::size_t bins, std::vector<Course>& result) {
  std::map<std::pair<std::string, std::string>, Bins> links;
  for (const Move& move : trace.moves) {
    Bins& moved = links.try_emplace({move.from, move.to}, trace, bins).first->second;
    moved.add(move);
  }
  for (const auto& [ends, moved] : links) {
    result.push_back({fmt::format("{} to {}", ends.first, ends.second), moved.shares(moved.most()),
                      fmt::format("{:.2f} GB/s", moved.most() / moved.ns())});
  }
}

}  // namespace

std::vector<Course> over_time(const Trace& trace, std::size_t bins) {
  std::vector<Course> result;
  if (trace.end <= trace.start || bins == 0) return result;
  add_workers(trace, bins, result);
  for (const Tier& tier : trace.tiers) add_tier(trace, tier, bins, result);
  add_links(trace, bins, result);
  return result;
}

std::string sparkline(const std::vector<double>& values) {
  std::string line;
  for (const double value : values) {
    const double level = std::ceil(std::clamp(value, 0.0, 1.0) * static_cast<double>(kLevels.size() - 1) - 0.05);
    line += kLevels[static_cast<std::size_t>(std::max(level, 0.0))];
  }
  return line;
}

}  // namespace weir::tool::report
