// SPDX-License-Identifier: Apache-2.0

// PEs that all wait, for deadlock_test.py: deadlock_shmem CASE. In some cases for ever, in the others for what the
// library cannot see: a thread, a signal handler, a child process or a PE that comes only when a deadlock would have
// been found long ago.
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

constexpr unsigned kLate = 6;  // seconds; a deadlock is found within three

long never, word, lock_word;

void wait_for_word() { shmem_long_wait_until(&word, SHMEM_CMP_NE, 0); }
void set(long* at) { __atomic_store_n(at, 1, __ATOMIC_RELEASE); }

// ---- For ever ----

void words() { shmem_long_wait_until(&never, SHMEM_CMP_GE, 7); }

// PE 0 has the lock and waits for all; PE 1 would come, once it has the lock.
void lock_and_barrier() {
  if (shmem_my_pe() == 0) shmem_set_lock(&lock_word);
  shmem_barrier_all();
  if (shmem_my_pe() == 1) shmem_set_lock(&lock_word);
  shmem_barrier_all();
}

// Each PE is in a barrier of another team than the next one is.
void teams() {
  shmem_team_t first = SHMEM_TEAM_INVALID, second = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), nullptr, 0, &first);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), nullptr, 0, &second);
  shmem_team_sync(shmem_my_pe() % 2 == 0 ? first : second);
}

void heap() {
  if (shmem_my_pe() == 1) words();
  shmem_malloc(64);
}

void threads() {
  std::thread other([] { shmem_set_lock(&lock_word); });
  if (shmem_my_pe() == 0) shmem_long_wait_until(&never, SHMEM_CMP_LT, 0);
  words();
  other.join();
}

void one_has_left() {
  if (shmem_my_pe() != 1) words();
}

void lock_has_left() {
  if (shmem_my_pe() == 1) shmem_set_lock(&lock_word);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) shmem_set_lock(&lock_word);
}

// ---- Not for ever ----

void late_pe() {
  if (shmem_my_pe() == 1) {
    sleep(kLate);
    for (int pe = 0; pe < shmem_n_pes(); ++pe) shmem_long_p(&word, 1, pe);
  }
  wait_for_word();
}

void late_thread() {
  std::thread other([] {
    sleep(kLate);
    set(&word);
  });
  wait_for_word();
  other.join();
}

void late_handler() {
  if (shmem_my_pe() == 0) {
    signal(SIGALRM, [](int) { set(&word); });
    alarm(kLate);
    wait_for_word();
  }
  shmem_barrier_all();
}

// A child has the symmetric heap in common with its parent.
void late_child() {
  long* const shared = static_cast<long*>(shmem_calloc(1, sizeof(long)));
  if (shmem_my_pe() == 0) {
    const pid_t child = fork();
    if (child == 0) {
      sleep(kLate);
      set(shared);
      _exit(0);
    }
    shmem_long_wait_until(shared, SHMEM_CMP_NE, 0);
    waitpid(child, nullptr, 0);
  }
  shmem_barrier_all();
}

// PE 1 is stopped while its word is set; what it would do then, all others wait for.
void stopped() {
  static int process;
  process = getpid();
  shmem_barrier_all();
  if (shmem_my_pe() == 0) {
    sleep(3);  // all others have waited for long by then
    const int other = shmem_int_g(&process, 1);
    kill(other, SIGSTOP);
    shmem_long_p(&word, 1, 1);
    std::printf("stopped %d\n", other);
    std::fflush(stdout);
  }
  if (shmem_my_pe() != 1) wait_for_word();
  if (shmem_my_pe() == 1) {
    wait_for_word();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) shmem_long_p(&word, 1, pe);
  }
}

struct Case {
  const char* name;
  void (*run)();
};
constexpr std::array kCases{Case{"words", words},
                            Case{"lock_and_barrier", lock_and_barrier},
                            Case{"teams", teams},
                            Case{"heap", heap},
                            Case{"threads", threads},
                            Case{"one_has_left", one_has_left},
                            Case{"lock_has_left", lock_has_left},
                            Case{"late_pe", late_pe},
                            Case{"late_thread", late_thread},
                            Case{"late_handler", late_handler},
                            Case{"late_child", late_child},
                            Case{"stopped", stopped}};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& one : kCases) {
    if (argc != 2 || std::strcmp(argv[1], one.name) != 0) continue;
    const bool is_threaded = one.run == threads || one.run == teams;
    shmem_init_thread(is_threaded ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, nullptr);
    one.run();
    return 0;
  }
  std::fprintf(stderr, "deadlock_shmem CASE\n");
  return 2;
}
