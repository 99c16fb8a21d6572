// SPDX-License-Identifier: Apache-2.0

// Results and failures: a task may return a value, and may throw.
//
// The handle gives the value. The first exception of a scope is rethrown by its wait(); tasks of that scope that
// have not started are then cancelled.
#include <weir/weir.hpp>

#include <algorithm>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>

int main() {
  weir::Runtime runtime;
  const std::string text = "to be or not to be";

  auto letters = runtime.spawn(weir::in(text), [](std::span<const char> t) {
    return static_cast<std::size_t>(std::count_if(t.begin(), t.end(), [](char c) { return c != ' '; }));
  });
  auto spaces = runtime.spawn(weir::in(text), [&] {
    std::size_t count = 0;
    for (char c : text) count += c == ' ';
    return count;
  });
  std::printf("%zu letters, %zu spaces\n", letters.get(), spaces.get());

  double account = 100;
  bool paid = false;
  runtime.spawn(weir::inout(account), [&] {
    if (account < 120) throw std::runtime_error("not enough money");
    account -= 120;
  });
  runtime.spawn(weir::in(account), weir::out(paid), [&] { paid = true; });  // never runs
  try {
    runtime.wait();
  } catch (const std::runtime_error& e) {
    std::printf("failed: %s; paid: %s\n", e.what(), paid ? "yes" : "no");
    return paid ? 1 : 0;
  }
  return 1;
}
