// SPDX-License-Identifier: Apache-2.0

// Inquiries: where a rank is of which something is awaited for long.
//
// A rank at a meeting, a barrier or the end of its Ranks, has sent all that it sends before all ranks are there, and
// taken all that it takes. What another rank, on its way there, still awaits of it never comes. So one that awaits
// something asks, and the other answers while it is at a meeting. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "cluster/wire.hpp"

namespace weir::cluster {

class Inquiries {
 public:
  // This rank has come to its next meeting, and waits there: who is to be told.
  std::vector<Rank> arrive(Meeting at) {
    const base::Lock lock(mutex_);
    place_ = {place_.meeting + 1, at};
    is_waiting_ = true;
    return std::exchange(askers_, {});
  }
  // All have come.
  void pass() {
    const base::Lock lock(mutex_);
    is_waiting_ = false;
  }
  // The last meeting that this rank has come to.
  Standing place() const {
    const base::Lock lock(mutex_);
    return place_;
  }

  // A rank asks that has come to so many meetings. What it is told; none: it is told when this rank arrives.
  std::optional<Standing> ask(Rank from, std::uint32_t meetings) {
    const base::Lock lock(mutex_);
    if (is_waiting_ && meetings < place_.meeting) return place_;
    askers_.push_back(from);
    return std::nullopt;
  }

  // This rank wants to ask that one. False: it has, and was not answered yet.
  bool begin(Rank of) {
    const base::Lock lock(mutex_);
    return asked_.insert(of).second;
  }
  void end(Rank of) {
    const base::Lock lock(mutex_);
    asked_.erase(of);
  }

 private:
  mutable base::Mutex mutex_;
  Standing place_ WEIR_GUARDED_BY(mutex_);
  bool is_waiting_ WEIR_GUARDED_BY(mutex_) = false;
  std::vector<Rank> askers_ WEIR_GUARDED_BY(mutex_);        // each once: it asks again when it was answered
  std::unordered_set<Rank> asked_ WEIR_GUARDED_BY(mutex_);  // by this rank
};

}  // namespace weir::cluster
