// SPDX-License-Identifier: Apache-2.0

// Owner: does what other ranks ask of this rank's memory, and answers: puts, gets and atomics.
//
// Puts, and atomics that fetch nothing, are answered together: what a packet brings from one channel by one record. The
// link's mutex guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/mpi/outbox.hpp"
#include "transport/mpi/region_table.hpp"
#include "transport/mpi/transfers.hpp"
#include "transport/mpi/wire.hpp"

namespace weir::transport::mpi {

class Owner {
 public:
  Owner(const RegionTable& regions, Outbox& outbox, Transfers& transfers)
      : regions_(regions), outbox_(outbox), transfers_(transfers) {}

  // One of the kinds put, put_large, get, get_large and atomic. 0, or the error of MPI's.
  int serve(Rank from, const Record& record, std::span<const std::byte> bytes);
  // At the end of each packet: what is owed goes to the outbox.
  void send_done();

 private:
  struct Owed {  // done records that were not sent yet
    Rank to{};
    std::uint16_t channel = 0;
    std::uint32_t count = 0;
  };

  int serve_put_large(Rank from, const Record& record);
  int serve_get_large(Rank from, const Record& record);
  void serve_get(Rank from, const Record& record);
  void serve_atomic(Rank from, const Record& record);
  void owe_done(Rank to, std::uint16_t channel);

  const RegionTable& regions_;
  Outbox& outbox_;
  Transfers& transfers_;
  Owed owed_;
};

}  // namespace weir::transport::mpi
