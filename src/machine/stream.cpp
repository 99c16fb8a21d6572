// SPDX-License-Identifier: Apache-2.0

#include "machine/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "machine/placement.hpp"
#include "machine/team.hpp"
#include "platform/clock.hpp"
#include "platform/stream_kernels.hpp"

namespace weir::machine {
namespace {

constexpr double kScalar = 3.0;
constexpr std::array<double, 3> kInitial = {1.0, 2.0, 0.0};
constexpr double kRounding = 1e-13;  // STREAM's tolerance for double
// Between the arrays, so that equal places in them do not fall into one cache set.
constexpr std::size_t kGap = 13 * platform::kStreamAlignment;

class Stream {
 public:
  Stream(const StreamSettings& settings, platform::Pages memory, std::size_t slice)
      : settings_(settings),
        memory_(std::move(memory)),
        slice_(slice),
        loops_(settings.stores == Stores::temporal ? platform::stream_kernels().temporal
                                                   : platform::stream_kernels().non_temporal),
        seconds_(settings.loops.size()),
        errors_(settings.threads.size()) {
    const std::size_t stride = slice_ * settings.threads.size() + kGap / sizeof(double);
    for (std::size_t i = 0; i < 3; ++i) arrays_[i] = static_cast<double*>(memory_.data()) + i * stride;
  }

  static Bytes memory_for(std::size_t slice, std::size_t threads) {
    return {3 * (slice * threads * sizeof(double) + kGap)};
  }

  base::Status run() {
    return run_team(settings_.threads, [this](std::size_t thread, Meeting& meeting) { work(thread, meeting); });
  }

  StreamReport report() const {
    StreamReport report;
    for (std::size_t i = 0; i < settings_.loops.size(); ++i) report.rows.push_back(row(i));
    report.array = {elements() * sizeof(double)};
    report.instructions = platform::stream_kernels().instructions;
    report.error = *std::max_element(errors_.begin(), errors_.end());
    report.verified = report.error < kRounding;
    return report;
  }

  base::Result<double> on_node() const {
    return platform::share_on_node(memory_.data(), memory_.size(), *settings_.os_node);
  }

 private:
  std::size_t elements() const { return slice_ * settings_.threads.size(); }
  double* part(int array, std::size_t thread) const { return arrays_[std::size_t(array)] + thread * slice_; }

  void work(std::size_t thread, Meeting& meeting) {
    for (int array = 0; array < 3; ++array) std::fill_n(part(array, thread), slice_, kInitial[std::size_t(array)]);
    for (int pass = 0; pass < settings_.repetitions; ++pass) {
      for (std::size_t i = 0; i < settings_.loops.size(); ++i) {
        meeting.arrive_and_wait();
        const std::uint64_t start = platform::now_ns();
        loop(settings_.loops[i])(part(0, thread), part(1, thread), part(2, thread), kScalar, slice_);
        meeting.arrive_and_wait();
        if (thread == 0 && pass > 0) seconds_[i].push_back(double(platform::now_ns() - start) * 1e-9);
      }
    }
    errors_[thread] = error_of(thread);
  }

  platform::StreamLoop loop(StreamLoop which) const {
    switch (which) {
      case StreamLoop::copy: return loops_.copy;
      case StreamLoop::scale: return loops_.scale;
      case StreamLoop::add: return loops_.add;
      case StreamLoop::triad: break;
    }
    return loops_.triad;
  }

  // What one element of each array holds in the end.
  std::array<double, 3> expected() const {
    auto [a, b, c] = kInitial;
    for (int pass = 0; pass < settings_.repetitions; ++pass) {
      for (const StreamLoop which : settings_.loops) {
        if (which == StreamLoop::copy) c = a;
        if (which == StreamLoop::scale) b = kScalar * c;
        if (which == StreamLoop::add) c = a + b;
        if (which == StreamLoop::triad) a = b + kScalar * c;
      }
    }
    return {a, b, c};
  }

