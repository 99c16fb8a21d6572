// SPDX-License-Identifier: Apache-2.0

// An OCR program whose memory ends while it is restored: `ocr_half`. EDTs with many slots follow one another, all of
// them ready at once, until a line comes on standard input; each writes a byte to standard output.
//
// FAIL_ALLOCATION: which of the allocations of the first thread fails, counted from when it has read the frontier of a
// checkpoint; -1: none, but how many there are before the first EDT begins is said on standard error, with one worker.
#include <ocr.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace {

// Nothing of this is written in a run that makes checkpoints, since none would be made of it then.
struct Failing {
  long which = 0;  // 0: nothing is counted
  long done = 0;
};
thread_local Failing failing;

bool fails() noexcept { return failing.which != 0 && ++failing.done == failing.which; }

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* const made = fails() ? nullptr
                     : alignment <= sizeof(void*) * 2
                         ? std::malloc(bytes == 0 ? 1 : bytes)
                         : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, std::size_t(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// What restoring reads from: the frontier begins with these letters.
extern "C" ssize_t pread(int file, void* to, std::size_t bytes, off_t at) {
  const ssize_t done = syscall(SYS_pread64, file, to, bytes, at);
  if (const char* const which = std::getenv("FAIL_ALLOCATION"); which != nullptr && done >= 8)
    if (std::memcmp(to, "WWEIROF", 7) == 0) failing.which = std::atol(which);
  return done;
}

namespace {

constexpr u32 kSlots = 20;  // more than are sorted without an allocation

bool line_has_come() {
  pollfd input{0, POLLIN, 0};
  return poll(&input, 1, 0) > 0;
}

ocrGuid_t step(u32, u64*, u32 depc, ocrEdtDep_t* depv);

void follow(ocrGuid_t of, const ocrGuid_t* blocks) {
  ocrGuid_t edt, slots[kSlots];
  for (u32 i = 0; i < kSlots; ++i) slots[i] = blocks[i];
  ocrEdtCreate(&edt, of, sizeof of / sizeof(u64), reinterpret_cast<u64*>(&of), kSlots, slots, EDT_PROP_NONE, nullptr,
               nullptr);
}

ocrGuid_t step(u32, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  if (std::getenv("FAIL_ALLOCATION") != nullptr && write(1, ".", 1) != 1) ocrAbort(9);
  if (std::exchange(failing.which, 0) < 0) std::fprintf(stderr, "%ld\n", failing.done);
  volatile unsigned x = 0;
  for (unsigned i = 0; i < 20'000; ++i) x = x + i;
  if (line_has_come()) {
    ocrShutdown();
    return NULL_GUID;
  }
  ocrGuid_t blocks[kSlots];
  for (u32 i = 0; i < depc; ++i) blocks[i] = depv[i].guid;
  follow(*reinterpret_cast<const ocrGuid_t*>(paramv), blocks);
  return NULL_GUID;
}

}  // namespace

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t*) {
  constexpr u32 kEdts = 30;
  ocrGuid_t of, blocks[kSlots];
  ocrEdtTemplateCreate(&of, step, sizeof of / sizeof(u64), kSlots);
  for (ocrGuid_t& block : blocks) {
    void* data;
    ocrDbCreate(&block, &data, 100, DB_PROP_NONE, nullptr, NO_ALLOC);
    std::memset(data, 0, 100);
    ocrDbRelease(block);
  }
  for (u32 i = 0; i < kEdts; ++i) follow(of, blocks);
  return NULL_GUID;
}
