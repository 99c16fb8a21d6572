// SPDX-License-Identifier: Apache-2.0

// Transport: how the processes of a job reach one another's memory and run small functions there.
//
// Ranks, regions (memory that all ranks may put to and get from), channels (one-sided operations with completion
// counters of their own), active messages, and a lost rank as an event with a name. No tasks, no blocks. Backends:
// shared (processes of one host), mpi (between hosts), joined (neighbours by shared memory, the rest by mpi), loopback
// (ranks in one process, for tests and simulation). Chosen once, at start-up (open_transport.hpp). All pass one
// conformance suite.
//
// "Collective": every rank calls it, in the same order as the other collective calls; it returns when all have called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace weir::transport {

enum class RegionId : std::uint16_t {};

// Memory of one rank that others reach: the same id on every rank, an offset means the same thing everywhere.
struct Region {
  RegionId id{};
  std::byte* data = nullptr;  // this rank's own part; a multiple of 2 MiB
  Bytes size;                 // of each rank's part
};

struct RegionSpec {
  Bytes size;                   // of this rank's part; the largest of all ranks counts
  std::vector<int> os_nodes{};  // where this rank's pages shall be, by the kernel's numbers; none: anywhere
  std::string name = "region";  // for people: "hbm", "static data"
  // A power of two, the same on all ranks: this rank's part begins at a multiple of it where there are addresses for
  // that, which is for the caller to see. 0: 2 MiB.
  std::uint64_t alignment = 0;
};

// Where something is on a rank.
struct Location {
  Rank rank{};
  RegionId region{};
  std::uint64_t offset = 0;
};

enum class AtomicOp : std::uint8_t {
  set,
  add,
  bit_and,
  bit_or,
  bit_xor,
  swap,
  compare_swap,
  fetch,
  fetch_add,
  fetch_and,
  fetch_or,
  fetch_xor
};
enum class AtomicWidth : std::uint8_t { bits32, bits64 };  // floating types go as their bits, for set, swap and fetch

// A rank that is gone: the first one that was noticed.
struct Lost {
  Rank rank{};
  std::string why;  // "process 4711 on node7 has ended"
};

// One-sided operations with completion counters of their own. One thread at a time; different channels on different
// threads. A failure is that of a lost rank: the operation is not done, nothing hangs.
class Channel {
 public:
  virtual ~Channel() = default;

  // The source may be used again when it returns.
  virtual base::Status put(Location to, const void* from, std::size_t bytes) = 0;
  // The bytes are there when it returns.
  virtual base::Status get(void* to, Location from, std::size_t bytes) = 0;
  // Done after quiet(): until then neither side's memory is to be touched.
  virtual base::Status put_nbi(Location to, const void* from, std::size_t bytes) = 0;
  virtual base::Status get_nbi(void* to, Location from, std::size_t bytes) = 0;
  // Runs at the owner's node with the processor's own atomics, so that it is atomic with them. Returns the old value, 0
  // for operations that fetch nothing. A multiple of its width.
  virtual base::Result<std::uint64_t> atomic(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                             std::uint64_t expected = 0) = 0;
  // *old is written by quiet() at the latest.
  virtual base::Status atomic_nbi(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                  std::uint64_t expected, std::uint64_t* old) = 0;
  // Puts and atomics to a rank before it are seen there before those after it.
  virtual base::Status fence() = 0;
  // Everything issued on this channel is done, and seen by every rank.
  virtual base::Status quiet() = 0;
  // Of what was issued to these ranks only.
  virtual base::Status quiet(std::span<const Rank> ranks) = 0;
};

class Transport {
 public:
  // Runs inside progress(), or while this rank waits in a call of the transport. `bytes` are valid until it returns. It
  // may send; it must not wait.
  using Handler = void (*)(void* context, Rank from, std::span<const std::byte> bytes);
  static constexpr std::size_t kMaxMessage = 4000;  // bytes
  static constexpr std::size_t kHandlers = 32;

  virtual ~Transport() = default;

  virtual const char* name() const noexcept = 0;  // "shared", "mpi (Open MPI 4.1.4)"
  virtual Rank rank() const noexcept = 0;
  virtual std::uint32_t ranks() const noexcept = 0;
  // The ranks whose memory this one maps, itself among them, in rising order.
  virtual std::span<const Rank> neighbours() const noexcept = 0;

  // Collective. Zeros; pages come when they are touched. Fails alike on all ranks: no_space with what was asked and
  // what there was and on which rank.
  virtual base::Result<Region> make_region(const RegionSpec& spec) = 0;
  // Collective. No operation on it is under way.
  virtual base::Status free_region(RegionId id) = 0;
  // A neighbour's part of a region in this process's memory; null for other ranks. Never changes while the region
  // lives.
  virtual std::byte* mapped(Rank rank, RegionId id) const noexcept = 0;
  // Behind this rank's part: a descriptor that can be mapped once more, and where in it the part begins. -1: there is
  // none.
  struct Descriptor {
    int number = -1;
    std::uint64_t offset = 0;
  };
  virtual Descriptor descriptor(RegionId id) const noexcept = 0;

  virtual std::unique_ptr<Channel> open_channel() = 0;

  // Before the first collective call after it; the same on all ranks.
  virtual void set_handler(std::uint16_t number, Handler handler, void* context) = 0;
  // At most kMaxMessage bytes. Messages from one rank to another arrive in order. Waits, making progress, while the
  // receiver's ring is full. Any thread.
  virtual base::Status send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) = 0;
  // Runs what has arrived; true when there was something. Any thread; handlers run on one thread at a time.
  virtual bool progress() = 0;
  // Sleeps until something may have arrived, a rank is lost or `ns` have passed. Any thread.
  virtual void wait_for_arrival(std::uint64_t ns) = 0;
  // The calling thread calls progress() again and again from now on, until it calls end_polling(): messages need not
  // wake those that sleep in wait_for_arrival(). Any number of threads.
  virtual void begin_polling() noexcept {}
  // True: something has arrived of which nobody was woken. The caller runs it, or calls wake_waiting().
  [[nodiscard]] virtual bool end_polling() noexcept { return false; }
  // Threads of this rank return from wait_for_arrival(), those that do not wait return from the next one at once when
  // something has arrived.
  virtual void wake_waiting() noexcept {}
  // Whether remote ranks need this rank to make progress for their puts, gets and atomics to end. False for shared.
  virtual bool needs_progress() const noexcept = 0;

  // Whether all that the channels of this rank have issued is done, and seen by every rank. Any thread.
  virtual bool is_quiet() const = 0;

  // Collective, for start-up: not fast. `all` has ranks() times as many bytes as `mine`, which is as long on every
  // rank.
  virtual base::Status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  virtual base::Status barrier() = 0;

  // The first rank that was found gone without having left (leave()); any thread, a load when there is none.
  virtual std::optional<Lost> lost() const = 0;
  // Collective: from now on the end of a process is not a loss.
  virtual base::Status leave() = 0;
  // Not collective, instead of leave(), after a failure that all have been told of: what has started the job lets the
  // others go on when this process ends, and its exit status counts. They find it lost then. An MPI's launcher is not
  // told: it ends them.
  virtual void leave_alone() noexcept {}
  // Ends all processes of the job with this status, as far as they can be reached, then this one. Any thread, any time.
  [[noreturn]] virtual void abort(int status) = 0;
};

}  // namespace weir::transport
