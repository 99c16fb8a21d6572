// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/copies.hpp"

#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/mutex.hpp"
#include "ocr/blocks/lending_mode.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

namespace {

struct Kept {
  std::uint64_t word = 0;  // of the copy's own entry in the table
  std::unique_ptr<std::byte[]> memory;
};
struct Copies {
  base::Mutex mutex;
  std::unordered_map<Block*, Kept> all WEIR_GUARDED_BY(mutex);
};
Copies& copies() {
  static auto& all = *new Copies;  // threads may end after static destruction
  return all;
}

void init(Block& copy, std::byte* memory, std::size_t size, std::uint8_t mode) noexcept {
  copy.memory = reinterpret_cast<std::uintptr_t>(memory);
  copy.size = size;
  copy.strong = mode == DB_MODE_RO ? 0 : 1;
  copy.weak = mode == DB_MODE_RO ? 1 : 0;
  copy.strong_mode = mode;
  copy.named = 0;
  copy.no_hint = copy.eager = copy.lazy = false;
  copy.is_copy = true;
  copy.domain = 0;
  copy.first_waiting = copy.last_waiting = nullptr;
  copy.creator = nullptr;
  copy.maker = nullptr;
  copy.heap = nullptr;
  copy.hint = nullptr;
  copy.pinned_outside.store(false, std::memory_order_relaxed);
}

// It is a free entry of the table again.
void give_up(BlockLocal& local, Block& copy, const Kept& kept) noexcept {
  copy.word.lock_held();
  copy.memory = 0;
  copy.is_copy = false;
  copy.word.restore(kept.word);
  blocks().free(local.blocks, copy);
}

}  // namespace

Block& make_copy(BlockLocal& local, Guid guid, std::uint8_t mode, std::span<const std::byte> contents) {
  // Blocks are at multiples of 64 bytes, as those that lie here.
  constexpr std::size_t kAlignment = 64;
  Kept kept{0, std::unique_ptr<std::byte[]>(new std::byte[contents.size() + kAlignment])};
  void* memory = kept.memory.get();
  std::size_t space = contents.size() + kAlignment;
  memory = std::align(kAlignment, contents.size(), memory, space);
  if (!contents.empty()) std::memcpy(memory, contents.data(), contents.size());
  Block& copy = blocks().allocate(local.blocks);
  kept.word = copy.word.kept();
  copy.word.restore(0);
  static_cast<void>(copy.word.try_create(guid));
  init(copy, static_cast<std::byte*>(memory), contents.size(), mode);
  copy.word.unlock();
  const base::Lock lock(copies().mutex);
  copies().all.emplace(&copy, std::move(kept));
  return copy;
}

void end_copy(BlockLocal& local, Block& copy, std::uint8_t mode) {
  Kept kept;
  {
    const base::Lock lock(copies().mutex);
    kept = std::move(copies().all.extract(&copy).mapped());
  }
  if (is_to_be_written(mode)) {
    const Guid guid = copy.guid();
    Mail::running()->post(home_of(guid), Say::give_back,
                          Writer().put(guid).put_bytes(std::span(copy.small(), copy.size)));
  }
  give_up(local, copy, kept);
}

void forget_copies(BlockLocal& local) noexcept {
  std::unordered_map<Block*, Kept> left;
  {
    const base::Lock lock(copies().mutex);
    left.swap(copies().all);
  }
  for (const auto& [copy, kept] : left) give_up(local, *copy, kept);
}

}  // namespace weir::ocr
