// SPDX-License-Identifier: Apache-2.0

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "multi/shmem/bodies.hpp"
#include "multi/shmem/users_library.hpp"
#include "shmem/heap/heap.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/rma/rma.hpp"
#include "shmem/start/start.hpp"

namespace weir::shmem::multi {

namespace {

long zero;                        // .bss
long ones[3] = {11, 12, 13};      // .data
long large[1 << 22];              // 32 MiB, of which little is touched
thread_local long of_the_thread;  // not symmetric

Context& ctx() { return default_context(); }

void static_data_of_program_and_library() {
  zero = 3;  // before the start: kept
  large[77] = 5;
  users_library::set[1] = 22;
  start(ThreadLevel::single);
  expect(zero == 3 && large[77] == 5 && large[78] == 0 && ones[2] == 13,
         "variables keep what they were before the start");
  expect(users_library::set[0] == 1 && users_library::set[1] == 22 && *users_library::hidden() == 5,
         "variables of a library keep what they were");
  meet();
  p(ctx(), &zero, 100L + me(), next());
  p(ctx(), &ones[1], 200L + me(), next());
  p(ctx(), &large[(1 << 22) - 1], 300L + me(), next());
  p(ctx(), &users_library::counter, 400L + me(), next());
  p(ctx(), &users_library::table[9999], 500L + me(), next());
  p(ctx(), users_library::hidden(), 600L + me(), next());
  meet();
  expect(zero == 100 + previous() && ones[1] == 200 + previous() && large[(1 << 22) - 1] == 300 + previous(),
         "variables of the program are where the other PE puts");
  expect(users_library::counter == 400 + previous() && users_library::table[9999] == 500 + previous() &&
             *users_library::hidden() == 600 + previous(),
         "variables of a library are where the other PE puts");
  expect(ones[0] == 11 && ones[2] == 13, "neighbours of a variable keep their values");
  expect(g(ctx(), &ones[1], next()) == 200 + me(), "a get of a variable gives what it holds there");
  expect(!is_symmetric(&of_the_thread, 8) && !is_symmetric(&users_library::fixed, 4) &&
             !is_symmetric(reinterpret_cast<const void*>(&std::puts), 1),
         "what is thread-local, read-only or code is not symmetric");
  const long put_here = 100 + previous();
  finish();
  if (zero != put_here) std::abort();  // variables keep their values after the end
}

void forked_children() {
  start(ThreadLevel::single);
  zero = 1;
  meet();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_as_it_was = zero == 1 && ones[0] == 11 && users_library::set[2] == 3;
    zero = 50;
    users_library::counter = 60;
    const pid_t grandchild = fork();
    if (grandchild == 0) exit(zero == 50 ? 0 : 9);  // handlers at exit do nothing there
    int status = 1;
    waitpid(grandchild, &status, 0);
    exit(is_as_it_was && status == 0 ? 0 : 8);
  }
  zero = 2;
  int status = 1;
  waitpid(child, &status, 0);
  expect(status == 0, "a child sees the variables as they were at the fork, and so does its child");
  expect(zero == 2 && users_library::counter == 0, "what a child writes does not reach the PE");
  expect(std::system("exit 7") == 7 << 8, "system() works");
  FILE* const output = popen("echo popen", "r");
  char line[16] = {};
  expect(output != nullptr && std::fgets(line, sizeof(line), output) != nullptr && std::strcmp(line, "popen\n") == 0,
         "popen() works");
  pclose(output);
  meet();
  p(ctx(), &zero, 70L, next());
  meet();
  expect(zero == 70, "variables are symmetric as before after a fork");
  finish();
}

// Threads that write to variables while the pages under them are exchanged lose no write.
void threads_before_the_start() {
  constexpr int kThreads = 3;
  static std::atomic<long> counts[kThreads];
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  std::atomic<long> written[kThreads]{};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      while (!is_over.load()) {
        counts[i].fetch_add(1);
        written[i].fetch_add(1);
      }
    });
  }
  while (written[0].load() == 0 || written[1].load() == 0 || written[2].load() == 0) std::this_thread::yield();
  start(ThreadLevel::single);
  is_over.store(true);
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) expect(counts[i].load() == written[i].load(), "a thread's writes are all there");
  finish();
}

