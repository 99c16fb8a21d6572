// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/stopped_threads.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "platform/clock.hpp"

namespace weir::shmem {

namespace {

// On the heap: static variables are what is being moved.
struct Gate {
  std::atomic<int> arrived{0}, left{0};
  std::atomic<bool> is_open{false};
};
Gate* gate = nullptr;

int the_signal() noexcept { return SIGRTMIN + 7; }

void wait_at_gate(int) {
  const int error = errno;
  Gate& here = *gate;
  here.arrived.fetch_add(1);
  while (!here.is_open.load()) sched_yield();
  here.left.fetch_add(1);
  errno = error;
}

// For a thread that blocks the signal only as it starts another one, or was just started: pthread_create() does so.
constexpr int kLooks = 10;

bool send(int thread, int signal) { return syscall(SYS_tgkill, getpid(), thread, signal) == 0; }

// A thread that does not come is in the kernel, or has ended: it writes nothing.
void wait_for_arrivals(int wanted) {
  const std::uint64_t deadline = platform::now_ns() + 200'000'000;
  while (gate->arrived.load() < wanted && platform::now_ns() < deadline) sched_yield();
}

}  // namespace

StoppedThreads::StoppedThreads() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask_);
  if (is_alone()) return;
  prepare();
  for (int in_a_row = 0; in_a_row < kLooks;) {
    switch (stop_new_ones()) {
      case Look::all_stopped: return;
      case Look::some_block: ++in_a_row; break;
      case Look::news: in_a_row = 0; break;
    }
  }
}

bool StoppedThreads::is_alone() {
  int threads = 0;
  threads_.each([&threads](int) { ++threads; });
  return threads == 1;
}

// All that is allocated is allocated before the first thread stops.
void StoppedThreads::prepare() {
  seen_.resize(ThreadFiles::kMostThreads);
  seen_[static_cast<std::size_t>(syscall(SYS_gettid))] = true;
  gate = new Gate;  // never freed: a handler may be late
  struct sigaction action {};
  action.sa_handler = wait_at_gate;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(the_signal(), &action, &before_);
}

StoppedThreads::Look StoppedThreads::stop_new_ones() noexcept {
  Look look = Look::all_stopped;
  threads_.each([&](int thread) {
    const auto number = static_cast<std::size_t>(thread);
    if (seen_[number]) return;
    if (threads_.blocks(thread, the_signal())) {
      if (look == Look::all_stopped) look = Look::some_block;
      return;
    }
    seen_[number] = true;
    look = Look::news;
    if (send(thread, the_signal())) ++sent_;
  });
  if (look == Look::news) wait_for_arrivals(sent_);
  if (look == Look::some_block) sched_yield();
  return look;
}

StoppedThreads::~StoppedThreads() {
  if (!seen_.empty()) {
    gate->is_open.store(true);
    const std::uint64_t deadline = platform::now_ns() + 200'000'000;
    while (gate->left.load() < sent_ && platform::now_ns() < deadline) sched_yield();
    // For a thread that gets the signal late the handler stays: the gate is open, and the signal's own action would end
    // the process.
    if (gate->left.load() == sent_) sigaction(the_signal(), &before_, nullptr);
  }
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace weir::shmem
