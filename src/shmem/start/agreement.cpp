// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>

#include "memory/tier_spec.hpp"
#include "platform/affinity.hpp"
#include "platform/cgroup.hpp"
#include "platform/memory_limit.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

constexpr std::size_t kCpus = 4096, kHeapAndPartitions = 16;

struct Hello {
  std::bitset<kCpus> cpus;
  std::uint64_t sizes[kHeapAndPartitions] =
      {};  // by number; 0: there is none, or for the heap: nobody has said how large
  std::uint64_t default_size = 0;
  std::uint64_t is_checked = 0;
};

std::vector<int> cpus_of(const Hello& hello) {
  std::vector<int> cpus;
  for (std::size_t cpu = 0; cpu < kCpus; ++cpu) {
    if (hello.cpus[cpu]) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

Hello own_hello(const std::vector<PartitionPlan>& plans) {
  Hello hello;
  for (const int cpu : platform::this_thread_cpus()) {
    if (static_cast<std::size_t>(cpu) < kCpus) hello.cpus.set(static_cast<std::size_t>(cpu));
  }
  for (const PartitionPlan& plan : plans) hello.sizes[plan.number] = plan.bytes.value_or(0);
  // Every PE maps the heaps of all PEs of its host, so that a limit on addresses counts once for each.
  hello.default_size =
      default_heap_bytes(platform::shared_memory_limit().bytes / 2, world().transport->neighbours().size());
  hello.is_checked = world().is_checked ? 1 : 0;
  return hello;
}

void check_equal(const std::vector<Hello>& all) {
  for (std::size_t pe = 1; pe < all.size(); ++pe) {
    if (all[pe].is_checked != all[0].is_checked) {
      fail(fmt::format("WEIR_CHECK is {} on PE 0 and {} on PE {}: all PEs must have the same", all[0].is_checked,
                       all[pe].is_checked, pe));
    }
    for (std::size_t i = 1; i < kHeapAndPartitions; ++i) {
      if (all[pe].sizes[i] == all[0].sizes[i]) continue;
      fail(
          fmt::format("heap {} is {} on PE 0 and {} on PE {} (0: not said): all PEs must have the same "
                      "SHMEM_SYMMETRIC_SIZE and SHMEM_SYMMETRIC_PARTITION variables",
                      i, memory::size_text({all[0].sizes[i]}), memory::size_text({all[pe].sizes[i]}), pe));
    }
  }
}

void look_for_oversubscription(const std::vector<Hello>& all) {
  World& w = world();
  std::vector<std::vector<int>> cpus;
  for (const Rank rank : w.transport->neighbours()) cpus.push_back(cpus_of(all[static_cast<std::size_t>(rank)]));
  const double quota = platform::cpu_quota();
  w.is_oversubscribed = is_oversubscribed(cpus_of(all[static_cast<std::size_t>(w.my_pe)]), cpus) ||
                        (quota > 0 && static_cast<double>(cpus.size()) > quota);
}

}  // namespace

bool is_oversubscribed(const std::vector<int>& mine, const std::vector<std::vector<int>>& all) {
  double wanted = 0;
  for (const std::vector<int>& theirs : all) {
    const auto common = std::count_if(theirs.begin(), theirs.end(),
                                      [&](int cpu) { return std::find(mine.begin(), mine.end(), cpu) != mine.end(); });
    if (common > 0) wanted += static_cast<double>(common) / static_cast<double>(theirs.size());
  }
  return wanted > static_cast<double>(mine.size()) + 0.01;
}

std::string agree_on_name(const std::string& mine) {
  using Name = std::array<char, 256>;
  const World& w = world();
  Name own{};
  mine.copy(own.data(), own.size() - 1);
  std::vector<Name> all(static_cast<std::size_t>(w.n_pes));
  check(w.transport->all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all))));
  return all[0].data();
}

std::vector<PartitionPlan> agree(std::vector<PartitionPlan> plans) {
  const World& w = world();
  const Hello mine = own_hello(plans);
  std::vector<Hello> all(static_cast<std::size_t>(w.n_pes));
  check(w.transport->all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
  check_equal(all);
  look_for_oversubscription(all);
  std::uint64_t least = mine.default_size;
  for (const Hello& hello : all) least = std::min(least, hello.default_size);
  if (!plans[0].bytes) plans[0].bytes = least;
  return plans;
}

}  // namespace weir::shmem
