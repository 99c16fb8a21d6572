// SPDX-License-Identifier: Apache-2.0

// Deadlock: ends a job in which all PEs wait and nothing can end that, with what each waits for.
//
// Each PE knows its own long waits and says in its page when it stands still (Standing). The first PE that has not left
// looks at all pages, and is sure only when all stand still at one time and each has looked once more, after that, at
// all it waits for (docs/protocols/shmem-deadlock.md). Where a PE cannot know that nothing but others' operations
// ends its waits (Outside), nothing is said. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "shmem/status/outside.hpp"
#include "shmem/status/pages.hpp"
#include "shmem/status/status_page.hpp"
#include "shmem/world/awaited.hpp"

namespace weir::shmem {

class Deadlock {
 public:
  // `page`: this PE's, in symmetric memory.
  Deadlock(StatusPage& page, Outside outside);

  // The calling thread's wait has got long. A number for the others.
  int begin(const Awaited& what, std::string routine);
  void end(int number);
  // The thread has looked at what it waits for since it was here last, and goes on waiting. Does not return when that
  // would be for ever. Whether this PE stands still.
  bool go_on(int number, const Awaited& what, std::uint64_t waited_ns);

 private:
  struct Waiter {
    std::uint32_t thread = 0;  // 0: the number is free
    Awaited what;
    std::string routine;
    std::uint64_t round = 0;  // the last in which it has looked
  };
  // Another PE that stood still when all did, and how often it had looked by then.
  struct Seen {
    int pe = 0;
    std::uint64_t version = 0, rounds = 0;
  };

  void change();
  void count_round(Waiter& waiter);
  bool claim(std::uint64_t now);
  bool stands_still() const;
  std::string text() const;

  bool is_first(Pages& pages) const;
  std::vector<Seen> find_all_standing(Pages& pages) const;
  bool have_looked_again(Pages& pages) const;
  void look_at_all();
  [[noreturn]] void fail_all(Pages& pages) const;

  StatusPage& page_;
  Outside outside_;
  std::mutex mutex_;  // what follows, and all that is written to page_.standing
  std::vector<Waiter> waiters_;
  std::uint64_t next_claim_ns_ = 0;
  std::mutex looking_;      // held by the thread that looks at others; guards what follows
  std::vector<Seen> seen_;  // empty: they do not all stand still
};

}  // namespace weir::shmem
