// SPDX-License-Identifier: Apache-2.0

#include "sched/team.hpp"

#include <algorithm>

#include "platform/affinity.hpp"

namespace weir::sched {

// The core of worker 0 is no other worker's; a core that has no worker will do as well.
void Team::make_way() const noexcept {
  if (cores_.empty()) return;
  const int here = platform::current_cpu();
  if (here != cores_.front() && std::find(cores_.begin(), cores_.end(), here) != cores_.end())
    platform::move_this_thread(cores_.front());
}

}  // namespace weir::sched
