// SPDX-License-Identifier: Apache-2.0

// MeetingBook: of each collective, who came to it last. Pure.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace weir::tool::job {

class MeetingBook {
 public:
  struct Last {
    std::int64_t start = 0;
    int pe = -1;
    std::uint32_t seen = 0;  // members whose coming is known
    std::uint32_t call = 0;  // the number of its call, where calls have numbers
  };

  // `meeting`: trace::PeMeeting, packed.
  void came(std::uint64_t meeting, int pe, std::int64_t start, std::uint32_t call = 0) {
    Last& last = meetings_[meeting];
    if (last.seen++ == 0 || start > last.start) {
      last.start = start;
      last.pe = pe;
      last.call = call;
    }
  }
  Last last(std::uint64_t meeting) const {
    const auto found = meetings_.find(meeting);
    return found == meetings_.end() ? Last{} : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, Last> meetings_;
};

}  // namespace weir::tool::job