void heap() {
  start(ThreadLevel::single);
  expect(allocate(0) == nullptr && allocate_cleared(0, 8) == nullptr && allocate_aligned(64, 0) == nullptr,
         "nothing for 0 bytes");
  expect(allocate_cleared(SIZE_MAX / 4, 8) == nullptr, "nothing for more than there are addresses");
  expect(allocate(std::size_t{1} << 45) == nullptr, "nothing for more than the heap");
  auto* const a = static_cast<long*>(allocate(100 * sizeof(long)));
  auto* const b = static_cast<long*>(allocate_cleared(1000, sizeof(long)));
  auto* const c = static_cast<char*>(allocate_aligned(8192, 100));
  expect(a != nullptr && b != nullptr && c != nullptr, "there is room");
  expect(reinterpret_cast<std::uintptr_t>(c) % 8192 == 0, "aligned as asked for");
  expect(allocate_aligned(24, 8) == nullptr, "nothing for an alignment that is no power of two");
  expect(std::all_of(b, b + 1000, [](long value) { return value == 0; }), "cleared");
  for (int i = 0; i < 100; ++i) p(ctx(), a + i, 1000L * me() + i, next());
  meet();
  for (int i = 0; i < 100; ++i) expect(a[i] == 1000L * previous() + i, "the heap is where the other PE puts");
  auto* const moved = static_cast<long*>(reallocate(a, 100000));
  for (int i = 0; i < 100; ++i) expect(moved[i] == 1000L * previous() + i, "a larger one keeps the contents");
  std::fill(b, b + 1000, 1);
  release(b);
  auto* const again = static_cast<long*>(allocate_cleared(1000, sizeof(long)));
  expect(std::all_of(again, again + 1000, [](long value) { return value == 0; }), "cleared though it was used before");
  expect(reallocate(moved, 0) == nullptr, "0 bytes: released");
  release(again);
  release(c);
  release(nullptr);
  expect(allocate_with_hints(8, kAtomicsRemote | kSignalRemote) != nullptr, "hints of the specification are taken");
  expect(allocate_with_hints(8, ~long{kAtomicsRemote}) != nullptr, "hints that mean nothing are only hints");
  for (const long number : {3L, 16L, 17L, 1L << 20})
    expect(allocate_with_hints(8, number << kPartitionShift) == nullptr, "null for unknown partitions");
  expect(allocate_with_hints(8, kNoBarrier) != nullptr, "an allocation without a barrier");
  finish();
}

// With SHMEM_SYMMETRIC_PARTITION2.
void partitions() {
  start(ThreadLevel::single);
  auto* const word = static_cast<long*>(allocate_with_hints(64, 2L << kPartitionShift));
  expect(word != nullptr && segment_of(word) != &world().segments[0], "it lies in the partition");
  atomic_set(ctx(), word, 5L + me(), next());
  meet();
  expect(*word == 5 + previous(), "a partition is symmetric");
  release(word);
  finish();
}

void starts_and_ends_again() {
  zero = 0;
  for (int round = 0; round < 3; ++round) {
    expect(start(ThreadLevel::single) == ThreadLevel::single && start(ThreadLevel::multiple) == ThreadLevel::single,
           "the first start's thread level stays");
    expect(zero == (round == 0 ? 0 : 10L * (round - 1) + previous()),
           "variables keep their values from start to start");
    finish();
    expect(is_started(), "not ended before the last end");
    auto* const word = static_cast<long*>(allocate(8));
    meet();
    p(ctx(), word, 7L, next());
    p(ctx(), &zero, 10L * round + me(), next());
    meet();
    expect(*word == 7 && zero == 10L * round + previous(), "memory is symmetric after each start");
    finish();
    expect(!is_started(), "ended");
  }
  finish();  // one too many: nothing
}

void returns_without_an_end() {
  start_once();
  start_once();
  p(ctx(), &zero, 1L, next());
  std::printf("PE %d returns\n", me());
}

const Named kStatic("static", static_data_of_program_and_library);
const Named kFork("fork", forked_children);
const Named kThreadsBefore("threads-before", threads_before_the_start);
const Named kHeap("heap", heap);
const Named kPartitions("partitions", partitions);
const Named kAgain("again", starts_and_ends_again);
const Named kReturns("returns", returns_without_an_end);

}  // namespace

}  // namespace weir::shmem::multi
