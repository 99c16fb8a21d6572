// SPDX-License-Identifier: Apache-2.0

#include "deps/table_directory.hpp"

#include <algorithm>
#include <bit>

namespace weir::deps {

TableDirectory::TableDirectory() : by_id_(1) {}

BlockTable& TableDirectory::add(std::unique_ptr<BlockTable> table) {
  const auto at = std::upper_bound(tables_.begin(), tables_.end(), table->grid().start(),
                                   [](std::uintptr_t start, const auto& t) { return start < t->grid().start(); });
  const auto index = static_cast<std::size_t>(at - tables_.begin());
  BlockTable& added = *table;
  ends_.resize(tables_.size() + 1);
  tables_.insert(at, std::move(table));
  index_ends(index);
  index_ids();
  return added;
}

void TableDirectory::remove(BlockTable* table) noexcept {
  for (const auto& other : tables_) other->remove_peer(table);
  const auto at = std::find_if(tables_.begin(), tables_.end(), [&](const auto& t) { return t.get() == table; });
  const auto index = static_cast<std::size_t>(at - tables_.begin());
  table->release();
  tables_.erase(at);
  ends_.pop_back();
  index_ends(index);
  index_ids();
}

void TableDirectory::clear() noexcept {
  tables_.clear();
  ends_.clear();
  std::fill(by_id_.begin(), by_id_.end(), nullptr);
}

void TableDirectory::overlapping(ByteRange range, std::vector<BlockTable*>& tables) const {
  const auto behind = std::lower_bound(tables_.begin(), tables_.end(), range.end,
                                       [](const auto& t, std::uintptr_t end) { return t->grid().start() < end; });
  for (auto i = static_cast<std::size_t>(behind - tables_.begin()); i > 0 && ends_[i - 1] > range.start; --i)
    if (tables_[i - 1]->grid().end() > range.start) tables.push_back(tables_[i - 1].get());
}

void TableDirectory::unwatched(ByteRange range, std::vector<ByteRange>& rest) const {
  std::vector<BlockTable*> tables;
  overlapping(range, tables);
  std::vector<ByteRange> pieces{range};
  for (const BlockTable* table : tables) {
    std::vector<ByteRange> smaller;
    for (const ByteRange piece : pieces) table->grid().subtract_from(piece, smaller);
    pieces = std::move(smaller);
  }
  rest.insert(rest.end(), pieces.begin(), pieces.end());
}

void TableDirectory::all(std::vector<BlockTable*>& tables) const {
  for (const auto& table : tables_) tables.push_back(table.get());
}

void TableDirectory::index_ids() {
  const std::size_t capacity = std::max(by_id_.size(), std::bit_ceil(2 * tables_.size() + 1));
  by_id_.assign(capacity, nullptr);
  mask_ = capacity - 1;
  for (const auto& table : tables_) {
    std::size_t i = table->id() & mask_;
    while (by_id_[i] != nullptr) i = (i + 1) & mask_;
    by_id_[i] = table.get();
  }
}

void TableDirectory::index_ends(std::size_t from) noexcept {
  for (std::size_t i = from; i < tables_.size(); ++i) {
    const std::uintptr_t end = tables_[i]->grid().end();
    ends_[i] = i == 0 ? end : std::max(end, ends_[i - 1]);
  }
}

}  // namespace weir::deps
