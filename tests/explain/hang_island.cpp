// SPDX-License-Identifier: Apache-2.0

// Tasks on islands, one of which never ends: the master is asked.
#include <unistd.h>

#include <cstdio>

#include "weir/island.hpp"

int main(int, char**) {
  weir::Options options = weir::Options::from_environment();
  options.workers = 2;
  weir::island::Master master(options);
  int* const x = master.allocate<int>(64);
  master.spawn(weir::inout(x[0]), weir::name("sleeper"), [](int&) { ::pause(); });
  master.spawn(weir::in(x[0]), weir::out(x[32]), weir::name("patient"), [](const int& from, int& to) { to = from; });
  std::puts("ready");
  std::fflush(stdout);
  master.wait();
  return 1;  // not reached
}
