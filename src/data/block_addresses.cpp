// SPDX-License-Identifier: Apache-2.0

#include "data/block_addresses.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace weir::data {

namespace {

// Of the file that the block's home is in.
memory::Range range_of(const Block& block) noexcept {
  return {block.home.place.offset, memory::RangeAllocator::rounded(block.charge, FileStore::kGranule)};
}

}  // namespace

// One place only: every task that uses the block finds it there. Relaxed: docs/protocols/blocks.md#addresses.
void BlockAddresses::publish(Block& block) const noexcept {
  if (block.mapped != nullptr && block.home_uses == 0)
    FileStore::unmap(std::exchange(block.mapped, nullptr), range_of(block));
  const std::optional<engine::Place> place = engine::Replicas::only_place(block);
  void* address = nullptr;
  if (place) address = block.is_used_at_home() ? at_home(block) : memory_.address(*place);
  block.address.store(address, std::memory_order_relaxed);
}

void* BlockAddresses::at_home(const Block& block) const noexcept {
  switch (block.home.kind) {
    case engine::Home::Kind::memory: return memory_.address(block.home.place);
    case engine::Home::Kind::file: return block.mapped;
    case engine::Home::Kind::program: return block.program;
    case engine::Home::Kind::none: break;
  }
  return nullptr;
}

base::Status BlockAddresses::map_at_home(Block& block) const {
  if (block.mapped != nullptr) return base::Status::success();
  FileStore* const file = memory_.file_of(block.home.place.node);
  if (file == nullptr)
    return {base::Code::no_space, fmt::format("block {:?} is in memory that tasks cannot use, and there is no room for "
                                              "it elsewhere; give the faster tiers more with --tiers or WEIR_TIERS",
                                              block.name)};
  base::Result<std::byte*> mapped = file->map(range_of(block), block.name);
  if (!mapped) return mapped.status();
  block.mapped = *mapped;
  publish(block);
  return base::Status::success();
}

base::Status BlockAddresses::touch_at_home(const Block& block) const {
  return memory_.file_of(block.home.place.node)->touch(block.mapped, range_of(block), block.name);
}

}  // namespace weir::data
