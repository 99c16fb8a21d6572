// SPDX-License-Identifier: Apache-2.0

// Standing: what a PE shows when it stands still: when each of its threads waits in the library, and nothing outside of
// the library could end that (outside.hpp). In its StatusPage; only the PE writes it
// (docs/protocols/shmem-deadlock.md).
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::shmem {

struct Standing {
  std::atomic<std::uint64_t> version;  // another one when a thread has begun or ended a long wait
  std::atomic<std::uint64_t> claimed;  // the version at which the PE stands still; another one: it does not
  std::atomic<std::uint64_t> rounds;   // how often all of its threads have looked at what they wait for
  char text[1000];                     // for people: what they wait for; of the version that is claimed
};

}  // namespace weir::shmem
