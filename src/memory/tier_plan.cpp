// SPDX-License-Identifier: Apache-2.0

#include "memory/tier_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/joined.hpp"

namespace weir::memory {
namespace {

using base::Code;
using base::Status;
using machine::Machine;
using machine::MemoryKind;
using machine::MemoryNode;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastTier = 2 * kMiB;  // of a tier without a size in the spec

constexpr std::uint64_t whole_pages(std::uint64_t bytes) { return bytes / kPage * kPage; }
constexpr std::uint64_t less(std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); }

constexpr std::uint64_t reserve(std::uint64_t free, bool ordinary) {
  const std::uint64_t part = free / 20;
  return ordinary ? std::min(std::max(part, 256 * kMiB), free / 4) : part;
}

bool is_ordinary(const MemoryNode& node) { return node.kind == MemoryKind::ddr; }

bool is_of(const MemoryNode& node, TierKind kind) {
  switch (kind) {
    case TierKind::hbm: return node.kind == MemoryKind::hbm;
    case TierKind::ddr:
    case TierKind::memory:
    case TierKind::emulated: return is_ordinary(node);
    case TierKind::cxl: return node.kind == MemoryKind::cxl;
    case TierKind::nvm: return node.kind == MemoryKind::nvm;
    case TierKind::device: return node.kind == MemoryKind::device;
    case TierKind::file: return false;
  }
  return false;
}

// Deals `bytes` out evenly to nodes that have so much left; the sum is `bytes`, which they have together. All but the
// last share are whole pages.
std::vector<std::uint64_t> deal(std::uint64_t bytes, const std::vector<std::uint64_t>& left) {
  std::vector<std::size_t> order(left.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return left[a] < left[b]; });
  std::vector<std::uint64_t> shares(left.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint64_t even = bytes / (order.size() - k);
    const bool is_last = k + 1 == order.size();
    shares[order[k]] = std::min(is_last ? bytes : whole_pages(even), left[order[k]]);
    bytes -= shares[order[k]];
  }
  return shares;
}

class Planner {
 public:
  Planner(const Machine& machine, const TierSpec& spec, const MemoryState& state)
      : machine_(machine), limit_(state.mappable()), total_left_(limit_.bytes) {
    plan_.prefer = spec.prefer || spec.tiers.empty();
    for (const MemoryNode& node : machine.memory_nodes()) left_.push_back(free_of(node, state));
    for (const TierRequest& request : spec.tiers.empty() ? machines_own() : spec.tiers)
      plan_.tiers.push_back({request, {}});
    says_nothing_ = spec.tiers.empty();
  }

  base::Result<TierPlan> plan() {
    for (PlannedTier& tier : plan_.tiers) {
      if (tier.request.size && tier.request.kind != TierKind::file) give_said(tier);
    }
    keep_back_reserve();
    for (PlannedTier& tier : plan_.tiers) {
      if (!tier.request.size && tier.request.kind != TierKind::file) give_free(tier);
    }
    if (!failure_) return failure_;
    std::erase_if(plan_.tiers,
                  [](const PlannedTier& t) { return t.nodes.empty() && t.request.kind != TierKind::file; });
    if (Status status = check_first(); !status) return status;
    return std::move(plan_);
  }

 private:
  std::uint64_t free_of(const MemoryNode& node, const MemoryState& state) const {
    if (!node.allowed) return 0;
    const Bytes free = machine_.is_this_system() ? state.free_or_cached(node.os_index) : Bytes{};
    return free.count > 0 ? std::min(free.count, node.capacity.count) : node.capacity.count;
  }

  std::vector<TierRequest> machines_own() const {
    std::vector<TierRequest> found;
    for (const TierKind kind : {TierKind::hbm, TierKind::ddr, TierKind::cxl, TierKind::nvm}) {
      TierRequest request;
      request.kind = kind;
      if (!nodes_of(kind).empty()) found.push_back(request);
    }
    return found;
  }

  std::vector<MemoryNodeId> nodes_of(TierKind kind) const { return memory::nodes_of(machine_, kind); }

  std::uint64_t& left(MemoryNodeId node) { return left_[static_cast<std::size_t>(node)]; }

  void give_said(PlannedTier& tier) {
    const auto nodes = nodes_of(tier.request.kind);
    if (nodes.empty()) return lacks_kind(tier);
    std::uint64_t on_nodes = 0;
    for (const MemoryNodeId node : nodes) on_nodes += left(node);
    const std::uint64_t asked = tier.request.size->count;
    const std::uint64_t most = std::min(on_nodes, total_left_);
    if (asked > most) lacks_bytes(tier, most, on_nodes <= total_left_);
    give(tier, nodes, std::min(asked, most));
  }

  // From here on sizes are what is free.
  void keep_back_reserve() {
    const bool programs_too = limit_.limited_by == "ulimit -v" || limit_.limited_by == "ulimit -d";
    total_left_ = less(total_left_, programs_too ? total_left_ / 2 : reserve(total_left_, true));
    for (const MemoryNode& node : machine_.memory_nodes()) {
      const std::size_t i = static_cast<std::size_t>(node.id);
      left_[i] = less(left_[i], reserve(left_[i], is_ordinary(node)));
    }
  }

