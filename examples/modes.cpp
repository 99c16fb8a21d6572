// SPDX-License-Identifier: Apache-2.0

// Access modes beyond reading and writing: sums with private copies, and updates in any order.
#include <weir/weir.hpp>

#include <cstdio>
#include <functional>
#include <vector>

int main() {
  weir::Runtime runtime;
  double sum = 0;
  std::vector<int> log;

  for (int i = 1; i <= 100; ++i) {
    // Each task adds to a copy; copies are combined in the order of spawning, so that the bits never change.
    runtime.spawn(weir::reduce_ordered(sum, std::plus<>(), 0.0), [i](double& part) { part += 1.0 / i; });
    // One at a time, but in whatever order they get ready: no lock is needed, and none waits for its elders.
    // object(): it is the vector that they change, not the elements that it has.
    runtime.spawn(weir::commutative(weir::object(log)), [&log, i] { log.push_back(i); });
  }
  double after_all = 0;
  runtime.spawn(weir::in(sum), weir::out(after_all), [&] { after_all = sum; });  // waits for every part
  runtime.wait();

  std::printf("the 100th harmonic number is %.6f; %zu entries\n", after_all, log.size());
  return after_all > 5.187377 && after_all < 5.187379 && log.size() == 100 ? 0 : 1;
}
