// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/given_guids.hpp"

#include <atomic>
#include <memory>
#include <new>

#include "base/mutex.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

namespace {

constexpr std::uint32_t kTogether = 64;  // GUIDs of a batch
constexpr std::uint64_t kMostShare = 4;  // of this rank's indices of EDTs, one part in so many is given away

struct Batch {
  std::uint32_t first = 0;  // index
  std::uint32_t generation = 0;
  std::atomic<std::uint32_t> left{0};  // whose EDT has not ended
};
struct Batches {
  base::Mutex mutex;
  std::vector<std::unique_ptr<Batch>> all WEIR_GUARDED_BY(mutex);
  std::vector<Batch*> free WEIR_GUARDED_BY(mutex);
};
Batches& batches() noexcept {
  static auto& all = *new Batches;  // threads may end after static destruction
  return all;
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
  if (all.free.empty()) {
    if ((all.all.size() + 1) * kTogether > (homes().end() - homes().first()) / kMostShare) return nullptr;
    try {
      all.free.reserve(all.all.size() + 1);  // so that end_given() needs no memory
      all.all.push_back(make_batch());
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    return all.all.back().get();
  }
  Batch* const taken = all.free.back();
  all.free.pop_back();
  return taken;
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
  auto& batch = *reinterpret_cast<Batch*>(number);
  if (batch.left.fetch_sub(1) != 1) return;
  Batches& all = batches();
  const base::Lock lock(all.mutex);
  all.free.push_back(&batch);
}

}  // namespace weir::ocr
