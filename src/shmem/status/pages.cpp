// SPDX-License-Identifier: Apache-2.0

#include "shmem/status/pages.hpp"

#include <cstring>

#include "shmem/rma/rma.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

const StatusPage* Pages::here(int pe) noexcept {
  const World& w = world();
  return reinterpret_cast<const StatusPage*>(w.transport->mapped(static_cast<Rank>(pe), w.segments[0].region));
}

const void* Pages::at(int pe, const void* own) const noexcept {
  const StatusPage* const page = here(pe);
  const auto offset = static_cast<const std::byte*>(own) - reinterpret_cast<const std::byte*>(&mine_);
  return page == nullptr ? nullptr : reinterpret_cast<const std::byte*>(page) + offset;
}

void Pages::read_far(int pe, const void* own, void* to, std::size_t bytes) { get(context_, to, own, bytes, pe); }

std::string Pages::text(int pe) {
  char text[sizeof(Standing::text)];
  if (const void* const there = at(pe, mine_.standing.text); there != nullptr) {
    std::memcpy(text, there, sizeof(text));
  } else {
    read_far(pe, mine_.standing.text, text, sizeof(text));
  }
  return {text, strnlen(text, sizeof(text))};
}

bool Pages::has_left(int pe) {
  if (pe == world().my_pe) return false;
  const Phase phase = read(pe, mine_.phase);
  return phase == Phase::finishing || phase == Phase::left;
}

}  // namespace weir::shmem
