// SPDX-License-Identifier: Apache-2.0

#include "machine/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <random>

#include "machine/stream.hpp"
#include "machine/team.hpp"
#include "platform/clock.hpp"
#include "platform/stream_kernels.hpp"

namespace weir::machine {
namespace {

constexpr int kPasses = 6;  // the first warms up
constexpr std::uint64_t kLeastBuffer = 64u << 20;
constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kMostLoads = 1u << 20;

// Runs on one domain against one buffer. The sums and chains end in a sink so that they are not optimised away.
class Probe {
 public:
  Probe(const Machine& machine, DomainId domain, platform::Pages buffer)
      : threads_(stream_threads(machine, {domain}, 0)), buffer_(std::move(buffer)) {
    constexpr std::size_t kBlock = platform::kStreamAlignment;
    slice_ = buffer_.size().count / kBlock / threads_.size() * platform::kStreamBlock;
  }

  base::Status touch() {
    return run_team(threads_, [this](std::size_t thread, Meeting&) { std::fill_n(part(thread), slice_, 1.0); });
  }
  const platform::Pages& buffer() const { return buffer_; }

  base::Status bandwidth(Cost& cost) {
    const platform::StreamKernels& kernels = platform::stream_kernels();
    const auto read = [&](std::size_t thread) { sink_ = kernels.sum(part(thread), slice_); };
    const auto write = [&](std::size_t thread) {
      kernels.non_temporal.fill(part(thread), nullptr, nullptr, 1.0, slice_);
    };
    if (base::Status status = best_of_passes(read, cost.read_gb_per_s); !status) return status;
    return best_of_passes(write, cost.write_gb_per_s);
  }

  base::Status latency(Cost& cost) {
    return run_team({threads_.front()}, [&](std::size_t, Meeting&) { cost.latency_ns = chase(); });
  }

 private:
  double* part(std::size_t thread) const { return static_cast<double*>(buffer_.data()) + thread * slice_; }

  template <class Pass>
  base::Status best_of_passes(const Pass& pass, double& gb_per_s) {
    std::uint64_t best_ns = std::numeric_limits<std::uint64_t>::max();  // written by thread 0
    base::Status status = run_team(threads_, [&](std::size_t thread, Meeting& meeting) {
      for (int i = 0; i < kPasses; ++i) {
        meeting.arrive_and_wait();
        const std::uint64_t start = platform::now_ns();
        pass(thread);
        meeting.arrive_and_wait();
        if (thread == 0 && i > 0) best_ns = std::min(best_ns, platform::now_ns() - start);
      }
    });
    gb_per_s = double(slice_ * threads_.size() * sizeof(double)) / double(best_ns);
    return status;
  }

  // Lays one random cycle through all lines of the buffer (Sattolo 1986) and follows it: no load can start before the
  // one before has ended, and no prefetcher can guess.
  double chase() {
    char* base = static_cast<char*>(buffer_.data());
    const std::uint64_t lines = buffer_.size().count / kLine;
    const auto next = [base](std::uint64_t line) -> std::uint64_t& {
      return *reinterpret_cast<std::uint64_t*>(base + line * kLine);
    };
    for (std::uint64_t i = 0; i < lines; ++i) next(i) = i;
    std::minstd_rand random(1);
    for (std::uint64_t i = lines - 1; i > 0; --i) std::swap(next(i), next(random() % i));
    const std::uint64_t loads = std::min(lines, kMostLoads);
    std::uint64_t best_ns = std::numeric_limits<std::uint64_t>::max(), line = 0;
    for (int i = 0; i < kPasses; ++i) {
      const std::uint64_t start = platform::now_ns();
      for (std::uint64_t k = 0; k < loads; ++k) line = next(line);
      best_ns = std::min(best_ns, platform::now_ns() - start);
    }
    sink_ = double(line);
    return double(best_ns) / double(loads);
  }

  std::vector<std::vector<int>> threads_;
  platform::Pages buffer_;
  std::size_t slice_ = 0;  // doubles per thread
  std::atomic<double> sink_{0};
};

// Four times all last-level caches, but no more than half of what the node has free.
base::Result<Bytes> buffer_size(const Machine& machine, const MemoryNode& node) {
  const std::uint64_t caches = machine.all_last_level_caches().count;
  const std::uint64_t wanted = std::max(4 * caches, kLeastBuffer);
  const std::uint64_t free = platform::free_memory(node.os_index).count;
  const std::uint64_t size = free > 0 ? std::min(wanted, free / 2) : wanted;
  if (size < 2 * caches || size < (4u << 20)) {
    return base::Status{base::Code::no_space,
                        fmt::format("{}: {} MB are free, which is too little to measure with {} MB of cache", node.name,
                                    free >> 20, caches >> 20)};
  }
  return Bytes{size};
}

// With one node there is no choice, and no need for system calls that containers may forbid.
std::optional<int> placement(const Machine& machine, const MemoryNode& node) {
  return machine.memory_nodes().size() > 1 ? std::optional(node.os_index) : std::nullopt;
}

base::Status check_place(const Probe& probe, const MemoryNode& node) {
  const base::Result<double> share =
      platform::share_on_node(probe.buffer().data(), probe.buffer().size(), node.os_index);
  if (!share) return share.status();
  if (*share >= platform::kOnNode) return base::Status::success();
  return {base::Code::no_space, fmt::format("{}: only {:.0f} % of the buffer is on NUMA node {}; is it full?",
                                            node.name, 100 * *share, node.os_index)};
}

base::Result<Cost> measure_pair(const Machine& machine, DomainId domain, const MemoryNode& node) {
  const base::Result<Bytes> size = buffer_size(machine, node);
  if (!size) return size.status();
  base::Result<platform::Pages> buffer = map_checked(*size, placement(machine, node), platform::PageSize::large);
  if (!buffer) return buffer.status();
  Probe probe(machine, domain, std::move(buffer).value());
  Cost cost;
  if (base::Status status = probe.touch(); !status) return status;
  if (placement(machine, node)) {
    if (base::Status status = check_place(probe, node); !status) return status;
  }
  if (base::Status status = probe.bandwidth(cost); !status) return status;
  if (base::Status status = probe.latency(cost); !status) return status;
  return cost;
}

}  // namespace

base::Result<Costs> measure(const Machine& machine, const std::function<void(const std::string&)>& progress) {
  if (!machine.is_this_system()) {
    return base::Status{base::Code::bad_option, "only this system can be measured, not a described machine"};
  }
  Costs costs(machine.memory_nodes().size(), std::vector<Cost>(machine.domains().size()));
  for (const MemoryNode& node : machine.memory_nodes()) {
    if (!node.allowed) continue;
    for (const Domain& domain : machine.domains()) {
      progress(fmt::format("measuring {} from {}", node.name, domain.name));
      const base::Result<Cost> cost = measure_pair(machine, domain.id, node);
      if (!cost) return cost.status();
      costs[std::size_t(node.id)][std::size_t(domain.id)] = *cost;
    }
  }
  return costs;
}

}  // namespace weir::machine
