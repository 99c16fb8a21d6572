// SPDX-License-Identifier: Apache-2.0

// Children: what a task says of the tasks that it makes, as bytes that go to the master in letters.
//
// A child's footprint lies within its parent's: the parent has what the child needs to itself, so children are ordered
// among themselves only, begin when the parent's function has ended, and end before the parent is released. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "island/message.hpp"

namespace weir::island {

// Then come the footprint, Item by Item, the bytes of the callable, and those of the name.
struct ChildHead {
  FunctionName invoke, site;
  std::uint32_t items, function_bytes, name_bytes, padding;
};

class Children {
 public:
  // Throws weir::Error for an item that is not within what `parent` names, or that writes what `parent` only reads, and
  // for concurrent and reduce items.
  void add(CodeNames& codes, const detail::Callable& callable, std::span<const Access> footprint, const char* name,
           const void* site, std::span<const Access> parent);
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  void clear() noexcept { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

// Calls f(head, footprint, function, name) for each child in `bytes`, in the order in which they were made. With the
// locks of its caller, which clang's analysis does not see here.
template <class F>
void for_each_child(std::span<const std::byte> bytes, F f) WEIR_NOT_ANALYSED {
  std::vector<Access> footprint;
  while (!bytes.empty()) {
    ChildHead head;
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes = bytes.subspan(sizeof head);
    footprint.resize(head.items);
    for (Access& access : footprint) {
      Item item;
      std::memcpy(&item, bytes.data(), sizeof item);
      access.region = item.region;
      access.mode = static_cast<Mode>(item.mode);
      bytes = bytes.subspan(sizeof item);
    }
    const auto function = bytes.first(head.function_bytes);
    const auto name = bytes.subspan(head.function_bytes, head.name_bytes);
    f(head, std::span<const Access>(footprint), function,
      std::string_view(reinterpret_cast<const char*>(name.data()), name.size()));
    bytes = bytes.subspan(head.function_bytes + head.name_bytes);
  }
}

}  // namespace weir::island
