#include "ocr/edt_table.hpp"

#include "ocr/local.hpp"

namespace weir::ocr {

namespace {

constinit Immortal<ObjectTable<EdtEntry>> the_entries;
constexpr std::uint32_t kBatch = 256;  // indices that a worker takes at a time

Edt* const kBeingMade = reinterpret_cast<Edt*>(1);  // entry of a label that was claimed

// The index that the memory has since an earlier EDT; 0 when there was none.
std::uint32_t index_of_memory(Edt& edt) noexcept {
  const Guid before = edt.guid;
  if (before.kind() != Kind::edt || before.is_label()) return 0;
  const EdtEntry* const entry = edt_entries().find(before.index());
  return entry != nullptr && entry->edt.load(std::memory_order_relaxed) == &edt ? before.index() : 0;
}

std::uint32_t new_index(EdtIndices& indices, Edt& edt) {
  if (indices.next == indices.end) [[unlikely]] {
    indices.next = edt_entries().reserve(kBatch);
    indices.end = indices.next + kBatch;
  }
  EdtEntry& entry = edt_entries().at(indices.next);
  ::new (&edt.word) ObjectWord;
  entry.edt.store(&edt, std::memory_order_release);  // EDT-1
  return indices.next++;
}

}  // namespace

ObjectTable<EdtEntry>& edt_entries() noexcept { return the_entries.value; }

void enter_edt(EdtIndices& indices, Edt& edt, bool first_use) {
  std::uint32_t index = first_use ? 0 : index_of_memory(edt);
  if (index == 0) [[unlikely]]
    index = new_index(indices, edt);
  edt.guid = Guid::make(Kind::edt, edt.word.revive_locked(), index);
  edt.word.unlock();
}

bool try_claim_label(Guid label) {
  Edt* nobody = nullptr;
  return edt_entries().at(label.index()).edt.compare_exchange_strong(nobody, kBeingMade, std::memory_order_acq_rel);
}

void give_up_label(Guid label) noexcept {
  edt_entries().find(label.index())->edt.store(nullptr, std::memory_order_release);
}

void enter_labelled(Edt& edt, Guid label) {
  ::new (&edt.word) ObjectWord;
  static_cast<void>(edt.word.try_create(label.generation()));
  edt.word.unlock();
  edt_entries().find(label.index())->edt.store(&edt, std::memory_order_release);  // EDT-1
}

void leave_edt(Edt& edt) noexcept {
  edt.word.end();
  if (edt.guid.is_label()) give_up_label(edt.guid);
}

Edt* lock_edt(Guid guid) noexcept {
  Edt* const edt = find_edt(guid);
  return edt != nullptr && edt->word.lock(guid.generation()) ? edt : nullptr;
}

Edt* find_edt(Guid guid) noexcept {
  if (guid.kind() != Kind::edt) return nullptr;
  const EdtEntry* const entry = edt_entries().find(guid.index());
  Edt* const edt = entry == nullptr ? nullptr : entry->edt.load(std::memory_order_acquire);  // EDT-1
  return edt != nullptr && edt != kBeingMade && edt->word.alive(guid.generation()) ? edt : nullptr;
}

void forget_edts() noexcept {
  edt_entries().for_each([](EdtEntry& entry) { entry.edt.store(nullptr, std::memory_order_relaxed); });
}

}  // namespace weir::ocr
