// SPDX-License-Identifier: Apache-2.0

#include "machine/team.hpp"

#include <fmt/format.h>

#include <system_error>
#include <thread>

#include "base/mutex.hpp"
#include "platform/affinity.hpp"
#include "platform/memory_limit.hpp"

namespace weir::machine {
namespace {

// The first failure of a team, and whether there is one.
class FirstFailure {
 public:
  void add(base::Status status) {
    const base::Lock lock(mutex_);
    if (first_) first_ = std::move(status);
  }
  bool none() {
    const base::Lock lock(mutex_);
    return bool(first_);
  }
  base::Status take() {
    const base::Lock lock(mutex_);
    return std::move(first_);
  }

 private:
  base::Mutex mutex_;
  base::Status first_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace

base::Status run_team(const std::vector<std::vector<int>>& cpus,
                      const std::function<void(std::size_t, Meeting&)>& work) {
  const std::vector<int> all_cpus = platform::unbound_cpus();
  Meeting meeting(std::ptrdiff_t(cpus.size()));
  FirstFailure failure;
  std::vector<std::thread> threads;
  const auto run = [&](std::size_t thread) {
    if (base::Status status = platform::bind_this_thread(cpus[thread].empty() ? all_cpus : cpus[thread]); !status) {
      failure.add(std::move(status));
    }
    meeting.arrive_and_wait();  // everyone has reported before anyone works
    if (failure.none()) work(thread, meeting);
  };
  for (std::size_t thread = 0; thread < cpus.size(); ++thread) {
    try {
      threads.emplace_back(run, thread);
    } catch (const std::system_error& error) {
      failure.add({base::Code::no_space, fmt::format("cannot start thread {}: {}", thread + 1, error.what())});
      for (; thread < cpus.size(); ++thread) meeting.arrive_and_drop();
    }
  }
  for (std::thread& thread : threads) thread.join();
  return failure.take();
}

base::Result<platform::Pages> map_checked(Bytes size, std::optional<int> os_node, platform::PageSize page_size) {
  const platform::MemoryLimit limit = platform::memory_limit();
  if (size.count > limit.bytes) {
    return base::Status{base::Code::no_space,
                        fmt::format("{:.0f} MB of memory needed, {:.0f} MB available ({})", double(size.count) * 1e-6,
                                    double(limit.bytes) * 1e-6, limit.limited_by)};
  }
  const Bytes free = os_node ? platform::free_memory(*os_node) : Bytes{};
  if (free.count > 0 && size > free) {
    return base::Status{base::Code::no_space,
                        fmt::format("{:.0f} MB needed on NUMA node {}, {:.0f} MB free there; use smaller arrays",
                                    double(size.count) * 1e-6, *os_node, double(free.count) * 1e-6)};
  }
  return platform::Pages::map(size, os_node, page_size);
}

}  // namespace weir::machine
