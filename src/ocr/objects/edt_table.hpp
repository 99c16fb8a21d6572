// SPDX-License-Identifier: Apache-2.0

// EdtTable: from the index in a GUID to the EDT.
//
// The memory of a task has one index for as long as the runtime lives, so an entry is written once and then only read:
// which use of the memory is meant, the EDT's own word says. A label's entry is set when its EDT is made and cleared
// when that has ended; until then the EDT keeps the word of its memory, whose generation goes on afterwards.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "ocr/objects/object_local.hpp"
#include "runtime/task.hpp"

namespace weir::ocr {

struct EdtEntry {
  std::atomic<Edt*> edt;  // EDT-1: release where it is set, acquire where it is read. Null: none
};

ObjectTable<EdtEntry>& edt_entries() noexcept;
// What the entry of a label has while a thread makes the EDT.
inline Edt* being_made() noexcept { return reinterpret_cast<Edt*>(1); }

// A new EDT, in memory of the calling worker, has an index afterwards. Throws std::bad_alloc.
void number_edt(EdtIndices& indices, Edt& edt, bool first_use);
// A bare EDT gets one once, for its memory.
void number_bare(EdtIndices& indices, Edt& edt);
// It gets its GUID, and is alive under it from then on.
void enter_edt(Edt& edt);
// It has the label, which was claimed, and is alive.
void enter_labelled(Edt& edt, Guid label, bool first_use);
// It has the GUID, which is no label, that it had in the run that has written a checkpoint: its memory has that index
// for good, and its generations go on from there. Throws std::bad_alloc.
void enter_again(Edt& edt, Guid guid);
// False when an EDT has it, or is just being made under it.
bool try_claim_label(Guid label);
void give_up_label(ObjectLocal& local, Guid label) noexcept;
// The GUID is good no more. The caller holds no lock of it.
void leave_edt(ObjectLocal& local, Edt& edt) noexcept;
// Its memory is about to be given back: it has its own GUIDs again.
void forget_label(Edt& edt) noexcept;
// The same, of one whose memory is not given back yet: for_each_memory() goes on to find it.
void outlive_label(EdtIndices& indices, Edt& edt);

// The EDT of a GUID; null when there is none. It may end unless it has an open slot that no other thread satisfies.
Edt* find_edt(Guid guid) noexcept;
// The EDT, locked; null when there is none of that GUID, or it is bare.
Edt* lock_edt(Guid guid) noexcept;
// The runtime is gone, and all EDTs with it.
void forget_edts() noexcept;
// Calls f(Edt&) for the memory of all EDTs, alive or not, once each.
template <class F>
void for_each_memory(F&& f) {
  edt_entries().for_each([&](EdtEntry& entry, std::uint32_t index) {
    Edt* const edt = entry.edt.load(std::memory_order_acquire);  // EDT-1
    if (edt != nullptr && edt != being_made() && edt->index() == index) f(*edt);
  });
}
// Calls f(Edt&) for all that are alive, each locked while it is; bare ones do not end before all have been called.
template <class F>
void for_each_edt(F&& f) {
  struct Open {
    void operator()(sched::Gates* gates) const noexcept { gates->open(); }
  };
  const std::unique_ptr<sched::Gates, Open> gates(new sched::Gates);
  for_each_memory([&](Edt& edt) {
    if (edt.is_bare()) {
      const std::uint64_t generation = edt.task().generation.load(std::memory_order_acquire);
      if (gates->close(edt.task(), generation).closed && !edt.has_returned()) f(edt);
      return;
    }
    ObjectWord& word = edt.body().word;
    if (!word.alive() || !word.lock(word.generation())) return;
    f(edt);
    word.unlock();
  });
}

}  // namespace weir::ocr
