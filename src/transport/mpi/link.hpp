// SPDX-License-Identifier: Apache-2.0

// Link: this rank's connection to the ranks of other hosts, over an MPI.
//
// Everything goes by messages of MPI's, which every MPI has between any two hosts: what a rank asks of another's memory
// is done by that rank, by the thread that looks at MPI there (any that waits in the transport, else the progress
// thread), with the processor's own instructions. docs/protocols/transport-mpi.md.
//
// Any thread; one at a time talks to MPI, under one mutex. Handlers run outside of it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "transport/mpi/asker.hpp"
#include "transport/mpi/calls.h"
#include "transport/mpi/losses.hpp"
#include "transport/mpi/mail.hpp"
#include "transport/mpi/outbox.hpp"
#include "transport/mpi/owner.hpp"
#include "transport/mpi/pause.hpp"
#include "transport/mpi/pending.hpp"
#include "transport/mpi/progress_thread.hpp"
#include "transport/mpi/receives.hpp"
#include "transport/mpi/region_table.hpp"
#include "transport/mpi/transfers.hpp"
#include "transport/mpi/wire.hpp"
#include "transport/transport.hpp"

namespace weir::transport::mpi {

class Link {
 public:
  // Collective: starts MPI unless the program has. io_error with MPI's words.
  static base::Result<std::unique_ptr<Link>> open(const WeirMpiCalls& calls);
  // Ends MPI when leave() was called, and open() has started it.
  ~Link();
  Link(const Link&) = delete;

  // What MPI says of itself: which it is, and whether any thread may call it at any time (MPI_THREAD_MULTIPLE), which
  // the program does without the mutex.
  const WeirMpiStart& mpi() const noexcept { return start_; }
  Rank rank() const noexcept { return static_cast<Rank>(start_.rank); }
  std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(start_.ranks); }

  // What runs while a thread waits, beside what the link does itself; true when it has done something. Set before the
  // first wait.
  void set_idle_work(std::function<bool()> work) { idle_work_ = std::move(work); }

  // This rank's memory that others reach by that number.
  void add_region(RegionId id, std::byte* data, Bytes size);
  void remove_region(RegionId id);

  // What channels do; never with this rank itself.
  Pending& open_pending();
  void close_pending(Pending& pending);
  // `ends_here`: the source may be used again when it returns; else when nothing is pending.
  base::Status put(Pending& pending, Location to, const std::byte* from, std::size_t bytes, bool ends_here);
  // `ends_here`: the bytes are there when it returns.
  base::Status get(Pending& pending, std::byte* to, Location from, std::size_t bytes, bool ends_here);
  using Atomic = Asker::Atomic;
  // `old`: null when nothing is fetched.
  base::Status atomic(Pending& pending, Location at, const Atomic& atomic, std::uint64_t* old, bool ends_here);
  base::Status wait_for_large(Pending& pending);
  base::Status wait_for(Pending& pending, std::span<const Rank> ranks);  // none: for all

  // Nothing of any channel's is pending.
  bool is_quiet() const;

  base::Status send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes, bool may_wait);
  // Takes what has arrived; true when there was something. Messages wait for take_mail().
  bool look();
  // Messages in the order in which they came; handled() after each.
  std::deque<Letter> take_mail();
  void handled(const Letter& letter);
  // Counts what has arrived. LINK-1: what the count tells of is seen after it.
  std::uint64_t arrivals() const noexcept { return arrivals_.load(std::memory_order_acquire); }

  base::Status all_gather(std::span<const std::byte> mine, std::span<std::byte> all);
  base::Status barrier();

  // A rank that this one has found lost: tells the others, when the link did not know.
  void report_lost(Rank rank, const std::string& why);
  // Not analysed: without the mutex when no rank is lost, as has_some() may be asked.
  std::optional<Lost> lost() const WEIR_NOT_ANALYSED;
  base::Status leave();
  [[noreturn]] void abort(int status);

 private:
  explicit Link(const WeirMpiCalls& calls) : calls_(calls), receives_(calls), transfers_(calls) {}
  base::Status start();
  static void at_finalize(void* link);

  bool look_locked() WEIR_REQUIRES(mutex_);
  void take(Rank from, std::span<const std::byte> packet) WEIR_REQUIRES(mutex_);
  void take_record(Rank from, const Record& record, std::span<const std::byte> bytes) WEIR_REQUIRES(mutex_);
  void pump() WEIR_REQUIRES(mutex_);

  // lost: when that rank is, or this one; without a rank, when any is; when MPI has ended.
  base::Status usable(std::optional<Rank> rank) const WEIR_REQUIRES(mutex_);
  base::Status wait_for_room(Rank to);
  base::Status wait_for_request(WeirMpiRequest& request);
  base::Status lost_in_meeting(int error);

  // Until ready() is true, which is called with the mutex held, or broken() has a failure.
  template <class Ready, class Broken>
  base::Status wait(Ready ready, Broken broken);

  const WeirMpiCalls& calls_;
  WeirMpiStart start_{};
  std::function<bool()> idle_work_;

  mutable base::Mutex mutex_;
  std::unique_ptr<Outbox> outbox_ WEIR_GUARDED_BY(mutex_);
  Receives receives_ WEIR_GUARDED_BY(mutex_);
  Transfers transfers_ WEIR_GUARDED_BY(mutex_);
  std::unique_ptr<Mail> mail_ WEIR_GUARDED_BY(mutex_);
  RegionTable regions_ WEIR_GUARDED_BY(mutex_);
  std::unique_ptr<Losses> losses_ WEIR_GUARDED_BY(mutex_);
  std::unique_ptr<Owner> owner_ WEIR_GUARDED_BY(mutex_);
  std::unique_ptr<Asker> asker_ WEIR_GUARDED_BY(mutex_);
  bool has_left_ WEIR_GUARDED_BY(mutex_) = false;
  bool has_ended_ WEIR_GUARDED_BY(mutex_) = false;  // MPI is not to be called any more

  std::atomic<std::uint64_t> arrivals_{0};
  std::atomic<std::uint64_t> looks_{0};
  std::unique_ptr<ProgressThread> progress_;
};

template <class Ready, class Broken>
base::Status Link::wait(Ready ready, Broken broken) {
  Pause pause;
  for (;;) {
    bool worked = false;
    {
      const base::Lock lock(mutex_);
      worked = look_locked();
      if (ready()) return base::Status::success();
      if (base::Status status = broken(); !status) return status;
    }
    if (idle_work_ && idle_work_()) worked = true;
    pause.between(worked);
  }
}

}  // namespace weir::transport::mpi
