// SPDX-License-Identifier: Apache-2.0

// An OCR program whose EDTs run while a checkpoint writes a large block: `ocr_goes_on`. Writing stands still until an
// EDT that has nothing to do with the block has run, and one that writes the block has been made and has not. It ends
// when the latter has run; with exit code 3, and a line on standard error, if either is otherwise.
#include <ocr.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

constexpr u64 kBytes = u64{8} << 20, kTag = 0x676f6573206f6e21;

// Not in static storage, of which no checkpoint could be made when it is written.
struct Seen {
  std::atomic<bool> writes{false}, made{false}, written{false};
  std::atomic<int> after{0};  // EDTs since `made`
};
Seen* const seen = new Seen;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "ocr_goes_on: %s\n", what);
  _exit(3);
}

// The first part of the block is being written.
void look() {
  if (seen->writes.exchange(true)) return;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);  // else it hangs
  while (seen->after < 5) {
    if (std::chrono::steady_clock::now() > until) fail("no EDT runs while a block is being written");
    std::this_thread::yield();
  }
  if (seen->written) fail("an EDT has written a block before it was in the checkpoint");
}

}  // namespace

extern "C" ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t at) {
  u64 tag = 0;
  if (bytes >= sizeof tag) std::memcpy(&tag, from, sizeof tag);
  if (tag == kTag) look();
  return syscall(SYS_pwrite64, file, from, bytes, at);
}

namespace {

ocrGuid_t write_block(u32, u64*, u32, ocrEdtDep_t* depv) {
  *static_cast<u64*>(depv[0].ptr) = 0;
  seen->written = true;
  return NULL_GUID;
}

// Parameters: its template, that of write_block(), the block.
ocrGuid_t again(u32 paramc, u64* paramv, u32, ocrEdtDep_t*) {
  const auto* const guids = reinterpret_cast<const ocrGuid_t*>(paramv);
  ocrGuid_t edt;
  if (seen->written) {
    ocrShutdown();
    return NULL_GUID;
  }
  if (seen->made) ++seen->after;
  if (seen->writes && !seen->made.exchange(true)) {
    ocrEdtCreate(&edt, guids[1], 0, nullptr, 1, nullptr, EDT_PROP_NONE, nullptr, nullptr);
    ocrAddDependence(guids[2], edt, 0, DB_MODE_RW);
  }
  volatile unsigned x = 0;
  for (unsigned i = 0; i < 20'000; ++i) x = x + i;
  ocrEdtCreate(&edt, guids[0], paramc, paramv, 0, nullptr, EDT_PROP_NONE, nullptr, nullptr);
  return NULL_GUID;
}

}  // namespace

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t*) {
  constexpr u32 kWords = 3 * sizeof(ocrGuid_t) / sizeof(u64);
  ocrGuid_t guids[3], edt;
  void* data;
  ocrEdtTemplateCreate(&guids[0], again, kWords, 0);
  ocrEdtTemplateCreate(&guids[1], write_block, 0, 1);
  ocrDbCreate(&guids[2], &data, kBytes, DB_PROP_NONE, nullptr, NO_ALLOC);
  std::memset(data, 0, kBytes);
  std::memcpy(data, &kTag, sizeof kTag);
  ocrDbRelease(guids[2]);
  ocrEdtCreate(&edt, guids[0], kWords, reinterpret_cast<u64*>(guids), 0, nullptr, EDT_PROP_NONE, nullptr, nullptr);
  return NULL_GUID;
}
