// SPDX-License-Identifier: Apache-2.0

#include "platform/affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace weir::platform {
namespace {

thread_local const std::vector<int>* outermost_mask = nullptr;

// A kernel CPU set with room for `cpus` CPUs.
class CpuSet {
 public:
  explicit CpuSet(int cpus) : cpus_(cpus), set_(CPU_ALLOC(std::size_t(cpus)), [](cpu_set_t* set) { CPU_FREE(set); }) {
    CPU_ZERO_S(bytes(), set_.get());
  }
  std::size_t bytes() const { return CPU_ALLOC_SIZE(std::size_t(cpus_)); }
  cpu_set_t* get() const { return set_.get(); }
  void add(int cpu) { CPU_SET_S(std::size_t(cpu), bytes(), set_.get()); }
  std::vector<int> list() const {
    std::vector<int> cpus;
    for (int cpu = 0; cpu < cpus_; ++cpu) {
      if (CPU_ISSET_S(std::size_t(cpu), bytes(), set_.get())) cpus.push_back(cpu);
    }
    return cpus;
  }

 private:
  int cpus_;
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set_;
};

cpu_set_t set_of(int os_cpu) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(os_cpu), &set);
  return set;
}

}  // namespace

std::vector<int> this_thread_cpus() {
  // The kernel refuses with EINVAL a set smaller than its own, whose size it does not tell.
  constexpr int kLimit = 1 << 20;
  for (int cpus = CPU_SETSIZE; cpus <= kLimit; cpus *= 2) {
    CpuSet set(cpus);
    if (sched_getaffinity(0, set.bytes(), set.get()) == 0) return set.list();
    if (errno != EINVAL) break;
  }
  return {};
}

std::vector<int> unbound_cpus() { return outermost_mask != nullptr ? *outermost_mask : this_thread_cpus(); }

int current_cpu() noexcept { return sched_getcpu(); }

base::Status bind_this_thread(std::span<const int> os_cpus) { return bind_thread(pthread_self(), os_cpus); }

base::Status bind_thread(pthread_t thread, std::span<const int> os_cpus) {
  WEIR_CHECK(!os_cpus.empty(), "a thread must be bound to at least one CPU");
  CpuSet set(std::max(CPU_SETSIZE, *std::max_element(os_cpus.begin(), os_cpus.end()) + 1));
  for (const int cpu : os_cpus) set.add(cpu);
  const int error = pthread_setaffinity_np(thread, set.bytes(), set.get());
  if (error == 0) return base::Status::success();
  return {base::Code::not_found, "cannot bind a thread to CPU " + std::to_string(os_cpus.front()) +
                                     (os_cpus.size() > 1 ? " and others: " : ": ") + std::strerror(error)};
}

bool move_here(int thread, const cpu_set_t& cpus) noexcept {
  const int here = current_cpu();
  if (here >= 0 && here < CPU_SETSIZE && CPU_ISSET(static_cast<unsigned>(here), &cpus)) {
    const cpu_set_t there = set_of(here);
    if (sched_setaffinity(thread, sizeof(there), &there) != 0) return false;
  }
  return sched_setaffinity(thread, sizeof(cpus), &cpus) == 0;
}

bool bind_thread_to(int thread, int os_cpu) noexcept {
  const cpu_set_t there = set_of(os_cpu);
  return sched_setaffinity(thread, sizeof(there), &there) == 0;
}

ScopedBinding::ScopedBinding() : before_(this_thread_cpus()), outer_(outermost_mask) {
  if (outer_ == nullptr) outermost_mask = &before_;
}

ScopedBinding::~ScopedBinding() {
  if (outer_ == nullptr) outermost_mask = nullptr;
  if (!before_.empty()) (void)bind_this_thread(before_);
}

base::Status ScopedBinding::bind(std::span<const int> os_cpus) { return bind_this_thread(os_cpus); }

}  // namespace weir::platform
