// SPDX-License-Identifier: Apache-2.0

// weir-bench-<runtime> BENCH WORKERS COUNT REPEAT WIDTH: one benchmark of one runtime, as one JSON line on standard
// output. weir-bench-<runtime> about: {"about": ...}.
//
// Called by `weir bench tasks`, which interleaves such processes; bench/README.md describes the output. Exit status 1
// and a line on standard error when a check of the result fails.
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/line_time.hpp"
#include "bench/tasks/contender.hpp"
#include "bench/tasks/kernel.hpp"

namespace weir::bench {

namespace {

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

double clock_ns(clockid_t clock) {
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

void require(bool right, const std::string& what) {
  if (!right) throw std::runtime_error(what);
}

void append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ',';
  list += item;
}

void append_line_time(std::string& list, const Request& request) {
  if (request.workers < 2) return;
  if (const double ns = line_time_ns(); ns > 0) append(list, std::to_string(ns));
}

// One run in a fresh process, whose memory is still to be had from the kernel, then `repeat` that count; prints
// nanoseconds per task of each.
template <class Work>
void measure(const Request& request, double tasks, Work&& work) {
  const double cold = timed(work).wall_ns / tasks;
  std::string wall, cpu, line;
  append_line_time(line, request);
  for (int i = 0; i < request.repeat; ++i) {
    const Span span = timed(work);
    append(wall, std::to_string(span.wall_ns / tasks));
    append(cpu, std::to_string(span.cpu_ns / tasks));
    append_line_time(line, request);
  }
  std::printf("{\"unit\":\"ns\",\"cold\":%f,\"wall\":[%s],\"cpu\":[%s],\"line\":[%s]}\n", cold, wall.c_str(),
              cpu.c_str(), line.c_str());
}

void run_independent(Contender& contender, const Request& request) {
  std::atomic<long> counter{0};
  const long checked = std::min(request.count, 10000L);
  contender.independent_counted(checked, counter);
  require(counter.load() == checked,
          "independent: " + std::to_string(counter.load()) + " tasks ran, not " + std::to_string(checked));
  measure(request, double(request.count), [&] { contender.independent(request.count); });
}

void run_chain(Contender& contender, const Request& request) {
  Slot slot;
  measure(request, double(request.count), [&] {
    slot.value = 0;
    contender.chain(request.count, slot);
    require(slot.value == request.count, "chain: the tasks ran out of order or not all: " + std::to_string(slot.value) +
                                             " counted, not " + std::to_string(request.count));
  });
}

// A call with n >= 2 spawns one task and calls itself once.
long spawns_of(int n) { return n < 2 ? 0 : 1 + spawns_of(n - 1) + spawns_of(n - 2); }
long serial_fibonacci(int n) { return n < 2 ? n : serial_fibonacci(n - 1) + serial_fibonacci(n - 2); }

void run_fork_join(Contender& contender, const Request& request) {
  const int n = int(request.count);
  const long right = serial_fibonacci(n);
  measure(request, double(std::max(spawns_of(n), 1L)),
          [&] { require(contender.fibonacci(n) == right, "forkjoin: the sum is wrong"); });
}

void run_wavefront(Contender& contender, const Request& request) {
  const int side = int(std::sqrt(double(request.count)));
  measure(request, double(side) * side, [&] {
    Wavefront grid(side);
    contender.wavefront(grid);
    require(grid.rows.back().value == 2L * side - 1, "wavefront: a task ran before one it depends on");
  });
}

double resident_bytes() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  require(pages > 0, "bytes_per_task: cannot read /proc/self/statm");
  return double(pages) * double(sysconf(_SC_PAGESIZE));
}

double heap_bytes() { return double(mallinfo2().uordblks); }

void run_bytes(Contender& contender, const Request& request) {
  const bool few = contender.pending_limit() < request.count;
  const long count = std::min(request.count, contender.pending_limit());
  auto used = few ? heap_bytes : resident_bytes;
  const double before = used();
  double peak = before;
  contender.pending(count, [&] { peak = used(); });
  std::printf("{\"unit\":\"bytes\",\"wall\":[%f],\"tasks\":%ld,\"counted\":\"%s\"}\n", (peak - before) / double(count),
              count, few ? "heap" : "resident");
}

constexpr double kCoarsestNs = 65536;  // kernel time of the first point of a sweep
constexpr double kPointNs = 1e7;       // a point takes about this long where the steps allow
constexpr double kHopelessEfficiency = 0.25;
constexpr int kHopelessPoints = 2;  // in a row end the sweep; one may be the work of another program
constexpr int kFewestSteps = 50;

struct Point {
  double granularity_ns = 0;  // wall time x workers / tasks, as Task Bench defines it
  double efficiency = 0;
};

// The median of `repeat` runs of the graph with this kernel; each one is checked.
Point run_point(Contender& contender, const Request& request, TaskGraph& graph, std::int64_t iterations, double peak) {
  std::vector<double> walls;
  for (int i = 0; i < request.repeat; ++i) {
    graph.reset(iterations);
    walls.push_back(timed([&] { contender.task_graph(graph); }).wall_ns);
    const std::string wrong = graph.verify();
    require(wrong.empty(), request.bench + ": " + wrong);
  }
  std::nth_element(walls.begin(), walls.begin() + long(walls.size() / 2), walls.end());
  const double granularity = walls[walls.size() / 2] * request.workers / double(graph.tasks());
  return {granularity, double(iterations) / peak / granularity};
}

// Halves the kernel's time until the efficiency is hopeless, and prints all points.
void run_metg(Contender& contender, const Request& request, double peak) {
  const std::string name = request.bench.substr(5);
  const auto found = std::find(kPatternNames.begin(), kPatternNames.end(), name);
  require(found != kPatternNames.end(), "no pattern " + name);
  std::string points;
  int hopeless = 0;
  for (double kernel_ns = kCoarsestNs; kernel_ns * peak >= 1 && hopeless < kHopelessPoints; kernel_ns /= 2) {
    const auto steps =
        std::clamp(long(kPointNs * request.workers / kernel_ns / request.width), long(kFewestSteps), request.count);
    TaskGraph graph({Pattern(found - kPatternNames.begin()), request.width, int(steps)});
    contender.prepare(graph);
    if (points.empty()) run_point(contender, request, graph, 1, peak);
    const Point point = run_point(contender, request, graph, std::int64_t(kernel_ns * peak), peak);
    contender.finish(graph);
    append(points, '[' + std::to_string(point.granularity_ns) + ',' + std::to_string(point.efficiency) + ']');
    hopeless = point.efficiency < kHopelessEfficiency ? hopeless + 1 : 0;
  }
  std::printf("{\"unit\":\"us\",\"points\":[%s]}\n", points.c_str());
}

long number(const char* text, long least, long most) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  require(*text != 0 && *end == 0 && value >= least && value <= most, "bad number '" + std::string(text) + "'");
  return value;
}

