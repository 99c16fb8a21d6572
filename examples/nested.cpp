// SPDX-License-Identifier: Apache-2.0

// Tasks that make tasks: a task has ended when its children have, so what waits for it waits for them too.
#include <weir/weir.hpp>

#include <cstdio>
#include <vector>

int main() {
  weir::Runtime runtime;
  std::vector<int> values(1000);
  long sum = 0;

  runtime.spawn(weir::out(values.data(), values.size()), weir::name("fill"), [&] {
    for (std::size_t first = 0; first < values.size(); first += 100) {
      weir::spawn(weir::out(values.data() + first, 100), [&, first] {  // a child: within its parent's footprint
        for (std::size_t i = first; i < first + 100; ++i) values[i] = static_cast<int>(i);
      });
    }
  });  // no wait() needed here
  runtime.spawn(weir::in(values.data(), values.size()), weir::inout(sum), weir::name("sum"), [&] {
    for (int value : values) sum += value;
  });

  runtime.wait();
  std::printf("%ld\n", sum);
  return sum == 499500 ? 0 : 1;
}
