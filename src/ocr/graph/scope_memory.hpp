// SPDX-License-Identifier: Apache-2.0

// ScopeMemory: memory of finish scopes that have ended, for the next ones. Each worker has one, for its thread only.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace weir::ocr {

class ScopeMemory {
 public:
  ScopeMemory() = default;
  ScopeMemory(const ScopeMemory&) = delete;
  ScopeMemory& operator=(const ScopeMemory&) = delete;
  ~ScopeMemory() {
    while (first_ != nullptr) ::operator delete(std::exchange(first_, first_->next));
  }
  // Always of the same size. Throws std::bad_alloc.
  void* allocate(std::size_t bytes) {
    if (first_ == nullptr) [[unlikely]]
      return ::operator new(bytes);
    --count_;
    return std::exchange(first_, first_->next);
  }
  void free(void* memory) noexcept {
    if (count_ == kMost) [[unlikely]]
      return ::operator delete(memory);
    first_ = ::new (memory) Free{first_};
    ++count_;
  }

 private:
  static constexpr std::size_t kMost = 1024;
  struct Free {
    Free* next;
  };
  Free* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace weir::ocr