void run(const Request& request) {
  const bool metg = request.bench.rfind("metg_", 0) == 0;
  const double peak = metg ? peak_iterations_per_ns(request.workers) : 0;  // before the runtime has threads
  const auto contender = make_contender(request.workers, request.bench);
  if (const std::string why = contender->unsupported(request.bench); !why.empty()) {
    std::printf("{\"unsupported\":\"%s\"}\n", why.c_str());
    return;
  }
  std::exception_ptr failed;  // must not leave a parallel region
  contender->enter([&] {
    try {
      if (metg) return run_metg(*contender, request, peak);
      if (request.bench == "independent") return run_independent(*contender, request);
      if (request.bench == "chain") return run_chain(*contender, request);
      if (request.bench == "forkjoin") return run_fork_join(*contender, request);
      if (request.bench == "wavefront") return run_wavefront(*contender, request);
      if (request.bench == "bytes_per_task") return run_bytes(*contender, request);
      throw std::runtime_error("no benchmark " + request.bench);
    } catch (...) {
      failed = std::current_exception();
    }
  });
  if (failed) std::rethrow_exception(failed);
}

int run_main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // who asked is gone: the result is for nobody
  if (argc == 2 && std::string_view(argv[1]) == "about") {
    std::printf("{\"about\":\"%s\"}\n", make_contender(1, "about")->about().c_str());
    return 0;
  }
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s BENCH WORKERS COUNT REPEAT WIDTH\n       %s about\n", argv[0], argv[0]);
    return 2;
  }
  run({argv[1], int(number(argv[2], 1, 1024)), number(argv[3], 1, 1L << 40), int(number(argv[4], 1, 1000)),
       int(number(argv[5], 1, 32767))});
  return 0;
}

}  // namespace

}  // namespace weir::bench

int main(int argc, char** argv) {
  try {
    return weir::bench::run_main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
