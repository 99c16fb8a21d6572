// SPDX-License-Identifier: Apache-2.0

// open_shared: the backend for processes of one host, which map one another's memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "transport/transport.hpp"

namespace weir::transport {

// A process among those of a host. The ranks are those of the host, from 0 on, whatever the job calls them.
struct SharedPlace {
  std::string job;  // the same for all of them, unlike that of any other group on this host; may be empty for one rank
  Rank rank{};
  std::uint32_t ranks = 1;
  std::uint32_t cores = 0;  // that they have together; 0: not known
  int control = -1;         // launch::Job::control
  // The process's parent is what has started the job, or was started for it, and lives as long: a rank that waits ends
  // when it has ended. weir run's ranks end with it by themselves.
  bool ends_with_parent = false;
  std::chrono::milliseconds patience{60'000};  // how long ranks wait for one another to start; max(): without end
  std::chrono::milliseconds look_every{20};    // how late a waiting rank sees that another is gone
};

// Collective among them; as open_transport().
base::Result<std::unique_ptr<Transport>> open_shared(const SharedPlace& place);

}  // namespace weir::transport
