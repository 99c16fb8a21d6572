// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/link.hpp"

#include <unistd.h>

#include <cstring>
#include <string>
#include <system_error>

#include "base/check.hpp"
#include "platform/clock.hpp"
#include "transport/no_memory.hpp"

namespace weir::transport::mpi {

base::Result<std::unique_ptr<Link>> Link::open(const WeirMpiCalls& calls) {
  std::unique_ptr<Link> link(new Link(calls));
  if (base::Status status = link->start(); !status) return status;
  return link;
}

base::Status Link::start() {
  const base::Lock lock(mutex_);
  if (calls_.is_finalised() != 0)
    return {
        base::Code::lost,
        "the program has called MPI_Finalize(), and MPI starts once in a process: finalize it after what stands on it"};
  start_.at_finalize = at_finalize;
  start_.context = this;
  has_ended_ = true;  // until MPI has begun
  if (const int error = calls_.start(&start_); error != 0)
    return {base::Code::io_error, "the connection between hosts could not be made: " + text_of(calls_, error)};
  has_ended_ = false;
  outbox_ = std::make_unique<Outbox>(calls_, ranks());
  mail_ = std::make_unique<Mail>(ranks());
  losses_ = std::make_unique<Losses>(calls_, *outbox_, transfers_, rank(), ranks());
  owner_ = std::make_unique<Owner>(regions_, *outbox_, transfers_);
  asker_ = std::make_unique<Asker>(regions_, *outbox_, transfers_, ranks());
  if (const int error = receives_.start(); error != 0)
    return {base::Code::io_error, "the connection between hosts could not be made: " + text_of(calls_, error)};
  if (start_.threads == 0) return base::Status::success();
  try {
    progress_ = std::make_unique<ProgressThread>([this] { return look(); }, [this] { return looks_.load(); });
    return base::Status::success();
  } catch (const std::system_error& error) {
    return {base::Code::no_space, std::string("the connection between hosts: ") + error.what()};
  }
}

// A rank that ends without having left does not end MPI: that would wait for the others. What has started the job sees
// it.
Link::~Link() {
  progress_.reset();
  const base::Lock lock(mutex_);
  if (has_ended_) return;
  receives_.end();
  if (has_left_) calls_.finish();
}

// Called within the program's own MPI_Finalize(), on all ranks: what was promised to others still goes.
void Link::at_finalize(void* context) {
  constexpr std::uint64_t kLongest = 1'000'000'000;  // ns
  Link& link = *static_cast<Link*>(context);
  link.progress_.reset();
  const std::uint64_t begin = platform::now_ns();
  const base::Lock lock(link.mutex_);
  while (!link.outbox_->is_empty() && platform::now_ns() - begin < kLongest) link.look_locked();
  link.receives_.end();
  link.has_ended_ = true;
}

bool Link::look() {
  const base::Lock lock(mutex_);
  return look_locked();
}

bool Link::look_locked() {
  return or_end_without_memory("messages of other hosts", [this]() WEIR_REQUIRES(mutex_) {
    looks_.fetch_add(1);
    if (has_ended_) return false;
    const auto failed = [this](const Failure& failure) WEIR_REQUIRES(mutex_) { losses_->note(failure); };
    const auto take = [this](Rank from, std::span<const std::byte> packet)
                          WEIR_REQUIRES(mutex_) { this->take(from, packet); };
    const std::size_t packets = receives_.poll(take, failed);
    const bool ended = transfers_.poll(failed);
    pump();
    // LINK-1: whoever sees the new count sees what has arrived; pairs with arrivals().
    if (packets != 0 || ended) arrivals_.fetch_add(1, std::memory_order_release);
    return packets != 0 || ended;
  });
}

void Link::pump() {
  outbox_->pump([this](const Failure& failure) WEIR_REQUIRES(mutex_) { losses_->note(failure); });
}

void Link::take(Rank from, std::span<const std::byte> packet) {
  if (losses_->has(from)) return;
  while (!packet.empty()) {
    Record record;
    WEIR_CHECK(packet.size() >= sizeof record, "a packet has whole records");
    std::memcpy(&record, packet.data(), sizeof record);
    WEIR_CHECK(packet.size() >= size_of(record), "a packet has whole records");
    take_record(from, record, packet.subspan(sizeof record, record.bytes));
    packet = packet.subspan(size_of(record));
  }
  owner_->send_done();
}

void Link::take_record(Rank from, const Record& record, std::span<const std::byte> bytes) {
  switch (record.kind) {
    case Kind::message: return mail_->arrived({from, record.number, {bytes.begin(), bytes.end()}});
    case Kind::credit: return mail_->credit(from, record.count);
    case Kind::put:
    case Kind::put_large:
    case Kind::get:
    case Kind::get_large:
    case Kind::atomic:
      if (const int error = owner_->serve(from, record, bytes); error != 0)
        losses_->note({static_cast<int>(from), error});
      return;
    case Kind::got:
    case Kind::fetched:
    case Kind::done: return asker_->take_answer(from, record, bytes);
    case Kind::lost:
      return losses_->note(static_cast<Rank>(record.count),
                           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  WEIR_CHECK(false, "a record of a kind that there is not: the ranks run different versions of Weir");
}

void Link::add_region(RegionId id, std::byte* data, Bytes size) {
  const base::Lock lock(mutex_);
  regions_.add(id, data, size);
}

void Link::remove_region(RegionId id) {
  const base::Lock lock(mutex_);
  regions_.remove(id);
}

Pending& Link::open_pending() {
  const base::Lock lock(mutex_);
  return asker_->pending().open();
}

void Link::close_pending(Pending& pending) {
  const base::Lock lock(mutex_);
  asker_->pending().close(pending);
}

bool Link::is_quiet() const {
  const base::Lock lock(mutex_);
  return asker_->pending().is_quiet();
}

base::Status Link::wait_for_request(WeirMpiRequest& request) {
  int error = 0;
  const auto ready = [&]() WEIR_REQUIRES(mutex_) {
    if (has_ended_) return false;
    WeirMpiOutcome outcome{};
    error = calls_.test(&request, &outcome);
    return error != 0 || outcome.done != 0;
  };
  const auto broken = [this]() WEIR_REQUIRES(mutex_) { return usable(std::nullopt); };
  base::Status status = wait(ready, broken);
  return status && error != 0 ? lost_in_meeting(error) : status;
}

// A meeting fails when a rank is gone. MPI does not say which; those who know tell it.
base::Status Link::lost_in_meeting(int error) {
  constexpr std::uint64_t kLongest = 2'000'000'000;  // ns
  const std::uint64_t end = platform::now_ns() + kLongest;
  const auto ready = [&]() WEIR_REQUIRES(mutex_) { return losses_->first() || platform::now_ns() > end; };
  if (base::Status status = wait(ready, [] { return base::Status::success(); }); !status) return status;
  const base::Lock lock(mutex_);
  if (!losses_->first()) losses_->note({-1, error});
  return {base::Code::lost, losses_->first() ? losses_->first()->why : text_of(calls_, error)};
}

base::Status Link::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  WEIR_CHECK(all.size() == mine.size() * ranks(), "all_gather(): room for every rank's bytes");
  WeirMpiRequest request{};
  {
    const base::Lock lock(mutex_);
    if (base::Status status = usable(rank()); !status) return status;
    if (const int error = calls_.all_gather(mine.data(), mine.size(), all.data(), &request); error != 0)
      return {base::Code::io_error, text_of(calls_, error)};
  }
  return wait_for_request(request);
}

base::Status Link::barrier() {
  WeirMpiRequest request{};
  {
    const base::Lock lock(mutex_);
    if (base::Status status = usable(rank()); !status) return status;
    if (const int error = calls_.barrier(&request); error != 0) return {base::Code::io_error, text_of(calls_, error)};
  }
  return wait_for_request(request);
}

base::Status Link::usable(std::optional<Rank> rank) const {
  if (!rank && losses_->first()) return {base::Code::lost, losses_->first()->why};
  if (has_ended_)
    return {base::Code::lost,
            "the program has called MPI_Finalize(), and nothing goes between hosts after it: finalize what "
            "stands on MPI first"};
  return rank ? losses_->status_of(*rank) : base::Status::success();
}

void Link::report_lost(Rank rank, const std::string& why) {
  const base::Lock lock(mutex_);
  if (losses_->has(rank) || has_left_ || has_ended_) return;
  losses_->note(rank, why);
  const std::span<const std::byte> words = std::as_bytes(std::span(why.data(), std::min(why.size(), kInlineBytes)));
  or_end_without_memory("a message to another host", [&]() WEIR_REQUIRES(mutex_) {
    for (std::uint32_t to = 0; to < ranks(); ++to) {
      if (to == static_cast<std::uint32_t>(start_.rank) || losses_->has(static_cast<Rank>(to))) continue;
      Record record{.kind = Kind::lost, .bytes = static_cast<std::uint32_t>(words.size())};
      record.count = static_cast<std::uint32_t>(rank);
      outbox_->append(static_cast<Rank>(to), record, words);
    }
    pump();
  });
}

std::optional<Lost> Link::lost() const {
  if (!losses_->has_some()) return std::nullopt;
  const base::Lock lock(mutex_);
  return losses_->first();
}

base::Status Link::leave() {
  {
    const base::Lock lock(mutex_);
    if (has_ended_ || has_left_) return base::Status::success();
  }
  const auto ready = [this]() WEIR_REQUIRES(mutex_) { return outbox_->is_empty() && transfers_.is_empty(); };
  const auto broken = [this]() WEIR_REQUIRES(mutex_) { return usable(std::nullopt); };
  if (base::Status status = wait(ready, broken); !status) return status;
  if (base::Status status = barrier(); !status) return status;
  const base::Lock lock(mutex_);
  has_left_ = true;
  losses_->close();
  return base::Status::success();
}

// Without the mutex: who holds it may wait for what will not come.
void Link::abort(int status) WEIR_NOT_ANALYSED {
  progress_.release();  // NOLINT(bugprone-unused-return-value): it ends with the process
  if (calls_.is_finalised() == 0) calls_.abort(status);
  _exit(status);
}

}  // namespace weir::transport::mpi
