// SPDX-License-Identifier: Apache-2.0

// Hooks of blocks: each on pages of its own.
#include <sys/mman.h>

#include <cstring>

#include "checker/faults/closing_gate.hpp"
#include "checker/hooks/tables.hpp"
#include "checker/hooks/turn.hpp"

namespace weir::checker {

void* Checker::allocate_block(std::size_t bytes, const char* name, bool strict) {
  const Pause pause;
  if (ThreadState& thread = this_thread(); strict && thread.run == nullptr) {  // what it does with it is closed to it
    hold_system_calls(thread);
    thread.helps = true;
  }
  const std::size_t whole = (bytes + kPageBytes - 1) & ~(kPageBytes - 1);
  // A page behind it that nobody has, for what runs over the end.
  void* const memory =
      mmap(nullptr, whole + kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto base = reinterpret_cast<std::uintptr_t>(memory);
  WatchedRegion region;
  region.kind = RegionKind::block;
  region.strict = strict;
  region.extent = {base, bytes};
  std::strncpy(region.name, name != nullptr ? name : "", sizeof region.name - 1);
  const ClosingGate gate(this_thread());
  state->watch.know_mapping(base, base + whole + kPageBytes, PROT_READ | PROT_WRITE);
  tables->blocks[memory] = {state->watch.add(region), whole + kPageBytes};
  region.kind = RegionKind::beyond_block;
  region.extent = {base + bytes, whole + kPageBytes - bytes};
  region.before = bytes;
  state->watch.add(region);
  if (this_thread().run == nullptr) state->watch.open(false);
  return memory;
}

void Checker::hand_out_block(const void* block) {
  const Pause pause;
  const ClosingGate gate(this_thread());
  const auto found = tables->blocks.find(block);
  if (found != tables->blocks.end())
    state->watch.open_outside(reinterpret_cast<std::uintptr_t>(block), found->second.bytes - kPageBytes);
}

// Its addresses are never used again.
void Checker::free_block(void* block, bool is_copy) {
  const Pause pause;
  const ClosingGate gate(this_thread());
  const auto found = tables->blocks.find(block);
  if (found == tables->blocks.end()) return;
  state->watch.turn_into(found->second.region, is_copy ? RegionKind::dead_copy : RegionKind::dead_block);
  state->watch.close_for_good(reinterpret_cast<std::uintptr_t>(block), found->second.bytes);
  tables->blocks.erase(found);
}

}  // namespace weir::checker
