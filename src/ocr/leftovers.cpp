#include "ocr/leftovers.hpp"

#include "ocr/block_heap.hpp"
#include "ocr/label.hpp"
#include "ocr/local.hpp"
#include "ocr/system.hpp"

namespace weir::ocr {

namespace {

// Before the runtime goes: an EDT's memory is the runtime's, what hangs on it is not.
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

}  // namespace

void drop_leftovers(System& system) noexcept {
  forget_edts();
  Local* any = nullptr;
  system.for_each_local([&](Local& local) { any = &local; });
  if (any == nullptr) return;
  drop_all(events(), any->events, [](Event& event) { free_extra(event); });
  drop_all(blocks(), any->blocks, [&](Block& block) {
    any->memory.free(block.data, block.size);
    delete block.heap;
    delete block.hint;
  });
  drop_all(templates(), any->templates, [](Template& of) { delete of.hint; });
  system.for_each_local([&](Local& local) {
    // For the workers of the next System.
    events().give_all(local.events);
    blocks().give_all(local.blocks);
    templates().give_all(local.templates);
  });
}

}  // namespace weir::ocr
