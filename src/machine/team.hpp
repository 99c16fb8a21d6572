// SPDX-License-Identifier: Apache-2.0

// Threads bound to CPUs that start together: what measuring memory needs, without a scheduler.
#pragma once

#include <barrier>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "platform/pages.hpp"

namespace weir::machine {

using Meeting = std::barrier<>;

// Runs work(thread, meeting) on one new thread per entry of `cpus`, bound to it (an empty entry: to what the process
// may use), and returns when all have ended. All threads must meet equally often. When one cannot be bound or started,
// no work is done and the failure returned.
base::Status run_team(const std::vector<std::vector<int>>& cpus,
                      const std::function<void(std::size_t thread, Meeting& meeting)>& work);

// Pages::map() after a look at what is free there: no_space names what was asked and what there is.
base::Result<platform::Pages> map_checked(Bytes size, std::optional<int> os_node, platform::PageSize page_size);

}  // namespace weir::machine
