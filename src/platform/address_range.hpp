// SPDX-License-Identifier: Apache-2.0

// Addresses reserved at once for memory that comes later, by steps, each touched before anybody uses it.
//
// Addresses without memory cannot be read or written. Not thread-safe; ranges given out stay where they are.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "platform/pages.hpp"

namespace weir::platform {

class AddressRange {
 public:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;

  // Starts at a multiple of kLargePage. Large pages are a wish. Memory that is populated will be on the node if there
  // is room (preferred, not forced), page after page on another one of several; none: wherever the kernel puts it.
  // Fails with no_space when the address space is limited, with unsupported when the kernel forbids placement.
  static base::Result<AddressRange> reserve(Bytes size, std::span<const int> os_nodes, PageSize page_size);

  AddressRange(AddressRange&& other) noexcept;
  AddressRange& operator=(AddressRange&&) = delete;
  ~AddressRange();

  std::byte* data() const noexcept { return data_; }
  Bytes size() const noexcept { return size_; }

  // Gives [offset, offset + bytes), of whole pages, zeroed pages. Returns when they are there. Fails with no_space when
  // the system refuses; there are none then.
  base::Status populate(std::size_t offset, std::size_t bytes);

  // As populate(), at any time, beside all other use; what is in pages stays. False: the system refuses, or its kernel
  // is older than 5.14.
  bool prepare(std::size_t offset, std::size_t bytes) const noexcept;

  // Takes the pages of [offset, offset + bytes) back; what was in them is lost.
  void release(std::size_t offset, std::size_t bytes) noexcept;

  // How much of [0, bytes) is in large pages; 0 when the kernel does not tell. Reads /proc, milliseconds.
  Bytes in_large_pages(std::size_t bytes) const;

 private:
  AddressRange(void* mapping, std::size_t mapped, std::byte* data, Bytes size) noexcept
      : mapping_(mapping), mapped_(mapped), data_(data), size_(size) {}

  void* mapping_;  // null only after a move
  std::size_t mapped_;
  std::byte* data_;
  Bytes size_;
};

}  // namespace weir::platform
