// SPDX-License-Identifier: Apache-2.0

// Calls: which calls of its Ranks the program of this rank has refused, and what the rank before says of its own.
//
// What is refused because of its arguments all ranks refuse, and go on. Each tells the next rank, in a ring, what it
// has refused: where some ranks refuse a call and others do not, one of the former is before one of the latter, which
// finds it at its next meeting (inquiries.hpp), since the rank before has come to it after the call. Calls have
// numbers, but ranks may leave out tasks that do not concern them, so that those of a call differ: no number tells that
// this rank has passed the call. One thread calls; any thread is told, and looks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"

namespace weir::cluster {

struct Refusal {
  std::uint64_t call = 0;      // the first one of a program is 1
  std::uint32_t meetings = 0;  // that its rank had come to before
  std::string why;
};

class Calls {
 public:
  // The thread that calls.
  void note_made() noexcept { ++decided_; }
  Refusal note_refused(std::uint32_t meetings, const std::string& why) {
    const base::Lock lock(mutex_);
    refused_.push_back({decided_ + 1, meetings, why});
    last_ = refused_.back();
    note_made();
    return *last_;
  }
  // That of this rank which came last.
  std::optional<Refusal> last_refused() const {
    const base::Lock lock(mutex_);
    return last_;
  }

  // By the rank before, in the order of its calls.
  void note_told(Refusal refusal) {
    const base::Lock lock(mutex_);
    told_.push_back(std::move(refusal));
  }
  // What the rank before has refused and this one, which has come to so many meetings, has not; none: there is nothing
  // so far.
  std::optional<Refusal> find_difference(std::uint32_t meetings) {
    const base::Lock lock(mutex_);
    for (auto each = told_.begin(); each != told_.end();) {
      if (take_own(*each))
        each = told_.erase(each);
      else if (each->meetings < meetings)
        return *each;
      else
        ++each;
    }
    return std::nullopt;
  }
  // The first that the rank before has told of and this one has not refused so far: for people, where nothing goes on.
  std::optional<Refusal> first_unmatched() {
    const base::Lock lock(mutex_);
    while (!told_.empty() && take_own(told_.front())) told_.erase(told_.begin());
    return told_.empty() ? std::nullopt : std::optional(told_.front());
  }

 private:
  bool take_own(const Refusal& of_other) WEIR_REQUIRES(mutex_) {
    const auto same = std::find_if(refused_.begin(), refused_.end(), [&](const Refusal& own) {
      return own.call == of_other.call || (!of_other.why.empty() && own.why.starts_with(of_other.why));  // cut if long
    });
    if (same == refused_.end()) return false;
    refused_.erase(same);
    return true;
  }

  std::uint64_t decided_ = 0;  // calls that this rank has made or refused; the calling thread's
  mutable base::Mutex mutex_;
  std::vector<Refusal> refused_ WEIR_GUARDED_BY(mutex_);  // of which the rank before has not told
  std::vector<Refusal> told_ WEIR_GUARDED_BY(mutex_);     // which this rank has not refused
  std::optional<Refusal> last_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::cluster
