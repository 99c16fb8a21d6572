// SPDX-License-Identifier: Apache-2.0

// What recording costs: trace_cost TASKS NANOSECONDS WORKERS. For trace_cost.py, which runs it traced and not.
//
// Tasks without footprints that run for so long each (0: empty), in rounds of a thousand. Prints the time until the
// last one has ended, the processor time of that by the workers' threads and by the process, and the time that the
// runtime's end takes, in seconds.
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "weir/weir.hpp"

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double used(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// By the count of a loop: no clock is read in a task.
void work(long steps) {
  for (long i = 0; i < steps; ++i) asm volatile("");
}

double steps_per_ns() {
  const double start = now();
  work(20'000'000);
  return 20'000'000 / (1e9 * (now() - start));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: trace_cost TASKS NANOSECONDS WORKERS\n", stderr);
    return 2;
  }
  const long tasks = std::atol(argv[1]), ns = std::atol(argv[2]);
  const long steps = ns == 0 ? 0 : static_cast<long>(static_cast<double>(ns) * steps_per_ns());
  weir::Options options = weir::Options::from_environment();
  options.workers = std::atoi(argv[3]);
  std::optional<weir::Runtime> runtime(std::in_place, options);
  const double start = now(), thread = used(CLOCK_THREAD_CPUTIME_ID), process = used(CLOCK_PROCESS_CPUTIME_ID);
  for (long made = 0; made < tasks;) {
    for (int i = 0; i < 1000; ++i, ++made) runtime->spawn([steps] { work(steps); });
    runtime->wait();
  }
  const double end = now(), thread_end = used(CLOCK_THREAD_CPUTIME_ID), process_end = used(CLOCK_PROCESS_CPUTIME_ID);
  runtime.reset();
  std::printf("%.6f %.6f %.6f %.6f\n", end - start, thread_end - thread, process_end - process, now() - end);
  return 0;
}
