// SPDX-License-Identifier: Apache-2.0

// Schedule: all unfinished requests, and the uses of each block, in the order of spawning.
//
// That order is what programs choose for reuse, and what a strategy that looks ahead follows. Under the lock of whoever
// drives the engine.
#pragma once

#include "data/engine/block.hpp"
#include "data/engine/request.hpp"

namespace weir::data::engine {

class Schedule {
 public:
  // Null when there is none. Additions of tasks that run come first.
  Request* first() const noexcept { return first_; }
  Request* last() const noexcept { return last_; }

  void add(Request& request) noexcept;
  void remove(Request& request) noexcept;

  // In the block's queue; mostly the last. True: it is the first now, so that the block's next use has changed.
  static bool enqueue(Use& use) noexcept;
  static void dequeue(Use& use) noexcept;
  // The request names the block no more. The use is in no queue, and waits for no transfer; the request's last use
  // takes its place, and its links with it.
  static void remove(Request& request, Use& use) noexcept;

  static bool has_yet_to_begin(const Request& request) noexcept {
    static_assert(RequestState::pending < RequestState::waiting && RequestState::waiting < RequestState::fragmented &&
                  RequestState::fragmented < RequestState::staging);
    return request.state() <= RequestState::fragmented && request.kind == RequestKind::task;
  }
  // Of the first request that has yet to begin, at the latest `request`, which has.
  policy::Sequence first_to_begin(const Request& request) const noexcept;
  // Some addition is held, and its thread only has to go on.
  bool has_resuming() const noexcept;

 private:
  static constexpr policy::Sequence kFirstSequence = policy::Sequence{1} << 40;

  policy::Sequence sequence_ = kFirstSequence;
  policy::Sequence addition_sequence_ = 0;
  Request* first_ = nullptr;
  Request* last_ = nullptr;
};

}  // namespace weir::data::engine
