// SPDX-License-Identifier: Apache-2.0

#include "runtime/shared_data.hpp"

#include "data/block.hpp"

namespace weir::runtime {

namespace {

std::uint64_t number(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }

void add_place(const Access& item, explain::Data& data) {
  data.address = number(item.region.base);
  data.row_bytes = item.region.row_bytes;
  data.rows = item.region.rows;
  if (item.partition == nullptr) return;
  const Region& whole = item.partition->whole;
  const std::uint64_t stride = whole.rows > 1 ? whole.stride_bytes : whole.row_bytes;
  data.array = number(whole.base);
  data.array_row = (data.address - data.array) / stride;
  data.array_byte = (data.address - data.array) % stride;
}

}  // namespace

void describe(const sched::Task& task, detail::KeptFootprint& kept) {
  auto& asked = const_cast<sched::Task&>(task);  // it is only read
  kept.known = false;
  kept.count = 0;
  kept.closure = asked.closure();
  asked.invoke.seen()(&kept, &asked, detail::Invoke::describe);
}

SharedData find_shared(const detail::KeptFootprint& earlier, const detail::KeptFootprint& later, deps::Between what) {
  SharedData result;
  result.sure = false;
  if (!earlier.known || !later.known) return result;
  const deps::Conflict conflict = deps::find_conflict({earlier.items, earlier.count}, {later.items, later.count}, what);
  constexpr std::size_t kMost = detail::KeptFootprint::kMost;
  result.found = conflict.found;
  result.sure = conflict.sure && earlier.count < kMost && later.count < kMost;
  if (!conflict.found) return result;
  const Access& item = later.items[conflict.later];
  explain::Data& data = result.data;
  data.mode = deps::name_of(item.mode);
  data.mode_of_other = deps::name_of(earlier.items[conflict.earlier].mode);
  data.item = static_cast<int>(conflict.later) + 1;
  data.item_of_other = static_cast<int>(conflict.earlier) + 1;
  data.more = static_cast<int>(conflict.more);
  data.only_a_block = conflict.only_a_block;
  data.is_block = item.is_block();
  if (data.is_block) {
    const data::Block& block = data::block_of(*detail::block_of(item));
    data.block = block.name;
    data.row_bytes = block.bytes;
  } else {
    add_place(item, data);
  }
  return result;
}

}  // namespace weir::runtime
