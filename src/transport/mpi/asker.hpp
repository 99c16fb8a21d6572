// SPDX-License-Identifier: Apache-2.0

// Asker: what this rank asks of the memory of others, as records and large messages, and what their answers end.
//
// Nothing here waits, or looks at who is lost. A counter that is given is raised by what was asked and lowered by each
// answer; it must live until it is 0 or the rank is lost. The link's mutex guards all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/mpi/outbox.hpp"
#include "transport/mpi/pending_table.hpp"
#include "transport/mpi/region_table.hpp"
#include "transport/mpi/transfers.hpp"
#include "transport/mpi/wire.hpp"

namespace weir::transport::mpi {

class Asker {
 public:
  Asker(const RegionTable& regions, Outbox& outbox, Transfers& transfers, std::uint32_t ranks)
      : regions_(regions), outbox_(outbox), transfers_(transfers), pending_(ranks) {}

  // Of the channels.
  PendingTable& pending() noexcept { return pending_; }

  // 0, or the error of MPI's: then a part may have been asked. `left` counts the large messages that still read `from`;
  // null: nobody waits for them.
  int put(Pending& pending, Location to, const std::byte* from, std::size_t bytes, std::uint32_t* left);
  // As put(); `left` counts what has not come.
  int get(Pending& pending, std::byte* to, Location from, std::size_t bytes, std::uint32_t* left);
  struct Atomic {
    AtomicOp op;
    AtomicWidth width;
    std::uint64_t operand, expected;
  };
  // `old`: null when nothing is fetched; `left` counts it, and is null else, or when nobody waits.
  void atomic(Pending& pending, Location at, const Atomic& atomic, std::uint64_t* old, std::uint32_t* left);

  // One of the kinds got, fetched and done.
  void take_answer(Rank from, const Record& record, std::span<const std::byte> bytes);

 private:
  int put_large(Pending& pending, Location to, const std::byte* from, std::size_t bytes, std::uint32_t* left);
  int receive_large(const Record& record, Rank from, std::byte* to, std::uint32_t* left);

  const RegionTable& regions_;
  Outbox& outbox_;
  Transfers& transfers_;
  PendingTable pending_;
};

}  // namespace weir::transport::mpi
