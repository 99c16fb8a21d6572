// SPDX-License-Identifier: Apache-2.0

#include "deps/block_table.hpp"

#include <algorithm>
#include <new>

namespace weir::deps {

BlockTable::BlockTable(const Partition& partition, Arena& arena) : id_(partition.id), grid_(partition), arena_(arena) {
  chunks_.reset(static_cast<Record**>(std::calloc(chunk_count(), sizeof(void*))));
  if (chunks_ == nullptr) throw std::bad_alloc();
}

void BlockTable::collect(const BlockGrid::Rectangle& rectangle, std::vector<Record*>& records) {
  grid_.for_each_block(grid_.blocks(rectangle), [&](std::uint64_t index) { records.push_back(&block(index)); });
}

void BlockTable::collect(ByteRange range, std::vector<Record*>& records) {
  grid_.for_each_rectangle(range, [&](const BlockGrid::Rectangle& r) { collect(r, records); });
  collect_inherited(range, records);
}

void BlockTable::collect_with_peers(const BlockGrid::Rectangle& rectangle, std::vector<Record*>& records) {
  collect(rectangle, records);
  grid_.for_each_run(rectangle, [&](ByteRange run) {
    collect_inherited(run, records);
    for (BlockTable* const peer : peers_) peer->collect(run, records);
  });
}

void BlockTable::collect_inherited(ByteRange range, std::vector<Record*>& records) {
  auto at = std::partition_point(inherited_.begin(), inherited_.end(),
                                 [&](const Inherited& i) { return i.range.end <= range.start; });
  for (; at != inherited_.end() && at->range.start < range.end; ++at) records.push_back(&at->record);
}

void BlockTable::inherit(Inherited history) {
  inherited_.push_back(history);
  update_plain();
}

void BlockTable::add_peer(BlockTable* peer) {
  peers_.push_back(peer);
  update_plain();
}

void BlockTable::remove_peer(BlockTable* peer) noexcept {
  std::erase(peers_, peer);
  update_plain();
}

void BlockTable::release() noexcept {
  for (std::uint64_t c = 0; c < chunk_count(); ++c)
    if (chunks_[c] != nullptr) arena_.recycle(chunks_[c], chunk_records() * sizeof(Record));
  chunks_.reset();
}

Record* BlockTable::make_chunk(std::uint64_t index) {
  auto* const chunk = static_cast<Record*>(arena_.allocate(chunk_records() * sizeof(Record)));
  std::uninitialized_value_construct_n(chunk, chunk_records());
  return chunks_[index] = chunk;
}

}  // namespace weir::deps
