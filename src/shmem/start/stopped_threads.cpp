// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/stopped_threads.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

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

std::vector<int> other_threads() {
  std::vector<int> threads;
  const int self = static_cast<int>(syscall(SYS_gettid));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = entry.path().filename().string();
    int thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread != self && thread > 0) threads.push_back(thread);
  }
  return threads;
}

bool blocks_the_signal(int thread) {
  std::ifstream file(fmt::format("/proc/self/task/{}/status", thread));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("SigBlk:")) continue;
    const unsigned long long mask = std::stoull(line.substr(7), nullptr, 16);
    return (mask >> (the_signal() - 1) & 1) != 0;
  }
  return true;  // it has ended
}

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
  while (stop_new_ones()) {
  }
}

// False: there are none that were not seen before.
bool StoppedThreads::stop_new_ones() {
  bool found = false;
  for (const int thread : other_threads()) {
    if (std::find(seen_.begin(), seen_.end(), thread) != seen_.end()) continue;
    seen_.push_back(thread);
    found = true;
    if (blocks_the_signal(thread)) continue;
    if (!has_handler_) {
      gate = new Gate;  // never freed: a handler may be late
      struct sigaction action {};
      action.sa_handler = wait_at_gate;
      action.sa_flags = SA_RESTART;
      sigfillset(&action.sa_mask);
      sigaction(the_signal(), &action, &before_);
      has_handler_ = true;
    }
    if (send(thread, the_signal())) ++sent_;
  }
  if (sent_ > 0) wait_for_arrivals(sent_);
  return found;
}

StoppedThreads::~StoppedThreads() {
  if (has_handler_) {
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
