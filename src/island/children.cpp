// SPDX-License-Identifier: Apache-2.0

#include "island/children.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "island/footprint.hpp"

namespace weir::island {

namespace {

// Whether [data, data + bytes) is in one row of the region, or in rows that follow each other without a gap.
bool has(const Region& region, const void* data, std::size_t bytes) noexcept {
  bool found = false;
  for_each_run(region, [&](const void* start, std::size_t length) {
    const auto offset = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(start);
    found = found || (offset <= length && bytes <= length - offset);
  });
  return found;
}

void check(const Access& child, std::span<const Access> parent) {
  if (child.mode == Mode::concurrent || child.mode == Mode::reduce) {
    throw Error(
        "concurrent and reduce are for tasks that the program makes; children of such a task name its private copy as "
        "inout");
  }
  for_each_run(child.region, [&](const void* data, std::size_t bytes) {
    const auto covers = [&](const Access& access) {
      return (!writes(child.mode) || writes(access.mode)) && has(access.region, data, bytes);
    };
    if (bytes == 0 || std::ranges::any_of(parent, covers)) return;
    const char* const verb = writes(child.mode) ? "write" : "read";
    throw Error(
        fmt::format("the task that it makes {}s {} bytes at {}, which it does not {} itself: a child's footprint lies "
                    "within its parent's",
                    verb, bytes, data, writes(child.mode) ? "write" : "name"));
  });
}

}  // namespace

void Children::add(CodeNames& codes, const detail::Callable& callable, std::span<const Access> footprint,
                   const char* name, const void* site, std::span<const Access> parent) {
  for (const Access& access : footprint) check(access, parent);
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
  }
  put(callable.function, callable.bytes);
  put(text.data(), text.size());
}

}  // namespace weir::island
