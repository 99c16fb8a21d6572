// SPDX-License-Identifier: Apache-2.0

#include "sched/lookout.hpp"

#include <algorithm>
#include <utility>

#include "platform/affinity.hpp"
#include "platform/barrier.hpp"
#include "platform/clock.hpp"
#include "platform/thread_state.hpp"

namespace weir::sched {

void Lookout::watch(const Presence& worker, const std::atomic<std::uint64_t>& parks, int cpu) {
  if (cpu >= CPU_SETSIZE) return;
  watched_.emplace_back(worker, parks, cpu);
  CPU_SET(static_cast<unsigned>(cpu), &cpus_);
}

void Lookout::leave_free(int cpu) {
  if (cpu >= CPU_SETSIZE) return;
  free_cpu_ = cpu;
  CPU_SET(static_cast<unsigned>(cpu), &cpus_);
}

bool Lookout::sleep(const Presence& self, platform::Parker& parker, std::uint64_t longest_ns) noexcept {
  asleep_.fetch_add(1, std::memory_order_relaxed);  // LOOKOUT-3
  const bool has_looked = sleep_and_look(self, parker, longest_ns);
  asleep_.fetch_sub(1, std::memory_order_relaxed);
  return has_looked;
}

bool Lookout::sleep_and_look(const Presence& self, platform::Parker& parker, std::uint64_t longest_ns) noexcept {
  bool looks = begin();
  const bool has_looked = looks;
  std::uint64_t nap = policy::kFirstWatchNs, slept = 0;
  while (looks && (longest_ns == 0 || slept + nap < longest_ns)) {
    if (parker.park_for(nap)) {
      end();
      return true;
    }
    slept += nap;
    nap = policy::next_watch(nap);
    if (look(self)) continue;
    end();
    platform::heavy_barrier();  // LOOKOUT-3
    looks = is_missed(self, false) && begin();
  }
  if (longest_ns == 0)
    parker.park();
  else
    static_cast<void>(parker.park_for(longest_ns - slept));
  if (looks) end();
  return has_looked;
}

bool Lookout::is_missed(const Presence& self, bool runs) const noexcept {
  if (watched_.empty() || looks_.load(std::memory_order_acquire)) return false;  // LOOKOUT-3
  // Nobody could be called: whoever is listed in other ways looks again by itself. Relaxed: LOOKOUT-3.
  if (asleep_.load(std::memory_order_relaxed) == 0) return false;
  return std::any_of(watched_.begin(), watched_.end(), [&](const Watched& watched) {
    return &watched.worker == &self ? runs : watched.worker.is_at_work();
  });
}

void Lookout::look_once(const Presence& self) noexcept {
  if (!begin()) return;
  static_cast<void>(look(self));
  end();
}

// Whether there is a worker to look after.
bool Lookout::look(const Presence& self) noexcept {
  const std::uint64_t now = platform::now_ns();
  bool some_work = false;
  for (Watched& watched : watched_) {
    const Presence& worker = watched.worker;
    if (&worker == &self || !worker.is_at_work()) continue;
    some_work = true;
    if (watched.let_go_ns.load(std::memory_order_acquire) != 0) continue;  // LOOKOUT-2
    if (!lacks_its_core(watched, now) || !platform::move_here(worker.thread(), cpus_)) continue;
    watched.away.begin(now);
    watched.let_go_ns.store(now, std::memory_order_release);  // LOOKOUT-2
    let_go_.fetch_add(1, std::memory_order_relaxed);
  }
  return some_work;
}

bool Lookout::lacks_its_core(Watched& watched, std::uint64_t now_ns) noexcept {
  const Presence& worker = watched.worker;
  const std::uint64_t parks = watched.parks.load(std::memory_order_relaxed);  // relaxed: a hint
  const std::uint64_t ran = platform::processor_ns(worker.thread());
  const policy::OnItsCore seen{now_ns - watched.seen_ns, ran - watched.ran_ns, parks == watched.parked};
  watched.seen_ns = now_ns;
  watched.ran_ns = ran;
  watched.parked = parks;
  return policy::lacks_its_core(seen) && !platform::is_asleep(worker.thread());
}

void Lookout::go_home(const Presence& self, std::uint64_t now_ns) noexcept {
  if (let_go_.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  for (Watched& watched : watched_) {
    if (&watched.worker != &self) continue;
    const std::uint64_t since = watched.let_go_ns.load(std::memory_order_acquire);  // LOOKOUT-2
    if (since == 0 || !watched.away.is_over(since, now_ns)) return;
    watched.away.end(now_ns);
    // Fails when a cgroup has taken the core away meanwhile: then the kernel has the say.
    static_cast<void>(platform::bind_this_thread_to(watched.cpu.load(std::memory_order_relaxed)));
    let_go_.fetch_sub(1, std::memory_order_relaxed);
    watched.let_go_ns.store(0, std::memory_order_release);  // LOOKOUT-2
    return;
  }
}

void Lookout::make_way() noexcept {
  if (free_cpu_ < 0) return;
  const int here = platform::current_cpu();
  if (here == free_cpu_) return;
  for (Watched& watched : watched_) {
    if (watched.cpu.load(std::memory_order_relaxed) != here) continue;
    if (watched.let_go_ns.load(std::memory_order_acquire) != 0 || watched.worker.thread() == 0) return;  // LOOKOUT-2
    if (!platform::bind_thread_to(watched.worker.thread(), free_cpu_)) return;
    watched.cpu.store(std::exchange(free_cpu_, here), std::memory_order_relaxed);
    return;
  }
}

}  // namespace weir::sched
