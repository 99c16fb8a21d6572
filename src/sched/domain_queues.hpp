// SPDX-License-Identifier: Apache-2.0

// DomainQueues: what the workers of one domain share. One for each domain that has workers, made by the scheduler,
// there until it ends. Any thread, unless a member says otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/inbox.hpp"
#include "sched/lookout.hpp"
#include "sched/permits.hpp"
#include "sched/policy/sources.hpp"

namespace weir::sched {

class Peer;

struct DomainQueues {
  explicit DomainQueues(std::size_t workers) : victims(workers) {}

  // The inbox that is this source; `turn` is the same as `inbox`.
  Inbox& inbox(policy::Source source) noexcept {
    if (source == policy::Source::urgent) return urgent;
    return source == policy::Source::background ? background : ready;
  }
  const Inbox& inbox(policy::Source source) const noexcept { return const_cast<DomainQueues*>(this)->inbox(source); }

  Inbox urgent;      // Priority::urgent
  Inbox ready;       // from other domains
  Inbox background;  // Priority::background
  // Workers and guests to steal from; an entry is set before victim_count covers it, and never changes.
  std::vector<std::atomic<Peer*>> victims;
  std::atomic<std::uint32_t> victim_count{0};  // VICTIM-1: release after the entry, acquire before reading it
  std::vector<int> far;                        // other domains, nearest first; read-only after start
  Lookout lookout;                             // whether each of those that are bound to a core has it
  Permits permits;                             // which threads may run tasks, where tasks block
};

}  // namespace weir::sched
