// SPDX-License-Identifier: Apache-2.0

#include <weir/weir.hpp>

#include <cstdio>

int main() {
  weir::Runtime runtime;
  int answer = 0;
  runtime.spawn(weir::out(answer), [&] { answer = 42; });
  runtime.wait();
  std::printf("%d\n", answer);
  return answer == 42 ? 0 : 1;
}
