// SPDX-License-Identifier: Apache-2.0

#include "ocr/report/leftovers.hpp"

#include <unordered_set>
#include <utility>

#include "ocr/blocks/block_heap.hpp"
#include "ocr/blocks/copies.hpp"
#include "ocr/graph/awaited.hpp"
#include "ocr/graph/edt_hint.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/fetch.hpp"
#include "ocr/graph/label_wait.hpp"
#include "ocr/graph/wait.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/guid_map.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr {

namespace {

template <class T, class Drop>
void drop_all(Local& any, ObjectTable<T>& table, typename ObjectTable<T>::FreeList& list, Drop&& drop) {
  table.for_each([&](T& object) {
    if (!object.word.alive()) return;
    object.word.lock_held();
    drop(object);
    retire(any, table, list, object);
  });
}

void drop_extra(Edt& edt) noexcept {
  drop_hint(edt);
  delete edt.task().note.extra();
  edt.task().note = sched::TaskNote();
}

// The scopes that the EDT is in, innermost first.
void add_scopes(Edt& edt, std::unordered_set<sched::Scope*>& scopes) {
  for (sched::Scope* scope = edt.task().scope; scope->parent() != nullptr; scope = scope->parent()->scope)
    if (!scopes.insert(scope).second) return;
}

// The scope is of a finish EDT that has returned, and whose EDTs will not all run. Its output event is not satisfied.
void drop_scope(sched::Scope* scope) noexcept {
  Edt& edt = Edt::of(*scope->parent());
  delete scope;
  forget_label(edt);
  drop_extra(edt);
}

// EDTs that were destroyed, but that events still know.
void drop_destroyed() noexcept {
  for_each_memory([](Edt& edt) {
    if (edt.is_bare()) return;
    const EdtBody& body = edt.body();
    // Relaxed: no worker runs any more.
    if (!body.word.alive() && body.missing.load(std::memory_order_relaxed) > Edt::kDestroyed) drop_extra(edt);
  });
}

// An EDT's memory goes with the runtime, what hangs on it does not.
void drop_edts() {
  std::unordered_set<sched::Scope*> left, used;
  for_each_memory([&](Edt& edt) {
    if (edt.is_bare() ? !edt.is_alive(edt.guid()) : !edt.body().word.lock(edt.body().word.generation())) return;
    const bool runs = edt.has_begun();  // on a thread of the program's own
    add_scopes(edt, runs ? used : left);
    if (!runs) {
      drop_extra(edt);
      sched::Gates::pass_all(edt.task().successors.close());  // of threads that look at it
    }
    if (!edt.is_bare()) edt.body().word.unlock();
  });
  for (sched::Scope* const scope : left) {
    const bool returned = !Edt::of(*scope->parent()).body().word.alive();
    if (returned && !used.contains(scope)) drop_scope(scope);
  }
  drop_destroyed();
  forget_edts();
  forget_late_hints();
}

// Also of blocks that were destroyed while they were held.
void drop_memory(Block& block) noexcept {
  if (block.is_tiered()) delete &block.tier();
  block.memory = 0;
  block.strong = 0;
  block.hold.reset();
  delete std::exchange(block.heap, nullptr);
  delete std::exchange(block.hint, nullptr);
}

}  // namespace

void drop_leftovers(std::span<Local* const> locals) noexcept {
  drop_edts();
  forget_maps();
  forget_awaited();
  forget_label_waits();
  forget_left_waiters();
  if (locals.empty()) return;
  Local& any = *locals.front();
  drop_all(any, events(), any.events, [](Event& event) { free_extra(event); });
  forget_fetches();
  forget_copies(any);
  drop_all(any, blocks(), any.blocks, [](Block& block) { drop_memory(block); });
  blocks().for_each([](Block& block) { drop_memory(block); });
  drop_all(any, templates(), any.templates, [](Template&) {});
  for (Local* const local : locals) {
    // The workers of the next System take them.
    events().give_all(local->events);
    blocks().give_all(local->blocks);
    templates().give_all(local->templates);
  }
}

}  // namespace weir::ocr
