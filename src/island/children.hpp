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

// Then come the footprint, Item by Item, the bytes of the callable, and those of the name. Behind an item of mode
// reduce are a ChildReduction and the bytes of the identity, as many as the item has.
struct ChildHead {
  FunctionName invoke, site;
  std::uint32_t items, function_bytes, name_bytes, padding;
};
struct ChildReduction {
  FunctionName combine;  // of weir::detail::Reduction
  std::uint64_t ordered;
};

class Children {
 public:
  // Throws weir::Error for an item that is not within what `parent` names, or that writes what `parent` only reads.
  void add(CodeNames& codes, const detail::Callable& callable, std::span<const Access> footprint, const char* name,
           const void* site, std::span<const Access> parent);
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  void clear() noexcept { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

// The footprint of a child, taken out of its bytes. Throws weir::Error when this process has no such operation.
class ChildFootprint {
 public:
  // Of so many items at the start of `bytes`, which stay as long as items() are looked at: identities lie there.
  // Returns the bytes behind them.
  std::span<const std::byte> take(CodeNames& codes, std::uint32_t items, std::span<const std::byte> bytes);
  std::span<const Access> items() const noexcept { return items_; }

 private:
  std::vector<Access> items_;
  std::vector<weir::detail::Reduction> reductions_;
};

// Calls f(head, footprint, function, name) for each child in `bytes`, in the order in which they were made; `codes`:
// of this process. With the locks of its caller, which clang's analysis does not see here.
template <class F>
void for_each_child(CodeNames& codes, std::span<const std::byte> bytes, F f) WEIR_NOT_ANALYSED {
  ChildFootprint footprint;
  while (!bytes.empty()) {
    ChildHead head;
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes = footprint.take(codes, head.items, bytes.subspan(sizeof head));
    const auto function = bytes.first(head.function_bytes);
    const auto name = bytes.subspan(head.function_bytes, head.name_bytes);
    f(head, footprint.items(), function, std::string_view(reinterpret_cast<const char*>(name.data()), name.size()));
    bytes = bytes.subspan(head.function_bytes + head.name_bytes);
  }
}

}  // namespace weir::island
