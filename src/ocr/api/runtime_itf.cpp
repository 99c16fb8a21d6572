// SPDX-License-Identifier: Apache-2.0

// What runtimes built on OCR ask: the running EDT, its storage, workers.
#include "ocr/extensions/ocr-runtime-itf.h"

#include "ocr/api/api.hpp"
#include "ocr/objects/home.hpp"
#include "runtime/workers.hpp"

using namespace weir::ocr;

namespace {

Run* running() noexcept {
  const Local* const caller = local();
  return caller == nullptr ? nullptr : caller->current;
}

// Null outside of EDTs.
ocrGuid_t* storage() {
  Run* const run = running();
  if (run == nullptr) return nullptr;
  auto& storage = run->make_extra().local_storage;
  if (storage == nullptr) storage = std::make_unique<ocrGuid_t[]>(RunExtra::kLocalStorage);
  return storage.get();
}

}  // namespace

extern "C" {

ocrGuid_t ocrElsUserGet(u8 offset) {
  const Run* const run = running();
  const bool unused = run == nullptr || run->extra == nullptr || run->extra->local_storage == nullptr;
  return unused ? ocrGuid_t NULL_GUID_INITIALIZER : run->extra->local_storage[offset];
}

void ocrElsUserSet(u8 offset, ocrGuid_t data) {
  if (ocrGuid_t* const all = storage()) all[offset] = data;
}

u8 ocrEdtLocalStorageGet(void** ptr, u64* size) {
  if (ptr == nullptr || size == nullptr || running() == nullptr) return OCR_EINVAL;
  *ptr = storage();
  *size = RunExtra::kLocalStorage * sizeof(ocrGuid_t);
  return 0;
}

u8 ocrCurrentEdtGet(ocrGuid_t* guid) {
  if (guid == nullptr) return OCR_EINVAL;
  const Run* const run = running();
  *guid = to_c(run == nullptr ? Guid{} : run->edt.guid());
  return 0;
}

void currentEdtUserGet(ocrGuid_t* guid) { static_cast<void>(ocrCurrentEdtGet(guid)); }

u8 ocrCurrentEdtOutputGet(ocrGuid_t* guid) {
  if (guid == nullptr) return OCR_EINVAL;
  const Run* const run = running();
  *guid = to_c(run == nullptr ? Guid{} : run->edt.output());
  return 0;
}

u64 ocrNbWorkers(void) {
  const Local* const caller = local();
  return caller == nullptr ? 0 : static_cast<u64>(caller->worker->scheduler().worker_count());
}

// Those of ranks differ by their generation, and from a context's, whose index is 0, by their index.
void ocrCurrentWorkerGuid(ocrGuid_t* guid) {
  const Local* const caller = local();
  if (guid == nullptr) return;
  const auto index = caller == nullptr ? 0 : static_cast<std::uint32_t>(caller->worker->index()) + 1;
  *guid = to_c(index == 0 ? Guid{} : Guid::make(Kind::context, homes().here % Guid::kGenerations, index));
}

u8 ocrInformLegacyCodeBlocking(void) {
  return in_program([](Local& local) -> u8 {
    local.worker->let_others_run();
    return 0;
  });
}

}  // extern "C"
