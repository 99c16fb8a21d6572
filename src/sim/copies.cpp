// SPDX-License-Identifier: Apache-2.0

#include "sim/copies.hpp"

#include <algorithm>

namespace weir::sim {

using data::engine::index_of;
using data::engine::NodeId;

namespace {

constexpr double kGrain = 100'000;  // ns that a turn of emulated memory may be early or late, as memory::Throttle

}  // namespace

// A thread that has to wait for longer than a grain sleeps, and wakes late.
std::uint64_t CopyCost::end(std::uint64_t worked_until, std::uint64_t late_ns) const noexcept {
  if (!sleeps) return std::max(worked_until, until);
  return static_cast<double>(until) - static_cast<double>(worked_until) > kGrain ? until + late_ns : worked_until;
}

Copies::Copies(const Target& target) : target_(target), streams_(target.costs.nodes()) {
  const std::size_t tiers = target.hierarchy.tiers.size() + 1;
  moved_.assign(tiers, std::vector<std::uint64_t>(tiers));
}

std::size_t Copies::tier_of(NodeId node) const {
  return node == NodeId::none ? moved_.size() - 1 : index_of(target_.hierarchy.tier_of(node));
}

std::size_t Copies::memory_of(NodeId node) const {
  return node == NodeId::none ? static_cast<std::size_t>(target_.program_memory.front())
                              : target_.memory[index_of(node)];
}

bool Copies::is_emulated(NodeId node) const { return node != NodeId::none && target_.hierarchy.tier_at(node).slowed; }

CopyCost Copies::begin(std::uint64_t now, NodeId from, NodeId to, std::uint64_t bytes) {
  if (is_file(from) || is_file(to)) {
    file_free_at_ = std::max(file_free_at_, static_cast<double>(now)) +
                    static_cast<double>(bytes) / target_.file_bytes_per_second * 1e9;
    return {0, static_cast<std::uint64_t>(file_free_at_), false};
  }
  const std::size_t here = memory_of(from), there = memory_of(to);
  const machine::OtherStreams others{streams_[here], here == there ? 0 : streams_[there]};
  const double work_ns = target_.costs.copy_seconds(here, there, bytes, others) * 1e9;
  ++streams_[here];
  if (here != there) ++streams_[there];
  if (!is_emulated(from) && !is_emulated(to)) return {work_ns, 0, false};
  return {work_ns, reserve(now, bytes), true};
}

void Copies::end(NodeId from, NodeId to, std::uint64_t bytes) {
  moved_[tier_of(from)][tier_of(to)] += bytes;
  if (is_file(from) || is_file(to)) return;
  const std::size_t here = memory_of(from), there = memory_of(to);
  --streams_[here];
  if (here != there) --streams_[there];
}

std::uint64_t Copies::use_emulated(std::uint64_t now, std::uint64_t bytes) {
  return CopyCost{0, reserve(now, bytes), true}.end(now);
}

std::uint64_t Copies::reserve(std::uint64_t now, std::uint64_t bytes) {
  const double cost = static_cast<double>(bytes) / target_.emulated_bytes_per_second * 1e9;
  emulated_free_at_ = std::max(emulated_free_at_, static_cast<double>(now) - kGrain) + cost;
  return static_cast<std::uint64_t>(emulated_free_at_);
}

}  // namespace weir::sim
