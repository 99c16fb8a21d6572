// SPDX-License-Identifier: Apache-2.0

// Zeroed memory of the kernel's whose pages appear when touched, and the SharedMemory that is no more than such memory.
#pragma once

#include <cstddef>
#include <utility>

#include "island/memory.hpp"

namespace weir::island {

class Mapping {
 public:
  // shared: forked processes see each other's writes. own: from then on each has its own.
  enum class Between : unsigned char { shared, own };
  // Whole pages. no_space: the system has no such range of addresses, or promises no memory for it.
  static base::Result<Mapping> map(Bytes size, Between between);

  Mapping(Mapping&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping();

  std::byte* data() const noexcept { return data_; }
  Bytes size() const noexcept { return size_; }
  // All bytes of an own mapping are zero again.
  void clear() noexcept;

 private:
  Mapping(std::byte* data, Bytes size) noexcept : data_(data), size_(size) {}

  std::byte* data_;  // null only after a move
  Bytes size_;
};

// Memory that the program uses in place.
class MappedMemory : public SharedMemory {
 public:
  explicit MappedMemory(Mapping&& memory) noexcept : memory_(std::move(memory)) {}

  const void* find_unwritten(const void*, std::size_t) const noexcept override { return nullptr; }
  std::byte* data() const noexcept override { return memory_.data(); }
  Bytes size() const noexcept override { return memory_.size(); }
  void enter_process(int) noexcept override {}

 private:
  Mapping memory_;
};

}  // namespace weir::island
