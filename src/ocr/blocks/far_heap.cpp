// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/far_heap.hpp"

#include <new>
#include <optional>

#include "ocr/blocks/block_heap.hpp"
#include "ocr/blocks/lending_mode.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/tables.hpp"

namespace weir::ocr {

namespace {

struct HeapUse {
  Guid block;
  u64 number = 0;  // of bytes that are wanted, or the offset of what is given back
  bool is_freed = false;
  bool is_held = false;  // at the home, for the copy: destroyed or not, the block's memory is its own
};

Answer ask_home(const Block& copy, u64 number, bool is_freed) {
  const HeapUse use{copy.guid(), number, is_freed, is_to_be_written(copy.strong_mode) && copy.strong != 0};
  return Mail::running()->ask(home_of(use.block), Say::use_heap, Writer().put(use));
}

// Locked; null: there is none.
Block* lock_block(const HeapUse& use) noexcept {
  if (Block* const alive = lock_object(blocks(), Kind::block, use.block)) return alive;
  if (!use.is_held) return nullptr;
  Block* const held = blocks().find(use.block.index());
  held->word.lock_held();
  return held;
}

Answer perform(BlockHeap& heap, const HeapUse& use) noexcept {
  try {
    if (use.is_freed) return {heap.free(use.number) ? u8{0} : u8{OCR_EINVAL}};
    const std::optional<u64> offset = heap.allocate(use.number);
    if (!offset) return {OCR_ENOMEM};
    return {0, Writer().put(*offset).take()};
  } catch (const std::bad_alloc&) {
    return {OCR_ENOMEM};
  }
}

}  // namespace

u8 allocate_far(const Block& copy, u64 bytes, u64& offset) {
  const Answer answer = ask_home(copy, bytes, false);
  if (answer.code == 0) offset = Reader(answer.body).get<u64>();
  return answer.code;
}

u8 free_far(const Block& copy, u64 offset) { return ask_home(copy, offset, true).code; }

Answer answer_use_heap(Reader& body) {
  const auto use = body.get<HeapUse>();
  Block* const block = lock_block(use);
  if (block == nullptr) return {OCR_EINVAL};
  Answer answer{OCR_EINVAL};
  if (block->heap != nullptr) answer = perform(*block->heap, use);
  block->word.unlock();
  return answer;
}

}  // namespace weir::ocr
