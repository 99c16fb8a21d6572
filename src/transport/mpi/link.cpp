// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/link.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/check.hpp"
#include "platform/clock.hpp"

namespace weir::transport::mpi {

base::Result<std::unique_ptr<Link>> Link::open(const WeirMpiCalls& calls) {
  std::unique_ptr<Link> link(new Link(calls));
  if (base::Status status = link->start(); !status) return status;
  return link;
}

base::Status Link::start() {
  const base::Lock lock(mutex_);
  start_.at_finalize = at_finalize;
  start_.context = this;
  has_ended_ = true;  // until MPI has begun
  if (const int error = calls_.start(&start_); error != 0)
    return {base::Code::io_error, "the connection between hosts could not be made: " + text_of(calls_, error)};
  has_ended_ = false;
  outbox_ = std::make_unique<Outbox>(calls_, ranks());
  mail_ = std::make_unique<Mail>(ranks());
  is_lost_.resize(ranks());
  if (const int error = receives_.start(); error != 0)
    return {base::Code::io_error, "the connection between hosts could not be made: " + text_of(calls_, error)};
  if (start_.threads != 0)
    progress_ = std::make_unique<ProgressThread>([this] { return look(); }, [this] { return looks_.load(); });
  return base::Status::success();
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
  looks_.fetch_add(1);
  if (has_ended_) return false;
  const auto failed = [this](const Failure& failure) WEIR_REQUIRES(mutex_) { this->failed(failure); };
  const auto take = [this](Rank from, std::span<const std::byte> packet)
                        WEIR_REQUIRES(mutex_) { this->take(from, packet); };
  const std::size_t packets = receives_.poll(take, failed);
  const bool ended = transfers_.poll(failed);
  pump();
  // LINK-1: whoever sees the new count sees what has arrived; pairs with arrivals().
  if (packets != 0 || ended) arrivals_.fetch_add(1, std::memory_order_release);
  return packets != 0 || ended;
}

void Link::pump() {
  outbox_->pump([this](const Failure& failure) WEIR_REQUIRES(mutex_) { failed(failure); });
}

void Link::add_region(RegionId id, std::byte* data, Bytes size) {
  const base::Lock lock(mutex_);
  const auto index = static_cast<std::size_t>(id);
  if (regions_.size() <= index) regions_.resize(index + 1);
  regions_[index] = {data, size.count};
}

void Link::remove_region(RegionId id) {
  const base::Lock lock(mutex_);
  regions_[static_cast<std::size_t>(id)] = {};
}

Pending& Link::open_pending() {
  const base::Lock lock(mutex_);
  auto place = std::find(pending_.begin(), pending_.end(), nullptr);
  if (place == pending_.end()) place = pending_.insert(place, nullptr);
  const auto index = static_cast<std::uint16_t>(place - pending_.begin());
  *place = std::make_unique<Pending>(index, ranks());
  return **place;
}

void Link::close_pending(Pending& pending) {
  const base::Lock lock(mutex_);
  pending_[pending.id()].reset();
}

base::Status Link::wait_for_request(WeirMpiRequest& request) {
  int error = 0;
  const auto ready = [&]() WEIR_REQUIRES(mutex_) {
    if (has_ended_) return false;
    WeirMpiOutcome outcome{};
    error = calls_.test(&request, &outcome);
    return error != 0 || outcome.done != 0;
  };
  const auto broken = [this]() WEIR_REQUIRES(mutex_) {
    return lost_ ? base::Status{base::Code::lost, lost_->why} : usable(rank());
  };
  base::Status status = wait(ready, broken);
  return status && error != 0 ? lost_in_meeting(error) : status;
}

// A meeting fails when a rank is gone. MPI does not say which; those who know tell it.
base::Status Link::lost_in_meeting(int error) {
  constexpr std::uint64_t kLongest = 2'000'000'000;  // ns
  const std::uint64_t end = platform::now_ns() + kLongest;
  const auto ready = [&]() WEIR_REQUIRES(mutex_) { return lost_.has_value() || platform::now_ns() > end; };
  if (base::Status status = wait(ready, [] { return base::Status::success(); }); !status) return status;
  const base::Lock lock(mutex_);
  if (!lost_) failed({-1, error});
  return {base::Code::lost, lost_ ? lost_->why : text_of(calls_, error)};
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

base::Status Link::usable(Rank rank) const {
  if (has_ended_)
    return {base::Code::lost,
            "the program has called MPI_Finalize(), and nothing goes between hosts after it: finalize what "
            "stands on MPI first"};
  if (is_lost_[static_cast<std::size_t>(rank)] || is_lost_[static_cast<std::size_t>(start_.rank)])
    return {base::Code::lost, lost_->why};
  return base::Status::success();
}

void Link::failed(const Failure& failure) {
  const std::string words = text_of(calls_, failure.error);
  if (failure.rank < 0)
    return note_lost(
        rank(), fmt::format("a rank that does not answer rank {}, and MPI does not say which: {}", start_.rank, words));
  note_lost(static_cast<Rank>(failure.rank),
            fmt::format("rank {} does not answer rank {}: {}", failure.rank, start_.rank, words));
}

void Link::note_lost(Rank rank, const std::string& why) {
  const auto index = static_cast<std::size_t>(rank);
  if (has_left_ || is_lost_[index]) return;
  is_lost_[index] = true;
  outbox_->drop(rank);
  transfers_.drop(rank);
  if (!lost_) lost_ = Lost{rank, why};
  has_lost_.store(true, std::memory_order_release);  // LINK-1
}

void Link::report_lost(Rank rank, const std::string& why) {
  const base::Lock lock(mutex_);
  if (is_lost_[static_cast<std::size_t>(rank)] || has_left_ || has_ended_) return;
  note_lost(rank, why);
  const std::span<const std::byte> words = std::as_bytes(std::span(why.data(), std::min(why.size(), kInlineBytes)));
  for (std::uint32_t to = 0; to < ranks(); ++to) {
    if (to == static_cast<std::uint32_t>(start_.rank) || is_lost_[to]) continue;
    Record record{.kind = Kind::lost, .bytes = static_cast<std::uint32_t>(words.size())};
    record.count = static_cast<std::uint32_t>(rank);
    outbox_->append(static_cast<Rank>(to), record, words);
  }
  pump();
}

std::optional<Lost> Link::lost() const {
  if (!has_lost()) return std::nullopt;
  const base::Lock lock(mutex_);
  return lost_;
}

base::Status Link::leave() {
  {
    const base::Lock lock(mutex_);
    if (has_ended_ || has_left_) return base::Status::success();
  }
  const auto ready = [this]() WEIR_REQUIRES(mutex_) { return outbox_->is_empty() && transfers_.is_empty(); };
  const auto broken = [this]() WEIR_REQUIRES(mutex_) {
    return lost_ ? base::Status{base::Code::lost, lost_->why} : usable(rank());
  };
  if (base::Status status = wait(ready, broken); !status) return status;
  if (base::Status status = barrier(); !status) return status;
  const base::Lock lock(mutex_);
  has_left_ = true;
  return base::Status::success();
}

// Without the mutex: who holds it may wait for what will not come.
void Link::abort(int status) WEIR_NOT_ANALYSED {
  progress_.release();  // NOLINT(bugprone-unused-return-value): it ends with the process
  if (calls_.is_finalised() == 0) calls_.abort(status);
  _exit(status);
}

}  // namespace weir::transport::mpi
