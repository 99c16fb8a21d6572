#include "ocr/edt_table.hpp"

#include "ocr/local.hpp"

namespace weir::ocr {

namespace {

constinit Immortal<ObjectTable<EdtEntry>> the_entries;
constexpr std::uint32_t kBatch = 256;  // indices that a worker takes at a time

// The memory has its index since an earlier EDT.
bool has_index(const Edt& edt) noexcept {
  const EdtEntry* const entry = edt_entries().find(edt.word.index());
  return entry != nullptr && entry->edt.load(std::memory_order_relaxed) == &edt;
}

void give_index(EdtIndices& indices, Edt& edt) {
  if (indices.next == indices.end) [[unlikely]] {
    indices.next = edt_entries().reserve(kBatch);
    indices.end = indices.next + kBatch;
  }
  EdtEntry& entry = edt_entries().at(indices.next);
  edt.word.reset(indices.next++);
  entry.edt.store(&edt, std::memory_order_release);  // EDT-1
}

}  // namespace

ObjectTable<EdtEntry>& edt_entries() noexcept { return the_entries.value; }

void enter_edt(EdtIndices& indices, Edt& edt, bool first_use) {
  if (first_use || !has_index(edt)) [[unlikely]]
    give_index(indices, edt);
  edt.word.revive_locked();
  edt.word.unlock();
}

bool try_claim_label(Guid label) {
  Edt* nobody = nullptr;
  return edt_entries().at(label.index()).edt.compare_exchange_strong(nobody, being_made(), std::memory_order_acq_rel);
}

void give_up_label(Guid label) noexcept {
  edt_entries().find(label.index())->edt.store(nullptr, std::memory_order_release);
}

void enter_labelled(Edt& edt, Guid label, bool first_use) {
  edt.kept_word() = first_use ? 0 : edt.word.kept();
  edt.word.reset(0);
  static_cast<void>(edt.word.try_create(label));
  edt.word.unlock();
  edt_entries().find(label.index())->edt.store(&edt, std::memory_order_release);  // EDT-1
}

void leave_edt(Edt& edt) noexcept {
  edt.word.end();
  if (edt.guid().is_label()) give_up_label(edt.guid());
}

void forget_label(Edt& edt) noexcept {
  if (edt.guid().is_label()) [[unlikely]]
    edt.word.restore(edt.kept_word());
}

void outlive_label(EdtIndices& indices, Edt& edt) {
  if (!edt.guid().is_label()) return;
  forget_label(edt);
  if (!has_index(edt)) give_index(indices, edt);
}

Edt* lock_edt(Guid guid) noexcept {
  Edt* const edt = find_edt(guid);
  if (edt == nullptr || !edt->word.lock(guid.generation())) return nullptr;
  if (edt->guid() == guid) [[likely]]
    return edt;
  edt->word.unlock();  // labels have one generation: another one has the memory by now
  return nullptr;
}

Edt* find_edt(Guid guid) noexcept {
  if (guid.kind() != Kind::edt) return nullptr;
  const EdtEntry* const entry = edt_entries().find(guid.index());
  Edt* const edt = entry == nullptr ? nullptr : entry->edt.load(std::memory_order_acquire);  // EDT-1
  if (edt == nullptr || edt == being_made() || !edt->word.alive(guid.generation())) return nullptr;
  return edt->guid() == guid ? edt : nullptr;
}

void forget_edts() noexcept {
  edt_entries().for_each([](EdtEntry& entry) { entry.edt.store(nullptr, std::memory_order_relaxed); });
}

}  // namespace weir::ocr
