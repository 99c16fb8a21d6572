// BlockMemory: the memory of data blocks: for small ones a cache per worker, for large ones the system.
//
// Owned by a Local, used by its thread only; what one thread allocated another may free. Memory is aligned to 64 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::ocr {

class BlockMemory {
 public:
  BlockMemory() = default;
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;
  ~BlockMemory();

  // Null when there is not that much. Budget, small: 2 loads, 2 stores, 2 branches.
  std::byte* allocate(std::uint64_t bytes) noexcept {
    if (bytes > kLargestSmall) [[unlikely]]
      return allocate_large(bytes);
    const std::size_t c = size_class(bytes);
    FreePiece* const piece = free_[c];
    if (piece == nullptr) [[unlikely]]
      return allocate_slow(c);
    free_[c] = piece->next;
    --counts_[c];
    return reinterpret_cast<std::byte*>(piece);
  }
  void free(std::byte* data, std::uint64_t bytes) noexcept {
    if (bytes > kLargestSmall) [[unlikely]]
      return free_large(data);
    const std::size_t c = size_class(bytes);
    free_[c] = ::new (static_cast<void*>(data)) FreePiece{free_[c]};
    if (++counts_[c] >= 2 * kBatch) [[unlikely]]
      give_batch(c);
  }

 private:
  static constexpr std::size_t kSmallest = 64, kClasses = 8, kLargestSmall = kSmallest << (kClasses - 1);
  static constexpr std::uint32_t kBatch = 64;

  struct FreePiece {
    FreePiece* next;
  };
  struct Shared;
  static Shared& shared() noexcept;

  static std::size_t size_class(std::uint64_t bytes) noexcept {
    return bytes <= kSmallest ? 0 : 58 - static_cast<std::size_t>(__builtin_clzll(bytes - 1));
  }
  [[gnu::noinline]] std::byte* allocate_slow(std::size_t c) noexcept;
  [[gnu::noinline]] void give_batch(std::size_t c) noexcept;
  static std::byte* allocate_large(std::uint64_t bytes) noexcept;
  static void free_large(std::byte* data) noexcept;

  std::array<FreePiece*, kClasses> free_{};
  std::array<std::uint32_t, kClasses> counts_{};
};

}  // namespace weir::ocr
