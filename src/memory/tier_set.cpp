// SPDX-License-Identifier: Apache-2.0

#include "memory/tier_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "memory/policy/place.hpp"
#include "memory/tier_plan.hpp"

namespace weir::memory {

using base::Status;
using machine::Machine;
using machine::MemoryKind;
using machine::MemoryNode;

class TierSet::Impl {
 public:
  Impl(const Machine& machine, TierSetConfig config) : machine_(machine), config_(std::move(config)) {}

  Status open(TierPlan plan);

 private:
  friend class TierSet;

  Status open_memory(const PlannedTier& planned, bool prefer);
  base::Result<std::unique_ptr<Arena>> make_arena(const MemoryNode& node, const PlannedTier& planned, Bytes budget,
                                                  bool prefer);
  base::Result<std::unique_ptr<Arena>> open_arena(const ArenaConfig& config) const;
  Status open_file(const PlannedTier& planned, bool prefer);
  Status open_engine();
  base::Result<std::unique_ptr<FileStore>> store_for(const TierRequest& request, bool prefer);
  Tier& add_tier(const TierRequest& request);
  void look_from_every_domain();

  const Machine machine_;
  TierSetConfig config_;
  std::unique_ptr<platform::AsyncIo> engine_;      // outlives the files, and what it has registered of the arenas
  std::vector<std::unique_ptr<FileStore>> files_;  // one at most
  std::vector<std::unique_ptr<Arena>> owned_;
  std::vector<Arena*> arenas_;  // by Arena::index()
  std::vector<Tier> tiers_;
  std::vector<std::size_t> tier_of_;                   // by Arena::index()
  std::vector<std::vector<policy::ArenaState>> seen_;  // [domain][arena]; free_bytes is filled in when used
  std::uint64_t fallbacks_ = 0;
  std::vector<std::string> warnings_;
};

Status TierSet::Impl::open(TierPlan plan) {
  warnings_ = std::move(plan.warnings);
  for (const PlannedTier& planned : plan.tiers) {
    const bool is_file = planned.request.kind == TierKind::file;
    Status status = is_file ? open_file(planned, plan.prefer) : open_memory(planned, plan.prefer);
    if (!status) return status;
  }
  look_from_every_domain();
  if (engine_ == nullptr) return Status::success();
  for (Arena* arena : arenas_) {
    arena->on_growth([this](std::span<std::byte> fresh) { engine_->register_memory(fresh); });
  }
  return Status::success();
}

Tier& TierSet::Impl::add_tier(const TierRequest& request) {
  Tier tier;
  tier.name = to_string(request.kind);
  tier.kind = request.kind;
  tier.index = static_cast<int>(tiers_.size());
  tier.asked = request.size.value_or(Bytes{});
  tier.addressable = request.kind != TierKind::file;
  tier.copy_fraction = request.copy_fraction;
  tiers_.push_back(std::move(tier));
  return tiers_.back();
}

Status TierSet::Impl::open_memory(const PlannedTier& planned, bool prefer) {
  Tier& tier = add_tier(planned.request);
  for (const auto& [id, budget] : planned.nodes) {
    auto arena = make_arena(machine_.memory_node(id), planned, budget, prefer);
    if (!arena) return arena.status();
    tier.nodes.push_back(id);
    tier.arenas.push_back(arena->get());
    tier.budget.count += (*arena)->budget();
    tier_of_.push_back(static_cast<std::size_t>(tier.index));
    arenas_.push_back(arena->get());
    owned_.push_back(std::move(*arena));
  }
  return Status::success();
}

// Where there is one memory node only, nothing is bound: some containers forbid it, and there is nothing to choose.
base::Result<std::unique_ptr<Arena>> TierSet::Impl::make_arena(const MemoryNode& node, const PlannedTier& planned,
                                                               Bytes budget, bool prefer) {
  const bool is_emulated = planned.request.kind == TierKind::emulated;
  ArenaConfig config;
  config.name = is_emulated ? fmt::format("emulated ({})", node.name) : node.name;
  config.budget = budget;
  config.index = static_cast<int>(owned_.size());
  config.prefer = prefer;
  config.copy_fraction = planned.request.copy_fraction;
  config.memory = config_.state;
  if (machine_.is_this_system() && machine_.memory_nodes().size() > 1) config.os_nodes = {node.os_index};
  auto arena = open_arena(config);
  if (arena || !prefer || arena.status().code != base::Code::unsupported) return arena;
  warnings_.push_back(arena.status().message + "; its memory comes from where the kernel likes");
  config.os_nodes.clear();
  return open_arena(config);
}

base::Result<std::unique_ptr<Arena>> TierSet::Impl::open_arena(const ArenaConfig& config) const {
  if (!config_.make_backing) return Arena::make(config);
  auto backing = config_.make_backing(config);
  if (!backing) return backing.status();
  return Arena::make(config, std::move(*backing));
}

Status TierSet::Impl::open_file(const PlannedTier& planned, bool prefer) {
  if (Status status = open_engine(); !status) return status;
  auto file = store_for(planned.request, prefer);
  if (!file) {
    if (!prefer) return file.status();
    warnings_.push_back(file.status().message + "; there is no file tier");
    return Status::success();
  }
  Tier& tier = add_tier(planned.request);
  tier.file = file->get();
  tier.budget = {tier.file->capacity()};
  files_.push_back(std::move(*file));
  return Status::success();
}

Status TierSet::Impl::open_engine() {
  if (config_.engine != nullptr) {
    engine_ = std::move(config_.engine);
    return Status::success();
  }
  auto engine = platform::open_async_io(config_.io);
  if (!engine) return engine.status();
  engine_ = std::move(*engine);
  return Status::success();
}

// With `prefer`, a size that the disk does not have becomes what it has.
base::Result<std::unique_ptr<FileStore>> TierSet::Impl::store_for(const TierRequest& request, bool prefer) {
  const FileStore::Config wanted{request.path, request.size.value_or(Bytes{})};
  auto file = FileStore::open(wanted, *engine_);
  if (file || !prefer || file.status().code != base::Code::no_space || !request.size) return file;
  const std::string shortage = file.status().message;
  auto smaller = FileStore::open({request.path, {}}, *engine_);
  if (smaller) {
    warnings_.push_back(fmt::format("{}; it takes {}", shortage, size_text({(*smaller)->capacity()})));
  }
  return smaller;
}

void TierSet::Impl::look_from_every_domain() {
  for (const machine::Domain& domain : machine_.domains()) {
    std::vector<policy::ArenaState>& seen = seen_.emplace_back();
    for (const Tier& tier : tiers_) {
      for (const MemoryNodeId node : tier.nodes)
        seen.push_back(seen_from(machine_, domain.id, tier.index, tier.kind, node));
    }
  }
}

base::Result<std::unique_ptr<TierSet>> TierSet::open(const Machine& machine, const TierSpec& spec,
                                                     TierSetConfig config) {
  if (!config.state) config.state = MemoryState::of_this_system();
  auto plan = plan_tiers(machine, spec, config.state->shared_by(config.processes));
  if (!plan) return plan.status();
  auto impl = std::make_unique<Impl>(machine, std::move(config));
  if (Status status = impl->open(std::move(*plan)); !status) return status;
  return std::unique_ptr<TierSet>(new TierSet(std::move(impl)));
}

TierSet::TierSet(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
TierSet::~TierSet() = default;

std::span<const Tier> TierSet::tiers() const noexcept { return impl_->tiers_; }
std::span<Arena* const> TierSet::arenas() const noexcept { return impl_->arenas_; }
platform::AsyncIo* TierSet::io() const noexcept { return impl_->engine_.get(); }
std::uint64_t TierSet::fallbacks() const noexcept { return impl_->fallbacks_; }
std::span<const std::string> TierSet::warnings() const noexcept { return impl_->warnings_; }

const Tier& TierSet::tier_of(const Arena& arena) const noexcept {
  return impl_->tiers_[impl_->tier_of_[static_cast<std::size_t>(arena.index())]];
}

Arena* TierSet::arena_for(Allocation mode, DomainId domain, Bytes) noexcept {
  WEIR_ASSERT(static_cast<std::size_t>(domain) < impl_->seen_.size(), "no such domain");
  auto& seen = impl_->seen_[static_cast<std::size_t>(domain)];
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Arena& arena = *impl_->arenas_[i];
    seen[i].free_bytes = arena.budget() - arena.used();
  }
  const policy::Placement placement = policy::place(mode, seen);
  if (placement.fell_back) ++impl_->fallbacks_;
  return placement.arena < 0 ? nullptr : impl_->arenas_[static_cast<std::size_t>(placement.arena)];
}

const std::vector<std::vector<policy::ArenaState>>& TierSet::seen() const noexcept { return impl_->seen_; }

std::vector<ArenaReport> TierSet::report() const {
  std::vector<ArenaReport> reports;
  for (const Arena* arena : impl_->arenas_) {
    reports.push_back({.tier = tier_of(*arena).name,
                       .arena = arena->name(),
                       .os_node = arena->os_nodes().empty() ? -1 : arena->os_nodes().front(),
                       .budget = {arena->budget()},
                       .used = {arena->used()},
                       .peak = {arena->peak()},
                       .populated = {arena->populated()},
                       .obtained_share = arena->obtained_share(),
                       .large_page_share = arena->large_page_share(),
                       .warnings = arena->warnings()});
  }
  return reports;
}

}  // namespace weir::memory
