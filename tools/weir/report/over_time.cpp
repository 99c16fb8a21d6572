#include "over_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "timeline.hpp"
#include "units.hpp"

namespace weir::tool::report {

namespace {

constexpr std::string_view kLevels = " .:-=+*#";

// Sums over equal parts of time.
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
  double most() const { return *std::max_element(sums_.begin(), sums_.end()); }

 private:
  const double start_, ns_;
  std::vector<double> sums_;
};

void add_workers(const Trace& trace, std::size_t bins, std::vector<Course>& result) {
  Bins running(trace, bins), data(trace, bins);
  const auto rows = timeline(trace);
  for (const TimelineRow& row : rows) {
    auto at = static_cast<double>(trace.start);
    for (const Piece& piece : row.pieces) {
      const double end = at + static_cast<double>(piece.ns);
      if (piece.part == Part::running) running.add(at, end, static_cast<double>(piece.ns));
      if (piece.part == Part::data) data.add(at, end, static_cast<double>(piece.ns));
      at = end;
    }
  }
  const double whole = running.ns() * static_cast<double>(rows.size());
  const std::string workers = fmt::format("{} worker{}", rows.size(), rows.size() == 1 ? "" : "s");
  result.push_back({"running tasks", running.shares(whole), workers});
  if (data.most() > 0) result.push_back({"waiting for data", data.shares(whole), workers});
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
  result.push_back({"in " + tier.name, std::move(held), size_text(static_cast<std::uint64_t>(top))});
}

void add_links(const Trace& trace, std::size_t bins, std::vector<Course>& result) {
  std::map<std::pair<std::string, std::string>, Bins> links;
  for (const Move& move : trace.moves) {
    Bins& moved = links.try_emplace({move.from, move.to}, trace, bins).first->second;
    moved.add(static_cast<double>(move.start), static_cast<double>(std::max(move.end, move.start + 1)),
              static_cast<double>(move.bytes));
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
