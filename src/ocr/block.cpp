#include "ocr/block.hpp"

#include <new>
#include <utility>

#include "ocr/block_heap.hpp"
#include "ocr/hint.hpp"
#include "ocr/label.hpp"
#include "ocr/local.hpp"

namespace weir::ocr {

namespace {

// Under the lock: whether an EDT may hold it in that mode beside those who do.
bool admits(const Block& block, std::uint8_t mode) noexcept {
  if (block.strong == 0) return true;
  if (block.strong_mode == DB_MODE_EW) return false;
  return mode == DB_MODE_RO || mode == block.strong_mode;
}

void hold(Block& block, std::uint8_t mode) noexcept {
  if (mode == DB_MODE_RO) {
    ++block.weak;
    return;
  }
  ++block.strong;
  block.strong_mode = mode;
}

std::uint8_t mode_of(const sched::Task& task) noexcept { return reinterpret_cast<const Edt*>(&task + 1)->waiting_mode; }

void enqueue(Block& block, sched::Task& task) noexcept {
  task.next = nullptr;
  (block.first_waiting == nullptr ? block.first_waiting : block.last_waiting->next) = &task;
  block.last_waiting = &task;
}

// Nobody holds it in a strong mode: which one is served next, or RO when only that is waited for.
std::uint8_t next_mode(const Block& block) noexcept {
  unsigned seen = 0;
  for (const sched::Task* t = block.first_waiting; t != nullptr; t = t->next) seen |= mode_of(*t);
  for (const unsigned mode : {DB_MODE_RW, DB_MODE_EW, DB_MODE_CONST})
    if ((seen & mode) != 0) return static_cast<std::uint8_t>(mode);
  return DB_MODE_RO;
}

// Takes out of the queue those who can hold it now; they do.
sched::Task* serve(Block& block) noexcept {
  const std::uint8_t mode = next_mode(block);
  sched::Task *granted = nullptr, *last_granted = nullptr, *last = nullptr;
  for (sched::Task** at = &block.first_waiting; *at != nullptr;) {
    sched::Task& task = **at;
    const std::uint8_t wanted = mode_of(task);
    const bool compatible = wanted == mode || (wanted == DB_MODE_RO && mode != DB_MODE_EW);
    if (!compatible || (block.strong != 0 && !admits(block, wanted))) {
      last = &task;
      at = &task.next;
      continue;
    }
    *at = task.next;
    hold(block, wanted);
    task.next = nullptr;
    (granted == nullptr ? granted : last_granted->next) = &task;
    last_granted = &task;
  }
  block.last_waiting = last;
  return granted;
}

bool is_unused(const Block& block) noexcept {
  return block.strong == 0 && block.weak == 0 && block.first_waiting == nullptr && !block.word.alive();
}

// Locked, dead and unused: gives up everything.
void dispose(Local& local, Block& block) noexcept {
  local.memory.free(block.data, block.size);
  delete std::exchange(block.heap, nullptr);
  delete std::exchange(block.hint, nullptr);
  retire(blocks(), local.blocks, block);
}

void unlock_or_dispose(Local& local, Block& block) noexcept {
  if (is_unused(block))
    dispose(local, block);
  else
    block.word.unlock();
}

void list_created(Edt& creator, Block& block) noexcept {
  block.creator = &creator;
  block.created_before = nullptr;
  block.created_next = creator.created;
  if (creator.created != nullptr) creator.created->created_before = &block;
  creator.created = &block;
}

void unlist_created(Edt& creator, Block& block) noexcept {
  (block.created_before == nullptr ? creator.created : block.created_before->created_next) = block.created_next;
  if (block.created_next != nullptr) block.created_next->created_before = block.created_before;
  block.creator = nullptr;
}

}  // namespace

Guid Block::guid() const noexcept { return Guid::make(Kind::block, word.generation(), index); }

u8 create_block(Local& local, Guid& guid, const BlockRequest& request, std::byte*& data) {
  data = local.memory.allocate(request.size);
  if (data == nullptr) return OCR_ENOMEM;
  Block* block = nullptr;
  if (const u8 code = make_object(local, blocks(), local.blocks, Kind::block, request.properties, guid, block)) {
    local.memory.free(data, request.size);
    return code;
  }
  block->data = data;
  block->size = request.size;
  block->strong = block->weak = 0;
  block->no_hint = (request.properties & DB_PROP_NO_HINT) != 0;
  block->domain = static_cast<std::uint16_t>(local.worker->domain());
  block->first_waiting = block->last_waiting = nullptr;
  block->creator = nullptr;
  block->maker = local.maker();
  block->heap = request.heap ? make_heap(request.size) : nullptr;
  block->hint = nullptr;
  if (request.hint != nullptr) [[unlikely]]
    apply_hint(*block, *request.hint);
  if ((request.properties & DB_PROP_NO_ACQUIRE) != 0) {
    data = nullptr;
  } else if (local.current != nullptr) {
    hold(*block, DB_MODE_RW);
    list_created(*local.current, *block);
  }
  object_made(*block, request.properties);
  return 0;
}

bool block_exists(Guid guid) noexcept { return find_object(blocks(), Kind::block, guid) != nullptr; }

Acquired acquire(Guid guid, std::uint8_t mode, Edt& edt, Block*& found) {
  Block* const block = found = lock_object(blocks(), Kind::block, guid);
  if (block == nullptr) return Acquired::no_such_block;
  const bool admitted = admits(*block, mode);
  if (admitted) {
    hold(*block, mode);
  } else {
    edt.waiting_mode = mode;
    enqueue(*block, edt.task());
  }
  block->word.unlock();
  return admitted ? Acquired::yes : Acquired::waits;
}

void release(Local& local, Block& block, std::uint8_t mode) {
  block.word.lock_held();
  sched::Task* granted = nullptr;
  if (mode == DB_MODE_RO) {
    --block.weak;
  } else if (--block.strong == 0 && block.first_waiting != nullptr) {
    granted = serve(block);
  }
  unlock_or_dispose(local, block);
  while (granted != nullptr) {
    sched::Task& task = *std::exchange(granted, granted->next);
    block_granted(local, *static_cast<Edt*>(task.closure()), block);
  }
}

void hold_for_running(Local& local, Block& block) {
  Edt& edt = *local.current;
  if (find_held(edt, block.guid()).block != nullptr) return;
  block.word.lock_held();
  const bool possible = block.creator == nullptr && admits(block, DB_MODE_RW);
  if (possible) {
    hold(block, DB_MODE_RW);
    list_created(edt, block);
  }
  block.word.unlock();
}

void release_created(Local& local, Edt& creator, Block& block) {
  unlist_created(creator, block);
  release(local, block, DB_MODE_RW);
}

u8 destroy_block(Local& local, Guid guid) {
  Block* const block = lock_object(blocks(), Kind::block, guid);
  if (block == nullptr) {
    // Destroyed, and still held: the index knows, as long as nobody has used it again.
    if (guid.kind() != Kind::block) return OCR_EINVAL;
    const Block* const dead = blocks().find(guid.index());
    return dead != nullptr && dead->guid() == guid ? OCR_EPERM : OCR_EINVAL;
  }
  block->word.kill();
  if (block->creator != nullptr && block->creator == local.current && block->first_waiting == nullptr) {
    unlist_created(*local.current, *block);
    --block->strong;
    unlock_or_dispose(local, *block);
    return 0;
  }
  unlock_or_dispose(local, *block);
  if (local.current == nullptr) return 0;
  const Holding held = find_held(*local.current, guid);
  if (held.block != nullptr) release_holding(local, *local.current, held);
  return 0;
}

}  // namespace weir::ocr
