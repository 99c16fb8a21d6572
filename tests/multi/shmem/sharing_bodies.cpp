// SPDX-License-Identifier: Apache-2.0

#include <thread>
#include <vector>

#include "multi/shmem/bodies.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/rma/lock.hpp"
#include "shmem/rma/rma.hpp"
#include "shmem/rma/wait.hpp"
#include "shmem/start/start.hpp"

namespace weir::shmem::multi {

namespace {

constexpr int kGreaterEqual = static_cast<int>(Comparison::ge);

Context& ctx() { return default_context(); }

void locks() {
  start(ThreadLevel::single);
  auto* const lock = make<long>(2);
  auto* const counter = make<long>(1);
  for (int i = 0; i < 100; ++i) {
    if (i % 2 == 0) {
      set_lock(lock + 1);
    } else {
      for (Waiting waiting; !test_lock(lock + 1);) waiting.pause();
    }
    expect(!test_lock(lock + 1), "a lock that is set is not given");
    p(ctx(), counter, g(ctx(), counter, 0) + 1, 0);
    clear_lock(lock + 1);
  }
  meet();
  expect(g(ctx(), counter, 0) == 100L * pes(), "one PE at a time has the lock");
  finish();
}

void contexts() {
  start(ThreadLevel::single);
  auto* const word = make<long>(4);
  expect(create_context(1 << 20) == nullptr, "null for an unknown option");
  Context* const own = create_context(Context::kPrivate);
  Context* const team = create_context(0, {.start = pes() - 1, .stride = -1, .size = pes()}, word);
  expect(team->world_pe(0) == pes() - 1 && team->world_pe(pes() - 1) == 0, "PEs of a team are translated");
  const int list[] = {next(), me()};
  Context* const listed = create_context(0, {.size = 2, .list = list}, word);
  expect(listed->world_pe(0) == next() && listed->world_pe(1) == me(), "PEs of a list are translated");
  const long five = 5;
  put_nbi(*own, word, &five, sizeof(five), next());
  fence(*own);
  p(*own, word + 1, 6L, next());
  quiet(*own);
  const int target = next();
  p(*team, word + 2, 7L, next());
  quiet(*team, &target, 1);
  meet();
  expect(word[0] == 5 && word[1] == 6 && word[2] == 7, "operations of contexts are done after their quiet");
  destroy_context(own);
  destroy_contexts_of(word);
  finish();
}

// Threads of every PE put, add, lock and wait at the same time.
void threads() {
  constexpr int kThreads = 4, kRounds = 100;
  expect(start(ThreadLevel::multiple) == ThreadLevel::multiple, "the thread level is given");
  auto* const sums = make<long>(kThreads + 1);
  auto* const flags = make<long>(kThreads);
  auto* const answers = make<long>(kThreads);
  auto* const lock = make<long>(1);
  auto* const counter = make<long>(1);
  std::vector<std::thread> all;
  for (int t = 0; t < kThreads; ++t) {
    all.emplace_back([=] {
      Context* const own = t % 2 == 0 ? create_context(0) : &ctx();
      for (long round = 1; round <= kRounds; ++round) {
        atomic_add(*own, sums + t, 1L, 0);
        atomic_add(*own, sums + kThreads, 1L, 0);
        p(*own, flags + t, round, next());
        wait_until(flags + t, kGreaterEqual, round);
        p(*own, answers + t, round, previous());
        wait_until(answers + t, kGreaterEqual, round);
        if (round % 10 != 0) continue;
        set_lock(lock);
        p(*own, counter, g(*own, counter, 0) + 1, 0);
        quiet(*own);
        clear_lock(lock);
      }
      quiet(*own);
    });
  }
  for (std::thread& thread : all) thread.join();
  meet();
  expect(g(ctx(), sums + kThreads, 0) == long{kThreads} * kRounds * pes(), "additions of all threads are there");
  expect(g(ctx(), counter, 0) == long{kThreads} * kRounds / 10 * pes(), "one thread at a time has the lock");
  finish();
}

const Named kLocks("locks", locks);
const Named kContexts("contexts", contexts);
const Named kThreads("threads", threads);

}  // namespace

}  // namespace weir::shmem::multi
