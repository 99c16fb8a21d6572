// SPDX-License-Identifier: Apache-2.0

// Which CPUs a thread may run on: reading it, binding the calling thread, and undoing that.
//
// CPU numbers are the kernel's. Sets of any size work (more than CPU_SETSIZE CPUs), but where a cpu_set_t is named.
// Every function acts on the calling thread only, unless it says otherwise, so any thread may call it at any time. A
// thread made by a bound thread inherits the binding.
#pragma once

#include <pthread.h>
#include <sched.h>

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

// Moves another thread of this process, by the kernel's number, to the CPU that the calling thread is on, if that is
// one of `cpus`, and binds it to these. False, and nothing done, when there is no such thread, or the system allows
// none.
bool move_here(int thread, const cpu_set_t& cpus) noexcept;

// Binds a thread of this process, by the kernel's number, or the calling one, to one CPU below CPU_SETSIZE. False, and
// nothing done, when there is no such thread, or the system does not allow it.
bool bind_thread_to(int thread, int os_cpu) noexcept;
inline bool bind_this_thread_to(int os_cpu) noexcept { return bind_thread_to(0, os_cpu); }

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
