// SPDX-License-Identifier: Apache-2.0

// RankClock: how far this rank's clock is from that of rank 0, and what rank 0 calls the job: for traces of several
// hosts. Every rank has one, since rank 0 answers whenever it makes progress; a rank asks once, at its start.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "transport/transport.hpp"

namespace weir::transport {

class RankClock {
 public:
  // Sets the transport's handlers: before its first collective call after that.
  struct Handlers {
    std::uint16_t asked = 0, told = 0;  // their numbers
  };
  RankClock(Transport& transport, const std::string& job, Handlers numbers);
  RankClock(const RankClock&) = delete;
  RankClock& operator=(const RankClock&) = delete;

  // Makes progress until rank 0 has answered some tens of questions: of these the one that was answered soonest counts.
  // Nothing is asked of a rank that is lost. While no other thread makes progress.
  struct Told {
    std::int64_t offset_ns = 0;  // to be added to this rank's clock
    std::string job;
  };
  Told ask();

 private:
  struct Answer {
    std::uint64_t ns = 0;
    std::array<char, 128> job{};
  };
  void answer(Rank to);

  Transport& transport_;
  const Handlers numbers_;
  Answer own_, told_;
  bool is_told_ = false;
};

}  // namespace weir::transport
