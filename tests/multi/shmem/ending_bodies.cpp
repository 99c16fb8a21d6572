// SPDX-License-Identifier: Apache-2.0

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "multi/shmem/bodies.hpp"
#include "shmem/heap/heap.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/rma/lock.hpp"
#include "shmem/rma/rma.hpp"
#include "shmem/rma/wait.hpp"
#include "shmem/start/start.hpp"

namespace weir::shmem::multi {

namespace {

long word;
Context& ctx() { return default_context(); }

void say_ready() {
  std::printf("PE %d is ready\n", me());
  std::fflush(stdout);
}

void wait_for_ever() {
  start(ThreadLevel::single);
  say_ready();
  wait_until(&word, static_cast<int>(Comparison::eq), 1L);
}

// PE 0 has the lock and ends; the others wait for it.
void lock_for_ever() {
  start(ThreadLevel::single);
  if (me() == 0) set_lock(&word);
  meet();
  say_ready();
  if (me() != 0) set_lock(&word);
  wait_until(&word, static_cast<int>(Comparison::eq), -1L);
}

void meet_for_ever() {
  start(ThreadLevel::single);
  say_ready();
  if (me() == 0) wait_until(&word, static_cast<int>(Comparison::eq), 1L);
  meet();
}

// Does a bit of everything until it is killed.
void busy_for_ever() {
  start(ThreadLevel::single);
  static long lock, counter, flag;
  for (long round = 1;; ++round) {
    auto* const data = static_cast<long*>(allocate(64 + static_cast<std::size_t>(round) % 7 * 1000));
    set_lock(&lock);
    p(ctx(), &counter, g(ctx(), &counter, 0) + 1, 0);
    clear_lock(&lock);
    p(ctx(), &flag, round, next());
    wait_until(&flag, static_cast<int>(Comparison::ge), round);
    atomic_add(ctx(), data, 1L, next());
    release(data);
    if (round % 10 == 0) say_ready();
  }
}

// The last PE ends all while one waits for a word, others for all, and one computes.
void global_exit_of_the_last() {
  start(ThreadLevel::single);
  meet();
  if (me() == pes() - 1) global_exit(42);
  if (me() == 0) wait_until(&word, static_cast<int>(Comparison::eq), 1L);
  if (me() == 1) {
    for (;;) asm volatile("" : : : "memory");
  }
  meet();
}

void exits_with_a_status() {
  start(ThreadLevel::single);
  meet();
  if (me() == pes() - 1) std::exit(3);
  meet();
  meet();
}

void before_the_start() { p(ctx(), &word, 1L, 0); }
void no_such_pe() {
  start(ThreadLevel::single);
  p(ctx(), &word, 1L, pes());
}
void on_the_stack() {
  start(ThreadLevel::single);
  long local = 0;
  p(ctx(), &local, 1L, me());
}
void signal_on_the_stack() {
  start(ThreadLevel::single);
  long local = 0;
  put_signal(ctx(), &local, &word, sizeof(word), {reinterpret_cast<std::uint64_t*>(&word), 1}, next());
}
void signal_on_the_stack_nbi() {
  start(ThreadLevel::single);
  long local = 0;
  put_signal_nbi(ctx(), &local, &word, sizeof(word), {reinterpret_cast<std::uint64_t*>(&word), 1}, next());
}
void beyond_the_end() {
  start(ThreadLevel::single);
  char byte[64] = {};
  const Segment& heap = world().segments[0];
  put(ctx(), reinterpret_cast<void*>(heap.start + heap.size - 10), byte, 64, me());
}
void not_aligned() {
  start(ThreadLevel::single);
  atomic_add(ctx(), reinterpret_cast<long*>(reinterpret_cast<char*>(&word) + 4), 1L, me());
}
void not_allocated() {
  start(ThreadLevel::single);
  auto* const data = static_cast<char*>(allocate(100));
  release(data + 64);
}
// A page of the heap that cannot be had: beyond the end of the file that is mapped there.
void no_page() {
  start(ThreadLevel::single);
  constexpr std::size_t kPage = 65536;
  auto* const data = static_cast<char*>(allocate_aligned(kPage, kPage));
  const int file = memfd_create("no-page", 0);
  if (mmap(data, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != data) std::abort();
  data[100] = 1;
}
void no_page_of_its_own() {
  constexpr std::size_t kPage = 65536;
  start(ThreadLevel::single);
  const int file = memfd_create("no-page", 0);
  auto* const data = static_cast<char*>(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  data[100] = 1;
}
void lock_not_set() {
  start(ThreadLevel::single);
  clear_lock(&word);
}
void unknown_comparison() {
  start(ThreadLevel::single);
  wait_until(&word, 17, 1L);
}

const Named kWait("wait-for-ever", wait_for_ever);
const Named kBusy("busy-for-ever", busy_for_ever);
const Named kLock("lock-for-ever", lock_for_ever);
const Named kMeet("meet-for-ever", meet_for_ever);
const Named kGlobalExit("global-exit", global_exit_of_the_last);
const Named kExit("exit", exits_with_a_status);
const Named kBefore("before-the-start", before_the_start);
const Named kNoPe("no-such-pe", no_such_pe);
const Named kStack("on-the-stack", on_the_stack);
const Named kSignalOnStack("signal-on-the-stack", signal_on_the_stack);
const Named kSignalOnStackNbi("signal-on-the-stack-nbi", signal_on_the_stack_nbi);
const Named kBeyond("beyond-the-end", beyond_the_end);
const Named kNotAligned("not-aligned", not_aligned);
const Named kNotAllocated("not-allocated", not_allocated);
const Named kNoPage("no-page", no_page);
const Named kNoOwnPage("no-page-of-its-own", no_page_of_its_own);
const Named kNotSet("lock-not-set", lock_not_set);
const Named kUnknown("unknown-comparison", unknown_comparison);

}  // namespace

}  // namespace weir::shmem::multi
