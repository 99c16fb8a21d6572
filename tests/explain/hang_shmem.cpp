// SPDX-License-Identifier: Apache-2.0

// PEs that stand still in one way each, for explain_shmem_test.py: hang_shmem CASE.

#include <shmem.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "weir/weir.hpp"

namespace {

long never, lock_word;
long sync_word[SHMEM_SYNC_SIZE];

// The program's own code, for ever.
void sleep_for_ever() {
  for (;;) pause();
}

void behind() {
  shmem_barrier_all();
  if (shmem_my_pe() == 2) sleep_for_ever();
  shmem_barrier_all();
}

// What the library does not see, and might end a wait: it does not end the job, in which all PEs wait.
void start_a_thread() { std::thread(sleep_for_ever).detach(); }

void word() {
  start_a_thread();
  shmem_long_wait_until(&never, SHMEM_CMP_GE, 7);
}

void any_word() {
  static std::uint64_t words[3];
  if (shmem_my_pe() != 0) sleep_for_ever();
  shmem_uint64_wait_until_any(words, 3, nullptr, SHMEM_CMP_NE, 0);
}

// PE 0 has the lock and waits for all; PE 1 would come, once it has the lock.
void circle() {
  start_a_thread();
  if (shmem_my_pe() == 0) shmem_set_lock(&lock_word);
  shmem_barrier_all();
  if (shmem_my_pe() == 1) shmem_set_lock(&lock_word);
  shmem_barrier_all();
}

// The even PEs meet in a team of theirs, but for PE 2.
void team() {
  shmem_team_t even = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (shmem_n_pes() + 1) / 2, nullptr, 0, &even);
  long* const data = static_cast<long*>(shmem_malloc(2 * sizeof(long)));
  if (even != SHMEM_TEAM_INVALID && shmem_my_pe() != 2) shmem_long_sum_reduce(even, data + 1, data, 1);
  sleep_for_ever();
}

void active_set() {
  if (shmem_my_pe() == 1) sleep_for_ever();
  shmem_barrier(0, 0, shmem_n_pes(), sync_word);
}

void heap() {
  if (shmem_my_pe() == 1) sleep_for_ever();
  shmem_malloc(64);
}

void finalize() {
  if (shmem_my_pe() == 1) sleep_for_ever();
  shmem_finalize();
}

// A task that never ends, in a runtime of PE 0's.
void runtime() {
  if (shmem_my_pe() == 0) {
    weir::Options options = weir::Options::from_environment();
    options.workers = 1;
    options.bind = weir::Bind::none;
    weir::Runtime tasks(options);
    tasks.spawn(weir::name("endless"), [] { sleep_for_ever(); });
    shmem_barrier_all();
  }
  shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
}

// PE 1 returns from main; the others wait for it in vain.
void returns_before_barrier() {
  if (shmem_my_pe() != 1) shmem_barrier_all();
}
void returns_before_word() {
  if (shmem_my_pe() == 0) shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
}
void returns_with_lock() {
  if (shmem_my_pe() == 1) shmem_set_lock(&lock_word);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) shmem_set_lock(&lock_word);
}

void returns_before_heap() {
  if (shmem_my_pe() != 1) shmem_malloc(64);
}

struct Case {
  const char* name;
  void (*run)();
};
constexpr Case kCases[] = {{"behind", behind},
                           {"word", word},
                           {"any_word", any_word},
                           {"circle", circle},
                           {"team", team},
                           {"active_set", active_set},
                           {"heap", heap},
                           {"finalize", finalize},
                           {"runtime", runtime},
                           {"returns_before_barrier", returns_before_barrier},
                           {"returns_before_word", returns_before_word},
                           {"returns_with_lock", returns_with_lock},
                           {"returns_before_heap", returns_before_heap}};

}  // namespace

int main(int argc, char** argv) {
  shmem_init();
  std::printf("PE %d is ready\n", shmem_my_pe());
  std::fflush(stdout);
  for (const Case& one : kCases) {
    if (argc == 2 && std::strcmp(argv[1], one.name) == 0) {
      one.run();
      return 0;
    }
  }
  std::fprintf(stderr, "hang_shmem CASE\n");
  return 2;
}
