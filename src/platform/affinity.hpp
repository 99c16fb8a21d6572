// SPDX-License-Identifier: Apache-2.0

// Which CPUs a thread may run on: reading it, binding the calling thread, and undoing that.
//
// CPU numbers are the kernel's. Sets of any size work (more than CPU_SETSIZE CPUs). Every function acts on the calling
// thread only, so any thread may call it at any time. A thread made by a bound thread inherits the binding.
#pragma once

#include <pthread.h>

#include <span>
#include <vector>

#include "base/result.hpp"

namespace weir::platform {

// The CPUs that the calling thread may run on now, ascending.
std::vector<int> this_thread_cpus();

// As this_thread_cpus(), but within a ScopedBinding those from before the outermost one.
std::vector<int> unbound_cpus();

// The CPU that the calling thread ran on a moment ago.
int current_cpu() noexcept;

// Restricts the calling thread to `os_cpus`, at least one. Fails with not_found when the system (or a cgroup) allows
// none of them; the thread's mask is unchanged then.
base::Status bind_this_thread(std::span<const int> os_cpus);

// As bind_this_thread(), for another thread of this process.
base::Status bind_thread(pthread_t thread, std::span<const int> os_cpus);

// Moves the calling thread to a CPU now; it may leave it again, as its mask stays what it was. False, and nothing done,
// when the mask has not got that CPU, or on a system of more CPUs than CPU_SETSIZE.
bool move_this_thread(int os_cpu) noexcept;

// Remembers the calling thread's mask, and gives it back when destroyed, on the same thread. Scopes nest.
//
// Not moved between threads. Restoring can only fail when a cgroup changed meanwhile; the kernel's choice stays then.
class ScopedBinding {
 public:
  ScopedBinding();
  ~ScopedBinding();
  ScopedBinding(const ScopedBinding&) = delete;
  ScopedBinding& operator=(const ScopedBinding&) = delete;

  // As bind_this_thread(); may be called again, what is restored stays the same.
  base::Status bind(std::span<const int> os_cpus);

 private:
  std::vector<int> before_;
  const std::vector<int>* outer_;  // what unbound_cpus() returned from before; null: none
};

}  // namespace weir::platform
