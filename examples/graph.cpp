// SPDX-License-Identifier: Apache-2.0

// A graph that comes from data: how many inputs a task has is known at run time only.
//
// A range of weir::Access stands among the items of spawn(); the task is given a weir::Items for it. Blocks may be in
// it, and are in place while the task runs, wherever they were before.
#include <weir/weir.hpp>

#include <cstdio>
#include <vector>

namespace {

// The inputs of node n: its proper divisors. Node 1 has none.
std::vector<std::size_t> inputs_of(std::size_t n) {
  std::vector<std::size_t> found;
  for (std::size_t d = 1; d < n; ++d)
    if (n % d == 0) found.push_back(d);
  return found;
}

}  // namespace

int main() {
  constexpr std::size_t kNodes = 200;
  weir::Runtime runtime;
  std::vector<weir::Block<long>> nodes;
  for (std::size_t n = 0; n <= kNodes; ++n) nodes.emplace_back(runtime, 1, "node");

  // In how many ways n is a product of factors in order: in as many as its divisors are, added up.
  std::vector<weir::Handle<>> primes;
  for (std::size_t n = 1; n <= kNodes; ++n) {
    std::vector<weir::Access> inputs;
    for (const std::size_t d : inputs_of(n)) inputs.push_back(weir::in(nodes[d]));
    const weir::Handle<> task = runtime.spawn(inputs, weir::out(nodes[n]), [](weir::Items from, std::span<long> ways) {
      ways[0] = from.empty() ? 1 : 0;
      for (std::size_t i = 0; i < from.size(); ++i) ways[0] += from[i].span<const long>()[0];
    });
    if (inputs.size() == 1) primes.push_back(task);
  }

  long of_primes = 0, of_last = 0;
  runtime.spawn(weir::after(primes), weir::out(of_primes), [&] { of_primes = static_cast<long>(primes.size()); });
  runtime.spawn(weir::in(nodes[192]), [&](std::span<const long> ways) { of_last = ways[0]; });
  runtime.wait();
  std::printf("192 has %ld ordered factorisations; %ld primes up to 200\n", of_last, of_primes);
  return of_last == 256 && of_primes == 46 ? 0 : 1;
}
