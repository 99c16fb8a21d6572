// SPDX-License-Identifier: Apache-2.0

// What the benchmarks of a runner share: what is asked for, clocks, checks, and how runs are printed.
#pragma once

#include <time.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "bench/line_time.hpp"

namespace weir::bench {

struct Request {
  std::string bench;
  int workers = 1;
  long count = 1;
  int repeat = 1;
  int width = 8;
};

struct Span {
  double wall_ns = 0;
  double cpu_ns = 0;
};

inline double clock_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

template <class Work>
Span timed(Work&& work) {
  const double cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = clock_ns(CLOCK_MONOTONIC);
  work();
  return {clock_ns(CLOCK_MONOTONIC) - wall, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

inline void require(bool right, const std::string& what) {
  if (!right) throw std::runtime_error(what);
}

inline void append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ',';
  list += item;
}

inline void append_line_time(std::string& list, const Request& request) {
  if (request.workers < 2) return;
  if (const double ns = line_time_ns(); ns > 0) append(list, std::to_string(ns));
}

// One run in a fresh process, whose memory is still to be had from the kernel, then `repeat` that count; prints
// nanoseconds per task of each. `work` returns its Span; what it does around it is not counted.
template <class Work>
void measure_spans(const Request& request, double tasks, Work&& work) {
  const double cold = work().wall_ns / tasks;
  std::string wall, cpu, line;
  append_line_time(line, request);
  for (int i = 0; i < request.repeat; ++i) {
    const Span span = work();
    append(wall, std::to_string(span.wall_ns / tasks));
    append(cpu, std::to_string(span.cpu_ns / tasks));
    append_line_time(line, request);
  }
  std::printf("{\"unit\":\"ns\",\"cold\":%f,\"wall\":[%s],\"cpu\":[%s],\"line\":[%s]}\n", cold, wall.c_str(),
              cpu.c_str(), line.c_str());
}

template <class Work>
void measure(const Request& request, double tasks, Work&& work) {
  measure_spans(request, tasks, [&work] { return timed(work); });
}

}  // namespace weir::bench
