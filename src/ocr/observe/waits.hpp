// SPDX-License-Identifier: Apache-2.0

// What threads wait for within a function of the program, an EDT's or main(): for reports. A thread notes it when it is
// about to sleep. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "ocr/objects/event.hpp"
#include "ocr/objects/object_local.hpp"

namespace weir::ocr {

// What one of them waits for.
struct WaitedFor {
  enum class What : std::uint8_t {
    event,  // `object`, to be satisfied
    label,  // `object`: what is under it to be made, or given up
    block,  // `object`, until others hold it in no mode that keeps the EDT from it; `by` acquires it
    room,   // for a block that `by` is to have in place
  };
  What what;
  Guid object;
  std::uint64_t by = 0;  // block: GUID of an EDT of the library's; room: address of the data layer's requester
};

struct NotedWait {
  WaitedFor of;
  bool is_lost;              // the event was destroyed
  const sched::Task* task;   // in whose function the thread waits; null: outside of tasks. Its memory lasts
  std::uint64_t generation;  // of that use of the memory; 0: no task
  int worker;                // whose thread it is
};

// The calling thread waits as long as this lives. Its place is in a list: it is neither copied nor moved.
class WaitNote {
 public:
  // `waiter`: by which it waits; null when it does not wait by one.
  WaitNote(const ObjectLocal& local, const WaitedFor& of, const EventWaiter* waiter) noexcept;
  ~WaitNote();
  WaitNote(const WaitNote&) = delete;
  WaitNote& operator=(const WaitNote&) = delete;

 private:
  friend std::vector<NotedWait> noted_waits();

  NotedWait noted_;
  const EventWaiter* const waiter_;
  WaitNote *before_ = nullptr, *next_;  // under the list's mutex
};

// Of all threads; not of those that have what they have waited for.
std::vector<NotedWait> noted_waits();

}  // namespace weir::ocr
