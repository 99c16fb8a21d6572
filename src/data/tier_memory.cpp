// SPDX-License-Identifier: Apache-2.0

#include "data/tier_memory.hpp"

#include <utility>

namespace weir::data {

namespace {

using engine::NodeId;
using engine::TierIndex;

class ArenaMemory final : public engine::NodeMemory {
 public:
  explicit ArenaMemory(Arena& arena) noexcept : arena_(arena) {}

  std::optional<std::uint64_t> take(std::size_t charge, const std::string&) noexcept override {
    const std::uint64_t offset = arena_.allocate(charge);
    return offset != Arena::kNowhere ? std::optional(offset) : std::nullopt;
  }
  void give_back(std::uint64_t offset, std::size_t charge) noexcept override { arena_.free(offset, charge); }
  void trim() noexcept override { arena_.trim(); }
  std::size_t budget() const noexcept override { return arena_.budget(); }
  std::size_t used() const noexcept override { return arena_.used(); }
  std::size_t largest_free() const noexcept override { return arena_.largest_free(); }
  base::Status refusal() const override { return arena_.failure(); }

 private:
  Arena& arena_;
};

class FileMemory final : public engine::NodeMemory {
 public:
  explicit FileMemory(FileStore& file) noexcept : file_(file) {}

  std::optional<std::uint64_t> take(std::size_t charge, const std::string& name) noexcept override {
    const base::Result<memory::Range> range = file_.reserve(charge, name);
    refusal_ = range.status();
    return range ? std::optional(range->offset) : std::nullopt;
  }
  void give_back(std::uint64_t offset, std::size_t charge) noexcept override {
    file_.free({offset, memory::RangeAllocator::rounded(charge, FileStore::kGranule)});
  }
  void trim() noexcept override {}
  std::size_t budget() const noexcept override { return file_.capacity(); }
  std::size_t used() const noexcept override { return file_.used(); }
  std::size_t largest_free() const noexcept override { return budget() - used(); }
  base::Status refusal() const override { return refusal_; }

 private:
  FileStore& file_;
  base::Status refusal_;
};

bool is_ordinary(TierKind kind) noexcept { return kind == TierKind::ddr || kind == TierKind::memory; }

}  // namespace

void TierMemory::add_node(TierIndex tier, std::string name, std::unique_ptr<engine::NodeMemory> memory,
                          memory::Backing& backing, FileStore* file) {
  hierarchy_.tiers[engine::index_of(tier)].nodes.push_back(static_cast<NodeId>(hierarchy_.nodes.size()));
  hierarchy_.nodes.push_back({std::move(name), tier});
  memories_.push_back(std::move(memory));
  backings_.push_back(&backing);
  files_.push_back(file);
}

// Nodes of files come after all others, whose numbers are those of their arenas.
TierMemory::TierMemory(TierSet& tiers) {
  for (const Tier& tier : tiers.tiers()) {
    hierarchy_.tiers.push_back({tier.name,
                                is_ordinary(tier.kind),
                                tier.kind == TierKind::hbm,
                                tier.addressable,
                                tier.copy_fraction > 0,
                                tier.budget.count,
                                {}});
  }
  for (const Tier& tier : tiers.tiers())
    for (Arena* const arena : tier.arenas)
      add_node(static_cast<TierIndex>(tier.index), arena->name(), std::make_unique<ArenaMemory>(*arena),
               arena->backing(), nullptr);
  for (const Tier& tier : tiers.tiers()) {
    if (tier.file == nullptr) continue;
    add_node(static_cast<TierIndex>(tier.index), tier.file->name(), std::make_unique<FileMemory>(*tier.file),
             *tier.file, tier.file);
  }
  hierarchy_.seen = tiers.seen();
}

std::vector<engine::NodeMemory*> TierMemory::memories() const {
  std::vector<engine::NodeMemory*> all;
  for (const auto& memory : memories_) all.push_back(memory.get());
  return all;
}

}  // namespace weir::data