  double error_of(std::size_t thread) const {
    double worst = 0;
    const std::array<double, 3> wanted = expected();
    for (int array = 0; array < 3; ++array) {
      const double want = wanted[std::size_t(array)];
      const double scale = want != 0 ? std::abs(want) : 1;
      for (std::size_t i = 0; i < slice_; ++i) worst = std::max(worst, std::abs(part(array, thread)[i] - want) / scale);
    }
    return worst;
  }

  StreamRow row(std::size_t index) const {
    std::vector<double> times = seconds_[index];
    std::sort(times.begin(), times.end());
    const StreamLoop which = settings_.loops[index];
    const int arrays = which == StreamLoop::add || which == StreamLoop::triad ? 3 : 2;
    const double gigabytes = double(elements()) * sizeof(double) * arrays * 1e-9;
    StreamRow row;
    row.loop = which;
    row.best_seconds = times.front();
    row.worst_seconds = times.back();
    row.average_seconds = std::accumulate(times.begin(), times.end(), 0.0) / double(times.size());
    row.best_gb_per_s = gigabytes / times.front();
    row.median_gb_per_s = gigabytes / times[times.size() / 2];
    return row;
  }

  const StreamSettings& settings_;
  platform::Pages memory_;
  std::size_t slice_;  // elements of one thread's part of an array
  platform::StreamLoops loops_;
  std::array<double*, 3> arrays_{};
  std::vector<std::vector<double>> seconds_;  // [loop][pass], written by thread 0
  std::vector<double> errors_;                // [thread], each written by its thread
};

base::Status misplaced(double share, int os_node) {
  return {
      base::Code::no_space,
      fmt::format("only {:.0f} % of the arrays are on NUMA node {}, so the numbers would be wrong; use smaller arrays",
                  100 * share, os_node)};
}

base::Status check(const StreamSettings& settings) {
  if (settings.threads.empty()) return {base::Code::bad_option, "STREAM needs at least one thread"};
  if (settings.array.count == 0) return {base::Code::bad_option, "STREAM needs arrays of at least one byte"};
  if (settings.repetitions < 2) return {base::Code::bad_option, "STREAM needs at least 2 repetitions"};
  return base::Status::success();
}

}  // namespace

const char* to_string(StreamLoop loop) noexcept {
  switch (loop) {
    case StreamLoop::copy: return "copy";
    case StreamLoop::scale: return "scale";
    case StreamLoop::add: return "add";
    case StreamLoop::triad: break;
  }
  return "triad";
}

const char* to_string(Stores stores) noexcept { return stores == Stores::temporal ? "temporal" : "non-temporal"; }

Bytes stream_array_size(const Machine& machine) {
  constexpr std::uint64_t kLeast = 80'000'000;
  return {std::max(4 * machine.all_last_level_caches().count, kLeast)};
}

std::vector<std::vector<int>> stream_threads(const Machine& machine, const std::vector<DomainId>& domains, int count) {
  return place_threads(machine, domains, Placement::compact, count);
}

base::Result<StreamReport> run_stream(const StreamSettings& settings) {
  if (base::Status status = check(settings); !status) return status;
  const std::size_t blocks = settings.threads.size() * platform::kStreamAlignment;
  const std::size_t slice = (settings.array.count + blocks - 1) / blocks * platform::kStreamBlock;
  const Bytes size = Stream::memory_for(slice, settings.threads.size());
  base::Result<platform::Pages> memory = map_checked(size, settings.os_node, settings.pages);
  if (!memory) return memory.status();
  Stream stream(settings, std::move(memory).value(), slice);
  if (base::Status status = stream.run(); !status) return status;
  StreamReport report = stream.report();
  if (settings.os_node) {
    const base::Result<double> share = stream.on_node();
    if (!share) return share.status();
    if (*share < platform::kOnNode) return misplaced(*share, *settings.os_node);
    report.on_node = *share;
  }
  return report;
}

}  // namespace weir::machine
