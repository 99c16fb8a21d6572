#include "ocr/block_memory.hpp"

#include <mutex>
#include <new>

namespace weir::ocr {

// What workers have too much of, and the memory that pieces are cut from. Never destroyed.
struct BlockMemory::Shared {
  static constexpr std::size_t kSlab = std::size_t{1} << 18;
  std::mutex mutex;
  std::array<std::vector<FreePiece*>, kClasses> batches;  // guarded by mutex; lists of kBatch pieces
  std::vector<void*> slabs;                               // guarded by mutex
};

BlockMemory::Shared& BlockMemory::shared() noexcept {
  static Shared& the_shared = *new Shared;
  return the_shared;
}

BlockMemory::~BlockMemory() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  for (std::size_t c = 0; c < kClasses; ++c) {
    while (free_[c] != nullptr) {
      FreePiece* const piece = free_[c];
      free_[c] = piece->next;
      piece->next = nullptr;
      all.batches[c].push_back(piece);
    }
  }
}

std::byte* BlockMemory::allocate_slow(std::size_t c) noexcept {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (!all.batches[c].empty()) {
    free_[c] = all.batches[c].back();
    all.batches[c].pop_back();
  } else {
    auto* const slab = static_cast<std::byte*>(::operator new (Shared::kSlab, std::align_val_t{64}, std::nothrow));
    if (slab == nullptr) return nullptr;
    all.slabs.push_back(slab);
    const std::size_t piece = kSmallest << c;
    for (std::size_t at = Shared::kSlab; at >= piece; at -= piece) {
      free_[c] = ::new (static_cast<void*>(slab + at - piece)) FreePiece{free_[c]};
    }
  }
  counts_[c] = 0;
  for (const FreePiece* p = free_[c]; p != nullptr; p = p->next) ++counts_[c];
  FreePiece* const piece = free_[c];
  free_[c] = piece->next;
  --counts_[c];
  return reinterpret_cast<std::byte*>(piece);
}

void BlockMemory::give_batch(std::size_t c) noexcept {
  FreePiece* const first = free_[c];
  FreePiece* last = first;
  for (std::uint32_t i = 1; i < kBatch; ++i) last = last->next;
  free_[c] = last->next;
  counts_[c] -= kBatch;
  last->next = nullptr;
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.batches[c].push_back(first);
}

std::byte* BlockMemory::allocate_large(std::uint64_t bytes) noexcept {
  return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64}, std::nothrow));
}

void BlockMemory::free_large(std::byte* data) noexcept { ::operator delete (data, std::align_val_t{64}); }

}  // namespace weir::ocr
