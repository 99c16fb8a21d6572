#include "ocr/leftovers.hpp"

#include <utility>

#include "ocr/block_heap.hpp"
#include "ocr/label.hpp"
#include "ocr/local.hpp"
#include "ocr/system.hpp"

namespace weir::ocr {

namespace {

template <class T, class Drop>
void drop_all(ObjectTable<T>& table, typename ObjectTable<T>::FreeList& list, Drop&& drop) {
  table.for_each([&](T& object) {
    if (!object.word.alive()) return;
    object.word.lock_held();
    drop(object);
    object.word.kill();
    retire(table, list, object);
  });
}

// An EDT's memory goes with the runtime, what hangs on it does not.
void drop_edts() noexcept {
  for_each_edt([](Edt& edt) {
    if ((edt.flags & Edt::kRunning) != 0) return;  // on a thread of the program's own
    delete std::exchange(edt.rare, nullptr);
    sched::Task& task = edt.task();
    delete task.note.extra();
    task.note = sched::TaskNote();
  });
  forget_edts();
}

// Also of blocks that were destroyed while they were held.
void drop_memory(Block& block) noexcept {
  if (block.is_tiered()) delete &block.tier();
  block.memory = 0;
  block.hold.reset();
  delete std::exchange(block.heap, nullptr);
  delete std::exchange(block.hint, nullptr);
}

}  // namespace

void drop_leftovers(System& system) noexcept {
  drop_edts();
  Local* any = nullptr;
  system.for_each_local([&](Local& local) { any = &local; });
  if (any == nullptr) return;
  drop_all(events(), any->events, [](Event& event) { free_extra(event); });
  drop_all(blocks(), any->blocks, [](Block& block) { drop_memory(block); });
  blocks().for_each([](Block& block) { drop_memory(block); });
  drop_all(templates(), any->templates, [](Template& of) { delete of.hint; });
  system.for_each_local([&](Local& local) {
    // For the workers of the next System.
    events().give_all(local.events);
    blocks().give_all(local.blocks);
    templates().give_all(local.templates);
  });
}

}  // namespace weir::ocr
