// SPDX-License-Identifier: Apache-2.0

// Exchange: tiles from rank to rank, and failures to all: the protocol of docs/protocols/cluster.md.
//
//   sender                                   receiver
//   small   contents ----------------------> copied
//   large   ready (where it lies) ---------> gets it from there
//           may change it      <------------ taken
//
// Ranks whose programs make other calls are told of it too, so that none waits for what never comes.
//
// The sender knows by itself who needs what (versions.hpp), so nobody asks. Any thread; what handlers do they do on
// whichever thread makes progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "cluster/array_marks.hpp"
#include "cluster/arrivals.hpp"
#include "cluster/barrier.hpp"
#include "cluster/calls.hpp"
#include "cluster/inquiries.hpp"
#include "cluster/offers.hpp"
#include "cluster/standstill.hpp"
#include "cluster/wire.hpp"
#include "runtime/watch.hpp"
#include "transport/far_reader.hpp"
#include "transport/transport.hpp"

namespace weir::cluster {

class Exchange {
 public:
  // Sets the transport's handlers: before its first collective call after that.
  explicit Exchange(transport::Transport& transport);

  // Whether the bytes of a tile go with the message, so that nobody has to keep them.
  static bool is_small(std::size_t bytes) noexcept { return bytes <= kMostContents; }
  void send_small(const TileVersion& what, Rank to, std::span<const std::byte> bytes);
  // Bytes at `offset` of a region, which stay as they are until `ending`.
  void offer(const TileVersion& what, Rank to, transport::RegionId region, std::uint64_t offset, std::size_t bytes,
             EndingPtr ending);

  // `receiver` is told when the tile was announced, perhaps at once, or all has failed: it then calls receive(), which
  // waits for no other rank.
  void await(const TileVersion& what, const Receiver& receiver);
  // True: it is there. False: `make_ending` was called, and what it has made is told when it is there, or has failed.
  // All ranks fail where the sender's tile has another length. `name`: for people.
  bool receive(const TileVersion& what, std::span<std::byte> to, std::string_view name,
               const std::function<EndingPtr()>& make_ending);

  // The first failure counts: all that is awaited here fails, now and from now on. announce_failure() has all other
  // ranks fail with this text, too, and is what becomes of a message that cannot be sent, or a tile that cannot be
  // read. That a rank is lost is for the caller to notice, once it has run what that rank had sent (Progress): until
  // then what cannot be sent to it is dropped, and what cannot be read there waits.
  void fail(const std::string& text) noexcept;
  void announce_failure(const std::string& text) noexcept;
  // Of this rank, for a reason.
  void announce_own_failure(const std::string& why) noexcept;
  bool has_failed() const noexcept { return has_failed_.load(); }
  std::string failure() const;

  // The program's: noted by who refuses or makes them. All ranks fail where one alone has refused a call.
  Calls& calls() noexcept { return calls_; }
  void refuse(const std::string& why) noexcept;
  // Of each array that this rank makes, in that order. All fail where that of another rank is not like it.
  void note_array(const ArrayMark& mark, const std::string& name) noexcept;
  // Asks the ranks of which something was awaited for the whole time since the last call. All fail where one of them
  // is at a meeting that this rank has not come to. One thread.
  void inquire() noexcept;
  // Looks whether ranks wait for one another, this one among them, for ever: then all fail. `tasks`: of this rank. Now
  // and then, and when there is mail; of the thread that inquires.
  void look_for_standstill(std::uint64_t now_ns, const std::function<runtime::Quiescence()>& tasks) noexcept;
  bool has_mail_of_standstill() const { return standstill_.has_mail(); }

  // Of all ranks. A failure of any of them ends it: lost, with the text; so does a rank that is at another meeting.
  // `look` lets messages come; false: the thread is to sleep, and another one does that.
  base::Status barrier(Meeting at, const std::function<bool()>& look);

 private:
  class Here;
  template <class Body, void (Exchange::*kHandle)(Rank, const Body&, std::span<const std::byte>)>
  void handle(Message message);
  void on_contents(Rank from, const Contents& head, std::span<const std::byte> bytes);
  void on_ready(Rank from, const Ready& ready, std::span<const std::byte>);
  void on_taken(Rank from, const Taken& taken, std::span<const std::byte>);
  void on_failed(Rank from, const Failed& failed, std::span<const std::byte> text);
  void on_refused(Rank from, const Refused& refused, std::span<const std::byte> why);
  void on_asked(Rank from, const Asked& asked, std::span<const std::byte>);
  void on_standing(Rank from, const Standing& standing, std::span<const std::byte> why);
  void on_made(Rank from, const Made& made, std::span<const std::byte>);
  void on_probe(Rank from, const Probe& probe, std::span<const std::byte> text);
  void look_for_refusals() noexcept;
  void tell_place(Rank to, const Standing& place) noexcept;
  void spread_failure(const Failed& failed, std::span<const std::byte> text) noexcept;
  // Of whom something is awaited, and where nothing of that kind has come since the last call.
  std::vector<Rank> silent_ranks();
  // What that rank will never send or take, in words.
  std::optional<std::string> missing_of(Rank rank);

  void read_far(Rank from, const Ready& ready, std::span<std::byte> to, EndingPtr ending);
  void copy(const Announced& announced, std::span<std::byte> to);
  void on_arrived(Rank from, const Arrived& arrived, std::span<const std::byte>);
  void say_taken(Rank to, std::uint64_t offer);
  // Its number as an offer: it is failed when all is, which may have been before.
  std::uint64_t keep_until_failure(Rank to, EndingPtr ending);
  void fail_unless_lost(const base::Status& status) noexcept;
  void send(Rank to, Message message, std::span<const std::byte> bytes) noexcept;

  transport::Transport& transport_;
  Arrivals arrivals_;
  Offers offers_;
  Barrier barrier_;
  Calls calls_;
  ArrayMarks arrays_;
  Inquiries inquiries_;
  Standstill standstill_;
  // Of who inquires: how many tiles had been announced to it and taken of it.
  std::uint64_t announced_ = ~std::uint64_t{0}, taken_ = ~std::uint64_t{0};
  std::atomic<bool> has_failed_{false};
  mutable base::Mutex failure_mutex_;
  std::string failure_ WEIR_GUARDED_BY(failure_mutex_);
  transport::FarReader far_;  // last: its thread ends first
};

}  // namespace weir::cluster
