// SPDX-License-Identifier: Apache-2.0

// Receives: packets as they come, from any rank, into buffers that MPI was given beforehand.
//
// MPI fills them in the order in which they were started, so the oldest is all that has to be looked at. The link's
// mutex guards it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>

#include "base/mutex.hpp"
#include "transport/mpi/calls.h"
#include "transport/mpi/failure.hpp"
#include "transport/mpi/wire.hpp"

namespace weir::transport::mpi {

class Receives {
 public:
  explicit Receives(const WeirMpiCalls& calls) : calls_(calls), slots_(new std::array<Slot, kSlots>) {}
  Receives(const Receives&) = delete;

  // 0, or the error of MPI's.
  int start();
  void end();
  // Those that have come, kAtOnce at most: `take` gets each. How many there were. Not analysed: `take` and `failed` are
  // functions that need the link's mutex, which this class does not know.
  template <class Take, class Failed>
  std::size_t poll(Take take, Failed failed) WEIR_NOT_ANALYSED;

 private:
  static constexpr std::size_t kSlots = 32, kAtOnce = 64;

  struct Slot {
    WeirMpiRequest request{};
    alignas(kRecordAlign) std::array<std::byte, kPacketBytes> bytes;
  };

  const WeirMpiCalls& calls_;
  std::unique_ptr<std::array<Slot, kSlots>> slots_;
  std::size_t oldest_ = 0;
  std::size_t started_ = 0;  // slots with a receive
};

template <class Take, class Failed>
std::size_t Receives::poll(Take take, Failed failed) {
  std::size_t count = 0;
  for (; count < kAtOnce && started_ == kSlots; ++count) {
    Slot& slot = (*slots_)[oldest_];
    WeirMpiOutcome outcome{};
    if (const int error = calls_.test(&slot.request, &outcome); error != 0) {
      started_ = 0;  // what MPI does with the others is not defined: nothing is received any more
      failed(Failure{outcome.from, error});
      break;
    }
    if (outcome.done == 0) break;
    take(static_cast<Rank>(outcome.from), std::span<const std::byte>(slot.bytes.data(), outcome.bytes));
    if (const int error = calls_.start_receive(&slot.request); error != 0) failed(Failure{-1, error});
    oldest_ = (oldest_ + 1) % kSlots;
  }
  return count;
}

}  // namespace weir::transport::mpi
