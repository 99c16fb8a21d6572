// SPDX-License-Identifier: Apache-2.0

// Containers in a tier, without a runtime: strictly there, or there while it has room.
#include <weir/tier.hpp>

#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

int main() {
  // Ordinary memory is on every machine. With "hbm" this throws weir::Error where there is none, and std::bad_alloc
  // when it is full.
  using Field = std::vector<double, weir::TierAllocator<double>>;
  Field field(1 << 20, 0.5, weir::TierAllocator<double>("memory"));

  // High-bandwidth memory if there is any, else ordinary memory: counted, and reported once on standard error.
  std::pmr::memory_resource* fast = weir::tier_resource("hbm", weir::TierPolicy::preferred);
  std::pmr::map<int, std::pmr::string> names(fast);
  names.emplace(1, "one");

  const weir::TierUse use = weir::tier_use("memory");
  std::printf("%.1f MiB used of %.1f GiB\n", double(use.used) / 0x1p20, double(use.budget) / 0x1p30);
  return std::accumulate(field.begin(), field.end(), 0.0) == 0x1p19 && names.at(1) == "one" ? 0 : 1;
}
