// SPDX-License-Identifier: Apache-2.0

// weir-bench-<runtime> BENCH WORKERS COUNT REPEAT WIDTH: one benchmark of one runtime, as one JSON line on standard
// output. weir-bench-<runtime> about: {"about": ...}. weir-bench-<runtime> check WORKERS: every task graph once, no
// output.
//
// Called by `weir bench tasks`, which interleaves such processes; bench/README.md describes the output. Exit status 1
// and a line on standard error when a check of the result fails.
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "bench/tasks/contender.hpp"
#include "bench/tasks/graph_benches.hpp"
#include "bench/tasks/kernel.hpp"
#include "bench/tasks/measuring.hpp"

namespace weir::bench {

namespace {

constexpr long kMostWorkers = 1024;

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

// An exception must not leave a parallel region.
template <class Work>
void enter(Contender& contender, Work&& work) {
  std::exception_ptr failed;
  contender.enter([&] {
    try {
      work();
    } catch (...) {
      failed = std::current_exception();
    }
  });
  if (failed) std::rethrow_exception(failed);
}

long number(const char* text, long least, long most) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  require(*text != 0 && *end == 0 && value >= least && value <= most, "bad number '" + std::string(text) + "'");
  return value;
}

void run_bench(Contender& contender, const Request& request, double peak) {
  if (is_graph_bench(request.bench)) return run_graph_bench(contender, request, peak);
  if (request.bench == "independent") return run_independent(contender, request);
  if (request.bench == "chain") return run_chain(contender, request);
  if (request.bench == "forkjoin") return run_fork_join(contender, request);
  if (request.bench == "wavefront") return run_wavefront(contender, request);
  if (request.bench == "bytes_per_task") return run_bytes(contender, request);
  throw std::runtime_error("no benchmark " + request.bench);
}

void run(const Request& request) {
  // Measured before the runtime has threads.
  const double peak = is_graph_bench(request.bench) ? peak_iterations_per_ns(processors_for(request.workers)) : 0;
  const auto contender = make_contender(request.workers, request.bench);
  if (const std::string why = contender->unsupported(request.bench); !why.empty()) {
    std::printf("{\"unsupported\":\"%s\"}\n", why.c_str());
    return;
  }
  enter(*contender, [&] { run_bench(*contender, request, peak); });
}

void check(int workers) {
  const auto contender = make_contender(workers, "check");
  enter(*contender, [&] { check_graphs(*contender); });
}

int run_main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // who asked is gone: the result is for nobody
  if (argc == 2 && std::string_view(argv[1]) == "about") {
    std::printf("{\"about\":\"%s\"}\n", make_contender(1, "about")->about().c_str());
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "check") {
    check(int(number(argv[2], 1, kMostWorkers)));
    return 0;
  }
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s BENCH WORKERS COUNT REPEAT WIDTH\n       %s check WORKERS\n       %s about\n",
                 argv[0], argv[0], argv[0]);
    return 2;
  }
  run({argv[1], int(number(argv[2], 1, kMostWorkers)), number(argv[3], 1, 1L << 40), int(number(argv[4], 1, 1000)),
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
