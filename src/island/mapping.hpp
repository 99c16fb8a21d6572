// SPDX-License-Identifier: Apache-2.0

// The memory behind the kinds of SharedMemory: what processes share, and copies that each has for itself.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "island/memory.hpp"
#include "memory/shared_backing.hpp"

namespace weir::island {

// Zeroed memory whose pages appear when touched; after a fork each process has its own.
class PrivateMapping {
 public:
  // Whole pages. no_space: the system has no such range of addresses, at `address` where that is not null, or promises
  // no memory for it.
  static base::Result<PrivateMapping> map(Bytes size, std::byte* address = nullptr);

  PrivateMapping(PrivateMapping&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  PrivateMapping& operator=(PrivateMapping&&) = delete;
  ~PrivateMapping();

  std::byte* data() const noexcept { return data_; }
  // All bytes are zero again.
  void clear() noexcept;

 private:
  PrivateMapping(std::byte* data, Bytes size) noexcept : data_(data), size_(size) {}

  std::byte* data_;  // null only after a move
  Bytes size_;
};

// Memory that the program uses in place.
class MappedMemory : public SharedMemory {
 public:
  explicit MappedMemory(std::unique_ptr<memory::SharedBacking> memory) noexcept : memory_(std::move(memory)) {}

  const void* find_unwritten(const void*, std::size_t) const noexcept override { return nullptr; }
  std::byte* data() const noexcept override { return memory_->data(); }
  Bytes size() const noexcept override { return memory_->size(); }
  void enter_process(int) noexcept override {}
  memory::SharedBacking& backing() noexcept override { return *memory_; }

 private:
  std::unique_ptr<memory::SharedBacking> memory_;
};

}  // namespace weir::island
