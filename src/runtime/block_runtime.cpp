// SPDX-License-Identifier: Apache-2.0

#include "runtime/block_runtime.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "base/mutex.hpp"
#include "memory/file_store.hpp"
#include "runtime/program_memory.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

namespace {

TierReport memory_report(const memory::ArenaReport& from, const memory::Tier& tier) {
  TierReport report;
  report.tier = tier.name;
  report.node = from.arena;
  report.asked = tier.asked.count;
  report.budget = from.budget.count;
  report.used = from.used.count;
  report.peak = from.peak.count;
  report.obtained_share = from.obtained_share.value_or(-1);
  report.large_page_share = from.large_page_share;
  report.warnings = from.warnings;
  report.emulated = tier.copy_fraction > 0;
  return report;
}

TierReport file_report(const memory::Tier& tier) {
  TierReport report;
  report.tier = tier.name;
  report.node = tier.file->name();
  report.asked = tier.asked.count;
  report.budget = tier.budget.count;
  report.used = tier.file->used();
  report.peak = tier.file->peak();
  return report;
}

// By what it has had from its start: its home may be given a place meanwhile, for another task.
bool is_adopted(const data::Block& block) noexcept { return block.program != nullptr; }

}  // namespace

BlockRuntime::~BlockRuntime() {
  owned_.reset();  // what is under way lands first
  for (data::Block* const block : blocks_) {
    if (is_adopted(*block)) give_up_adopted(*block);
    block->owner = nullptr;
    block->named_by = 0;
    block->store = nullptr;
    block->home.kind = data::engine::Home::Kind::none;
    // Relaxed: no task is left, and whoever uses a block knows by its own order that the runtime has ended.
    block->address.store(nullptr, std::memory_order_relaxed);
  }
}

data::Store& BlockRuntime::store() {
  if (data::Store* const store = find_store()) return *store;
  const base::Lock lock(mutex_);
  if (owned_ == nullptr) {
    const int workers = scheduler_.worker_count();
    base::Result<std::unique_ptr<data::Store>> opened = data::Store::open(
        scheduler_.machine(), scheduler_.options(), workers, scheduler_.thread_limit(), *this, make_tiers_config());
    if (!opened) throw Error(opened.status().message);
    owned_ = std::move(*opened);
    if (recorder_ != nullptr) owned_->record_on(*recorder_);
    store_.store(owned_.get(), std::memory_order_release);  // STORE-2
  }
  return *owned_;
}

memory::TierSetConfig BlockRuntime::make_tiers_config() const {
  if (tiers_config != nullptr) return tiers_config();
  return source_.open ? source_.open() : memory::TierSetConfig{};
}

void BlockRuntime::enlist(data::Block& block) {
  if (is_adopted(block)) claim_adopted(block);
  try {
    add(block);
  } catch (...) {
    if (is_adopted(block)) give_up_adopted(block);
    throw;
  }
}

void BlockRuntime::add(data::Block& block) {
  const base::Lock lock(mutex_);
  blocks_.push_back(&block);
  block.owner = scheduler_.owner;
  block.owned_index = blocks_.size() - 1;
}

void BlockRuntime::strike_off(data::Block& block) noexcept {
  if (is_adopted(block)) give_up_adopted(block);
  const base::Lock lock(mutex_);
  blocks_.back()->owned_index = block.owned_index;
  blocks_[block.owned_index] = blocks_.back();
  blocks_.pop_back();
  block.owner = nullptr;
}

std::vector<data::Block*> BlockRuntime::live_blocks() {
  const base::Lock lock(mutex_);
  return blocks_;
}

void BlockRuntime::end_blocks() noexcept {
  std::vector<data::Block*> left;
  {
    const base::Lock lock(mutex_);
    left.swap(blocks_);
  }
  if (left.empty()) return;
  std::fprintf(
      stderr,
      "weir: a runtime ends before %zu of its blocks, %s among them: they are empty from now on, and adopted memory "
      "has its contents back; destroy blocks before their runtime\n",
      left.size(), fmt::format("{:?}", left.front()->name).c_str());
  for (data::Block* const block : left) {
    block->owner = nullptr;
    block->named_by = 0;  // its tasks have ended, and another runtime may be given the number
    if (is_adopted(*block)) give_up_adopted(*block);
    if (block->store == nullptr) continue;
    if (const base::Status status = block->store->empty(*block); !status)
      std::fprintf(stderr, "weir: %s\n", status.message.c_str());
  }
}

TierStatistics BlockRuntime::statistics() {
  TierStatistics result;
  data::Store* const store = find_store();
  if (store == nullptr) return result;
  data::StoreStatistics from = store->statistics();
  result.bytes_fetched = from.counters.bytes_fetched;
  result.bytes_written_back = from.counters.bytes_written_back;
  result.hits = from.counters.hits;
  result.misses = from.counters.misses;
  result.prefetches = from.counters.prefetches;
  result.evictions = from.counters.evictions;
  result.in_place_runs = from.counters.in_place_runs;
  result.failures = from.counters.failures;
  result.wait_seconds = from.wait_seconds;
  result.warnings = std::move(from.warnings);
  const std::vector<memory::ArenaReport> arenas = store->tier_report();
  std::size_t next = 0;
  for (const memory::Tier& tier : store->tiers().tiers()) {
    for (std::size_t i = 0; i < tier.arenas.size(); ++i) result.tiers.push_back(memory_report(arenas[next++], tier));
    if (tier.file != nullptr) result.tiers.push_back(file_report(tier));
  }
  return result;
}

}  // namespace weir::runtime
