// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/edt_table.hpp"

#include <atomic>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/objects/given_guids.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr {

namespace {

constinit Immortal<ObjectTable<EdtEntry>> the_entries;
constexpr std::uint32_t kBatch = 256;  // indices that a worker takes at a time

// The memory has its index since an earlier EDT.
bool has_index(const Edt& edt) noexcept {
  const EdtEntry* const entry = edt_entries().find(edt.index());
  return entry != nullptr && entry->edt.load(std::memory_order_relaxed) == &edt;
}

// The entry of the next index, which is `index` now.
EdtEntry& take_entry(EdtIndices& indices, std::uint32_t& index) {
  if (indices.next == indices.end) [[unlikely]] {
    indices.next = edt_entries().reserve(kBatch);
    indices.end = indices.next + kBatch;
  }
  EdtEntry& entry = edt_entries().at(indices.next);
  index = indices.next++;
  return entry;
}

void give_index(EdtIndices& indices, Edt& edt) {
  std::uint32_t index = 0;
  EdtEntry& entry = take_entry(indices, index);
  edt.body().word.reset(index);
  entry.edt.store(&edt, std::memory_order_release);  // EDT-1
}

}  // namespace

ObjectTable<EdtEntry>& edt_entries() noexcept { return the_entries.value; }

void number_edt(EdtIndices& indices, Edt& edt, bool first_use) {
  if (first_use || !has_index(edt)) [[unlikely]]
    give_index(indices, edt);
}

void number_bare(EdtIndices& indices, Edt& edt) {
  EdtEntry& entry = take_entry(indices, edt.task().number);
  entry.edt.store(&edt, std::memory_order_release);  // EDT-1
}

void enter_edt(Edt& edt) {
  ObjectWord& word = edt.body().word;
  word.unlock_made(word.revive_locked(Kind::edt));
}

void enter_again(Edt& edt, Guid guid) {
  EdtEntry& entry = edt_entries().at(guid.index());
  ObjectWord& word = edt.body().word;
  word.reset(0);
  static_cast<void>(word.try_create(guid));
  word.unlock();
  entry.edt.store(&edt, std::memory_order_release);  // EDT-1
}

bool try_claim_label(Guid label) {
  Edt* nobody = nullptr;
  return edt_entries().at(label.index()).edt.compare_exchange_strong(nobody, being_made(), std::memory_order_acq_rel);
}

void give_up_label(ObjectLocal& local, Guid label) noexcept {
  edt_entries().find(label.index())->edt.store(nullptr, std::memory_order_release);
  label_left(local, label);
}

void enter_labelled(Edt& edt, Guid label, bool first_use) {
  ObjectWord& word = edt.body().word;
  edt.body().kept_word() = first_use ? 0 : word.kept();
  word.reset(0);
  static_cast<void>(word.try_create(label));
  word.unlock();
  edt_entries().find(label.index())->edt.store(&edt, std::memory_order_release);  // EDT-1
}

void leave_edt(ObjectLocal& local, Edt& edt) noexcept {
  edt.body().word.end();
  const Guid guid = edt.guid();
  if (!guid.is_label()) return;
  give_up_label(local, guid);
  if (guid.is_given()) end_given(edt.body().batch());
}

void forget_label(Edt& edt) noexcept {
  if (edt.guid().is_label()) [[unlikely]]
    edt.body().word.restore(edt.body().kept_word());
}

void outlive_label(EdtIndices& indices, Edt& edt) {
  if (!edt.guid().is_label()) return;
  forget_label(edt);
  if (!has_index(edt)) give_index(indices, edt);
}

Edt* lock_edt(Guid guid) noexcept {
  Edt* const edt = find_edt(guid);
  if (edt == nullptr || edt->is_bare() || !edt->body().word.lock(guid.generation())) return nullptr;
  if (edt->guid() == guid) [[likely]]
    return edt;
  edt->body().word.unlock();  // labels have one generation: another one has the memory by now
  return nullptr;
}

Edt* find_edt(Guid guid) noexcept {
  if (guid.kind() != Kind::edt) return nullptr;
  const EdtEntry* const entry = edt_entries().find(guid.index());
  Edt* const edt = entry == nullptr ? nullptr : entry->edt.load(std::memory_order_acquire);  // EDT-1
  return edt != nullptr && edt != being_made() && edt->is_alive(guid) ? edt : nullptr;
}

void forget_edts() noexcept {
  edt_entries().for_each([](EdtEntry& entry) { entry.edt.store(nullptr, std::memory_order_relaxed); });
}

// ---- GUIDs given ahead ----

namespace {

constexpr std::uint32_t kTogether = 64;  // GUIDs of a batch
constexpr std::uint64_t kMostShare = 4;  // one in so many of the indices that are left is given away

struct Batch {
  std::uint32_t first = 0;  // index
  std::uint32_t generation = 0;
  std::atomic<std::uint32_t> left{0};  // whose EDT has not ended
  Batch* next_free = nullptr;
};
struct Batches {
  base::Mutex mutex;
  std::vector<std::unique_ptr<Batch>> all WEIR_GUARDED_BY(mutex);
  Batch* free WEIR_GUARDED_BY(mutex) = nullptr;
};
Batches& batches() noexcept {
  static base::Forever<Batches> all;
  return all.value;
}

std::unique_ptr<Batch> make_batch() {
  auto made = std::make_unique<Batch>();
  made->first = edt_entries().reserve(kTogether);
  for (std::uint32_t i = 0; i < kTogether; ++i) static_cast<void>(edt_entries().at(made->first + i));
  return made;
}

std::uint32_t generation_after(std::uint32_t generation) noexcept {
  return generation + 1 == Guid::kGenerations ? 1 : generation + 1;
}

// None: too many are given, or there is no memory.
Batch* take_batch(Batches& all) WEIR_REQUIRES(all.mutex) {
  if (all.free == nullptr) {
    if ((all.all.size() + 1) * kTogether > (edt_entries().end() - edt_entries().next()) / kMostShare) return nullptr;
    try {
      all.all.push_back(make_batch());
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    return all.all.back().get();
  }
  return std::exchange(all.free, all.free->next_free);
}

}  // namespace

GivenGuids give_guids() noexcept {
  Batches& all = batches();
  const base::Lock lock(all.mutex);
  Batch* const batch = take_batch(all);
  if (batch == nullptr) return {};
  batch->generation = generation_after(batch->generation);
  batch->left.store(kTogether);
  return {Guid::make_given(Kind::edt, batch->generation, batch->first), kTogether,
          reinterpret_cast<std::uint64_t>(batch)};
}

void end_given(std::uint64_t number) noexcept {
  if (number == 0) return;
  auto& batch = *reinterpret_cast<Batch*>(number);
  if (batch.left.fetch_sub(1) != 1) return;
  Batches& all = batches();
  const base::Lock lock(all.mutex);
  batch.next_free = std::exchange(all.free, &batch);
}

}  // namespace weir::ocr
