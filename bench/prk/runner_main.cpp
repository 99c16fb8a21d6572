// SPDX-License-Identifier: Apache-2.0

// weir-prk-RUNTIME WAY KERNEL SIZE TILE ITERATIONS WORKERS STORES NODE: runs one kernel in one way and prints a line of
// JSON,
// {"value", "unit", "seconds"}, or {"unsupported"}, or {"error"}. `ways` prints the ways, one a line.
//
// As the kernels define it, the first iteration is not timed, and all results are verified after the last. NODE: the
// kernel's number of the memory node for the arrays, or -1 for where they are touched first.
#include <sys/prctl.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "bench/prk/contender.hpp"
#include "bench/prk/placed_memory.hpp"

namespace weir::prk {
namespace {

struct Request {
  std::string way;
  Shape shape;
  int iterations = 1, workers = 1, node = -1;
};

long number(const char* text, long least, long most) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == 0 || *end != 0 || value < least || value > most)
    throw std::runtime_error(std::string("bad number '") + text + "'");
  return value;
}

std::size_t way_number(const Contender& contender, const std::string& way) {
  const auto ways = contender.ways();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i] == way) return i;
  }
  throw std::runtime_error("no way " + way);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void run(const Request& request) {
  const PlacedMemory memory(bytes_of(request.shape), request.node);
  const auto kernel = make_kernel(request.shape, memory.bytes());
  const auto contender = make_contender(request.workers);
  const std::size_t way = way_number(*contender, request.way);
  contender->initialise(*kernel);
  memory.check();
  contender->run(*kernel, 1, way);
  const double began = seconds_now();
  contender->run(*kernel, request.iterations, way);
  const double seconds = seconds_now() - began;
  if (const std::string wrong = kernel->wrong_after(request.iterations + 1); !wrong.empty())
    throw std::runtime_error("the result is wrong: " + wrong);
  std::printf("{\"value\":%.6g,\"unit\":\"%s\",\"seconds\":%.9g}\n", kernel->work() * request.iterations / seconds,
              kernel->unit(), seconds);
}

int run_main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // who asked is gone: the result is for nobody
  if (argc == 2 && std::string_view(argv[1]) == "ways") {
    for (const std::string& way : make_contender(1)->ways()) std::puts(way.c_str());
    return 0;
  }
  if (argc != 9) {
    std::fprintf(stderr, "usage: %s WAY KERNEL SIZE TILE ITERATIONS WORKERS STORES NODE\n       %s ways\n", argv[0],
                 argv[0]);
    return 2;
  }
  const std::string_view stores = argv[7];
  if (stores != "temporal" && stores != "non-temporal") throw std::runtime_error("stores are temporal or non-temporal");
  run({argv[1],
       {argv[2], number(argv[3], 9, 1L << 36), int(number(argv[4], 4, 1 << 14)), stores == "non-temporal"},
       int(number(argv[5], 1, 1'000'000)),
       int(number(argv[6], 1, 4096)),
       int(number(argv[8], -1, 1023))});
  return 0;
}

}  // namespace
}  // namespace weir::prk

int main(int argc, char** argv) {
  try {
    return weir::prk::run_main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
