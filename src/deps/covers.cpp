// SPDX-License-Identifier: Apache-2.0

#include "deps/covers.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "deps/conflict.hpp"

namespace weir::deps {

namespace {

bool gapless(const Region& region) noexcept { return region.rows == 1 || region.stride_bytes == region.row_bytes; }

// Where the run of bytes of `region` that holds `address` ends; `address` itself when the region does not hold it.
std::uintptr_t held_until(const Region& region, std::uintptr_t address) noexcept {
  const auto start = reinterpret_cast<std::uintptr_t>(region.base);
  if (address < start || region.rows == 0 || region.row_bytes == 0) return address;
  if (gapless(region)) return std::max(address, start + region.rows * region.row_bytes);
  const std::uintptr_t row = (address - start) / region.stride_bytes;
  if (row >= region.rows) return address;
  return std::max(address, start + row * region.stride_bytes + region.row_bytes);
}

bool allows(Mode parent, Mode child) noexcept { return parent != Mode::reduce && (writes(parent) || !writes(child)); }

// The furthest that one item alone takes us from `address`.
template <class Allowed>
std::uintptr_t furthest(std::span<const Access> parent, std::uintptr_t address, Allowed allowed) noexcept {
  std::uintptr_t end = address;
  for (const Access& item : parent)
    if (allowed(item.mode)) end = std::max(end, held_until(item.region, address));
  return end;
}

bool covers_run(std::span<const Access> parent, Mode mode, ByteRange run, Uncovered* uncovered) noexcept {
  for (std::uintptr_t at = run.start; at < run.end;) {
    const std::uintptr_t end = furthest(parent, at, [&](Mode m) { return allows(m, mode); });
    if (end == at) {
      const bool only_read = furthest(parent, at, [](Mode m) { return m == Mode::in; }) != at;
      if (uncovered != nullptr) *uncovered = {{at, run.end}, only_read};
      return false;
    }
    at = end;
  }
  return true;
}

}  // namespace

bool covers(std::span<const Access> parent, const Access& child, Uncovered* uncovered) noexcept {
  const Region& region = child.region;
  const auto start = reinterpret_cast<std::uintptr_t>(region.base);
  if (gapless(region))
    return covers_run(parent, child.mode, {start, start + region.rows * region.row_bytes}, uncovered);
  for (std::size_t row = 0; row < region.rows; ++row) {
    const std::uintptr_t at = start + row * region.stride_bytes;
    if (!covers_run(parent, child.mode, {at, at + region.row_bytes}, uncovered)) return false;
  }
  return true;
}

std::string describe(const Uncovered& uncovered, const Access& child) {
  const std::uintptr_t offset = uncovered.bytes.start - reinterpret_cast<std::uintptr_t>(child.region.base);
  char text[256];
  std::snprintf(text, sizeof text,
                "item %s(%p, %zu x %zu bytes): from byte %" PRIuPTR " on the parent task's footprint %s; %s",
                name_of(child.mode), child.region.base, child.region.rows, child.region.row_bytes, offset,
                uncovered.only_read ? "only reads that memory" : "does not name that memory",
                "name it in the parent's footprint too, or give the parent none");
  return text;
}

}  // namespace weir::deps
