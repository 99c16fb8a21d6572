// SPDX-License-Identifier: Apache-2.0

// What command_test.py has `weir` run: tasks, and then as the first argument says.
//
// program [END [VALUE]]    END: exit STATUS, signal NUMBER, sleep SECONDS, long TASKS, unlimited TASKS (its files may
// have any size), leave TASKS (the same, and it ends while its runtime lives), folder (from / on), islands, hold (a
// runtime that stays)
#include <sys/resource.h>
#include <unistd.h>
#include <weir/island.hpp>
#include <weir/weir.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

void allow_large_files() {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

// In rounds that depend on each other.
double work(int values, bool leaves) {
  weir::Runtime rt;
  std::vector<double> a(static_cast<std::size_t>(values));
  for (int round = 0; round < 20; ++round)
    for (double& value : a) rt.spawn(weir::inout(value), [&value] { value += 1; });
  rt.wait();
  if (leaves) _exit(0);
  double sum = 0;
  for (const double value : a) sum += value;
  return sum;
}

// All of its processes say a word before they are a master or a worker.
int on_islands() {
  std::puts("begins");
  std::fflush(stdout);
  weir::island::Master master;
  auto* const x = master.allocate<double>(8);
  master.spawn(weir::out(x, 8), [=] { x[0] = 42; });
  master.wait();
  std::printf("%g\n", x[0]);
  return 0;
}

int hold() {
  const weir::Runtime rt;
  std::puts("holds");
  std::fflush(stdout);
  pause();
  return 0;
}

int end(std::string_view how, int value) {
  if (how == "exit") return value;
  if (how == "signal") std::raise(value);
  if (how == "sleep") sleep(static_cast<unsigned>(value));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  const int value = argc > 2 ? std::atoi(argv[2]) : 0;
  if (how == "islands") return on_islands();
  if (how == "hold") return hold();
  if (how == "folder" && chdir("/") != 0) return 9;
  const bool leaves = how == "leave";
  if (leaves || how == "unlimited") allow_large_files();
  std::printf("%g\n", work(leaves || how == "long" || how == "unlimited" ? value : 10, leaves));
  std::fflush(stdout);
  return end(how, value);
}