  void give_free(PlannedTier& tier) {
    const auto nodes = nodes_of(tier.request.kind);
    if (nodes.empty()) return lacks_kind(tier);
    std::uint64_t on_nodes = 0;
    for (const MemoryNodeId node : nodes) on_nodes += left(node);
    const std::uint64_t most = std::min(on_nodes, total_left_);
    const bool is_last_hope = says_nothing_ && &tier == &plan_.tiers.back() && nothing_given();
    if (most >= kLeastTier || (is_last_hope && most >= kPage)) return give(tier, nodes, most);
    if (!says_nothing_ || is_last_hope) lacks_bytes(tier, most, on_nodes <= total_left_);
  }

  bool nothing_given() const {
    return std::all_of(plan_.tiers.begin(), plan_.tiers.end(), [](const PlannedTier& t) { return t.nodes.empty(); });
  }

  void give(PlannedTier& tier, const std::vector<MemoryNodeId>& nodes, std::uint64_t bytes) {
    std::vector<std::uint64_t> lefts;
    lefts.reserve(nodes.size());
    for (const MemoryNodeId node : nodes) lefts.push_back(left(node));
    const auto shares = deal(bytes, lefts);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::uint64_t share = whole_pages(shares[i]);
      if (share == 0) continue;
      tier.nodes.push_back({nodes[i], {share}});
      left(nodes[i]) -= share;
      total_left_ -= share;
    }
  }

  void lacks_kind(PlannedTier& tier) {
    std::vector<std::string> there;
    for (const MemoryNode& node : machine_.memory_nodes()) {
      const std::string kind = to_string(node.kind);
      if (node.allowed && std::find(there.begin(), there.end(), kind) == there.end()) there.push_back(kind);
    }
    lacks(Code::not_found,
          fmt::format("tier {}: this machine has no such memory that this process may use; it has {}",
                      to_string(tier.request.kind), base::joined(there, ", ")),
          "leave it out, or say prefer to go on without it");
  }

  void lacks_bytes(const PlannedTier& tier, std::uint64_t available, bool nodes_limit) {
    const std::string asked = tier.request.size ? size_text(*tier.request.size) : "what is free";
    const std::string by = nodes_limit ? "free on its memory nodes" : "left by " + limit_.limited_by;
    lacks(Code::no_space,
          fmt::format("tier {}: asked for {}, available are {} ({})", to_string(tier.request.kind), asked,
                      size_text({available}), by),
          "ask for less, or say prefer to take what there is");
  }

  void lacks(Code code, const std::string& what, const std::string& remedy) {
    if (plan_.prefer) {
      plan_.warnings.push_back(what);
    } else if (failure_) {
      failure_ = {code, what + "; " + remedy};
    }
  }

  Status check_first() const {
    if (plan_.tiers.empty()) {
      return {Code::no_space, fmt::format("tiers: none is left{}{}; ask for memory that there is, as in memory=512MiB",
                                          plan_.warnings.empty() ? "" : ": ", base::joined(plan_.warnings, "; "))};
    }
    if (plan_.tiers.front().request.kind != TierKind::file) return Status::success();
    return {Code::bad_option,
            fmt::format("tiers: tasks cannot work in a file; put memory before it, as in memory=512MiB,file={}",
                        plan_.tiers.front().request.path)};
  }

  const Machine& machine_;
  platform::MemoryLimit limit_;
  std::uint64_t total_left_;
  std::vector<std::uint64_t> left_;  // by MemoryNodeId
  bool says_nothing_ = false;
  TierPlan plan_;
  Status failure_;  // the first
};

}  // namespace

std::vector<MemoryNodeId> nodes_of(const Machine& machine, TierKind kind) {
  std::vector<MemoryNodeId> found;
  for (const MemoryNode& node : machine.memory_nodes()) {
    if (node.allowed && is_of(node, kind)) found.push_back(node.id);
  }
  return found;
}

base::Result<TierPlan> plan_tiers(const Machine& machine, const TierSpec& spec, const MemoryState& state) {
  return Planner(machine, spec, state).plan();
}

policy::ArenaState seen_from(const Machine& machine, DomainId domain, int tier, TierKind kind, MemoryNodeId node) {
  const MemoryNode& memory = machine.memory_node(node);
  const auto& local = memory.local_domains;
  const auto& ranked = machine.tiers(domain);
  policy::ArenaState state;
  state.tier = tier;
  state.ordinary = memory.kind == MemoryKind::ddr && kind != TierKind::emulated;
  state.adjacent = std::find(local.begin(), local.end(), domain) != local.end();
  state.rank = static_cast<int>(std::find(ranked.begin(), ranked.end(), node) - ranked.begin());
  return state;
}

}  // namespace weir::memory
