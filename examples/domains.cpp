// SPDX-License-Identifier: Apache-2.0

// Domains: groups of workers that share a NUMA node. Policy numa keeps a task in the domain it was given.
//
// The machine is made up, so that the example shows two domains anywhere; leave options.machine empty for this one.
#include <weir/weir.hpp>

#include <cstdio>
#include <vector>

int main() {
  weir::Options options;
  options.machine = "numa:2 core:2 pu:1";  // hwloc's notation: two NUMA nodes with two cores each
  options.policy = weir::Policy::numa;
  weir::Runtime runtime(options);

  const int domains = runtime.domain_count();
  std::vector<int> strayed(static_cast<std::size_t>(domains));
  for (int domain = 0; domain < domains; ++domain) {
    int& count = strayed[static_cast<std::size_t>(domain)];
    for (int i = 0; i < 1000; ++i) {
      runtime.spawn(weir::on_domain(domain), weir::inout(count),
                    [&count, domain] { count += weir::current_domain() != domain ? 1 : 0; });
    }
  }
  runtime.wait();

  int total = 0;
  for (int count : strayed) total += count;
  std::printf("%d domains, %d workers, %d of %d tasks ran elsewhere\n", domains, runtime.worker_count(), total,
              domains * 1000);
  return total == 0 && domains == 2 ? 0 : 1;
}
