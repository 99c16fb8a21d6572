// SPDX-License-Identifier: Apache-2.0

#include <weir/weir.hpp>

#include <cstdio>

int main() {
  weir::Runtime runtime;
  double a = 0, b = 0, sum = 0;

  runtime.spawn(weir::out(a), [&] { a = 20; });
  runtime.spawn(weir::out(b), [&] { b = 22; });  // may run at the same time as the first: they touch different data
  runtime.spawn(weir::in(a), weir::in(b), weir::out(sum), [&] { sum = a + b; });  // after both

  runtime.wait();
  std::printf("%g\n", sum);
}
