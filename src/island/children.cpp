// SPDX-License-Identifier: Apache-2.0

#include "island/children.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "island/footprint.hpp"
#include "island/private_copy.hpp"

namespace weir::island {

namespace {

// How many bytes from `data` on are in one row of the region, or in rows that follow each other without a gap.
std::size_t bytes_from(const Region& region, const std::byte* data) noexcept {
  std::size_t most = 0;
  for_each_run(region, [&](const void* start, std::size_t length) {
    const auto offset = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(start);
    if (offset < length) most = std::max(most, length - offset);
  });
  return most;
}

// Whether what `parent` names has all of [data, data + bytes): one item, or several, none of which is a private copy.
bool has(std::span<const Access> parent, bool is_written, const std::byte* data, std::size_t bytes) noexcept {
  const auto is_of_mode = [&](const Access& access) { return !is_written || writes(access.mode); };
  for (const Access& access : parent)
    if (is_of_mode(access) && bytes_from(access.region, data) >= bytes) return true;
  while (bytes > 0) {
    std::size_t next = 0;
    for (const Access& access : parent)
      if (is_of_mode(access) && !needs_private_copy(access.mode))
        next = std::max(next, bytes_from(access.region, data));
    if (next == 0) return false;
    const std::size_t covered = std::min(next, bytes);
    data += covered;
    bytes -= covered;
  }
  return true;
}

void check(const Access& child, std::span<const Access> parent) {
  for_each_run(child.region, [&](const void* data, std::size_t bytes) {
    if (bytes == 0 || has(parent, writes(child.mode), static_cast<const std::byte*>(data), bytes)) return;
    const bool has_copies =
        std::ranges::any_of(parent, [](const Access& access) { return needs_private_copy(access.mode); });
    const char* const verb = writes(child.mode) ? "write" : "read";
    throw Error(
        fmt::format("it makes a task that {}s {} bytes at {}, which it does not {} itself: a child's footprint lies "
                    "within its parent's{}",
                    verb, bytes, data, writes(child.mode) ? "write" : "name",
                    has_copies ? "; for concurrent and reduce that is its private copy" : ""));
  });
}

// A reduction's operation goes by its name, as functions do.
using Combine = void (*)(void* target, const void* copy);

FunctionName name_of(CodeNames& codes, Combine combine) {
  return codes.name_of(reinterpret_cast<detail::Invoke>(reinterpret_cast<std::uintptr_t>(combine)));
}

Combine find(CodeNames& codes, const FunctionName& name) {
  const detail::Invoke found = codes.find(name);
  if (found != nullptr) return reinterpret_cast<Combine>(reinterpret_cast<std::uintptr_t>(found));
  throw Error(
      fmt::format("the operation of a reduction of theirs is of the program or library with build id {}..., which the "
                  "master, process {}, has not loaded",
                  object_text(name.object), ::getpid()));
}

}  // namespace

void Children::add(CodeNames& codes, const detail::Callable& callable, std::span<const Access> footprint,
                   const char* name, const void* site, std::span<const Access> parent) {
  for (const Access& access : footprint) {
    check(access, parent);
    // Throws, if it does, before anything is said of the child.
    if (access.mode == Mode::reduce) static_cast<void>(name_of(codes, access.reduction->combine));
  }
  const auto put = [this](const void* from, std::size_t bytes) {
    const auto* const first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + bytes);
  };
  const std::string_view text = name != nullptr ? name : "";
  const ChildHead head{codes.name_of(callable.invoke),
                       codes.name_of(reinterpret_cast<detail::Invoke>(reinterpret_cast<std::uintptr_t>(site))),
                       static_cast<std::uint32_t>(footprint.size()),
                       static_cast<std::uint32_t>(callable.bytes),
                       static_cast<std::uint32_t>(text.size()),
                       0};
  put(&head, sizeof head);
  for (const Access& access : footprint) {
    const Item item{access.region, static_cast<std::uint64_t>(access.mode)};
    put(&item, sizeof item);
    if (access.mode != Mode::reduce) continue;
    const ChildReduction reduction{name_of(codes, access.reduction->combine), access.ordered ? 1u : 0u};
    put(&reduction, sizeof reduction);
    put(access.identity, bytes_of(access.region));
  }
  put(callable.function, callable.bytes);
  put(text.data(), text.size());
}

std::span<const std::byte> ChildFootprint::take(CodeNames& codes, std::uint32_t items,
                                                std::span<const std::byte> bytes) {
  const auto get = [&bytes](auto& value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
  };
  items_.assign(items, {});
  reductions_.clear();
  reductions_.reserve(items);  // items_ point to them
  for (Access& access : items_) {
    Item item;
    get(item);
    access.region = item.region;
    access.mode = static_cast<Mode>(item.mode);
    if (access.mode != Mode::reduce) continue;
    ChildReduction reduction;
    get(reduction);
    access.ordered = reduction.ordered != 0;
    access.identity = bytes.data();
    bytes = bytes.subspan(bytes_of(item.region));
    reductions_.push_back({bytes_of(item.region), 0, nullptr, find(codes, reduction.combine), nullptr});
    access.reduction = &reductions_.back();
  }
  return bytes;
}

}  // namespace weir::island
