// SPDX-License-Identifier: Apache-2.0

// What a rank asks of others, and waits for.
#include <algorithm>

#include "base/check.hpp"
#include "transport/mpi/link.hpp"
#include "transport/no_memory.hpp"

namespace weir::transport::mpi {
namespace {

// Bytes for one rank that MPI has not taken: then whoever has more for it waits.
constexpr std::size_t kBacklog = 1 << 20;

}  // namespace

base::Status Link::wait_for_room(Rank to) {
  {
    const base::Lock lock(mutex_);
    if (outbox_->backlog(to) < kBacklog) return base::Status::success();
  }
  const auto ready = [&]() WEIR_REQUIRES(mutex_) { return outbox_->backlog(to) < kBacklog; };
  const auto broken = [&]() WEIR_REQUIRES(mutex_) { return usable(to); };
  return wait(ready, broken);
}

base::Status Link::put(Pending& pending, Location to, const std::byte* from, std::size_t bytes, bool ends_here) {
  if (bytes == 0) return base::Status::success();
  std::uint32_t left = 0;
  bool is_read = false;  // still, by MPI
  {
    const base::Lock lock(mutex_);
    if (base::Status status = usable(to.rank); !status) return status;
    if (const int error = asker_->put(pending, to, from, bytes, ends_here ? &left : nullptr); error != 0) {
      losses_->note({static_cast<int>(to.rank), error});
      if (base::Status status = usable(to.rank); !status) return status;
    }
    pump();
    is_read = left != 0;
    if (!is_read && outbox_->backlog(to.rank) < kBacklog) return base::Status::success();
  }
  if (!is_read) return wait_for_room(to.rank);
  return wait([&]() WEIR_REQUIRES(mutex_) { return left == 0; },
              [&]() WEIR_REQUIRES(mutex_) { return usable(to.rank); });
}

base::Status Link::get(Pending& pending, std::byte* to, Location from, std::size_t bytes, bool ends_here) {
  std::uint32_t left = 0;
  {
    const base::Lock lock(mutex_);
    if (base::Status status = usable(from.rank); !status) return status;
    if (const int error = asker_->get(pending, to, from, bytes, ends_here ? &left : nullptr); error != 0) {
      losses_->note({static_cast<int>(from.rank), error});
      return usable(from.rank);
    }
    pump();
  }
  if (!ends_here) return wait_for_room(from.rank);
  return wait([&]() WEIR_REQUIRES(mutex_) { return left == 0; },
              [&]() WEIR_REQUIRES(mutex_) { return usable(from.rank); });
}

base::Status Link::atomic(Pending& pending, Location at, const Atomic& atomic, std::uint64_t* old, bool ends_here) {
  const bool is_awaited = ends_here && old != nullptr;
  std::uint32_t left = 0;
  {
    const base::Lock lock(mutex_);
    if (base::Status status = usable(at.rank); !status) return status;
    asker_->atomic(pending, at, atomic, old, is_awaited ? &left : nullptr);
    pump();
  }
  if (!is_awaited) return wait_for_room(at.rank);
  return wait([&]() WEIR_REQUIRES(mutex_) { return left == 0; },
              [&]() WEIR_REQUIRES(mutex_) { return usable(at.rank); });
}

base::Status Link::wait_for_large(Pending& pending) {
  {
    const base::Lock lock(mutex_);
    if (pending.large() == 0) return base::Status::success();
  }
  const auto ready = [&]() WEIR_REQUIRES(mutex_) { return pending.large() == 0; };
  const auto broken = [&]() WEIR_REQUIRES(mutex_) { return usable(std::nullopt); };
  return wait(ready, broken);
}

base::Status Link::wait_for(Pending& pending, std::span<const Rank> ranks) {
  {
    const base::Lock lock(mutex_);
    if (pending.all() == 0) return base::Status::success();
  }
  const auto ready = [&]() WEIR_REQUIRES(mutex_) {
    if (ranks.empty()) return pending.all() == 0;
    return std::all_of(ranks.begin(), ranks.end(), [&](Rank rank) { return pending.of(rank) == 0; });
  };
  const auto broken = [&]() WEIR_REQUIRES(mutex_) { return usable(std::nullopt); };
  return wait(ready, broken);
}

base::Status Link::send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes, bool may_wait) {
  WEIR_CHECK(bytes.size() <= Transport::kMaxMessage, "a message has at most Transport::kMaxMessage bytes");
  bool is_sent = false;
  const auto try_send = [&]() WEIR_REQUIRES(mutex_) {
    if (is_sent || has_ended_ || losses_->has(to)) return is_sent;
    if (may_wait && !mail_->may_send(to)) return false;
    Record record{.kind = Kind::message, .number = handler, .bytes = static_cast<std::uint32_t>(bytes.size())};
    mail_->sent(to);
    or_end_without_memory("a message to another host", [&]() WEIR_REQUIRES(mutex_) {
      outbox_->append(to, record, bytes);
      pump();
    });
    return is_sent = true;
  };
  {
    const base::Lock lock(mutex_);
    if (try_send()) return base::Status::success();
    if (base::Status status = usable(to); !status) return status;
  }
  return wait(try_send, [&]() WEIR_REQUIRES(mutex_) { return usable(to); });
}

std::deque<Letter> Link::take_mail() {
  const base::Lock lock(mutex_);
  return mail_->take();
}

void Link::handled(const Letter& letter) {
  const base::Lock lock(mutex_);
  const std::uint32_t credits = mail_->handled(letter.from);
  if (credits == 0 || has_left_ || has_ended_) return;
  Record record{.kind = Kind::credit};
  record.count = credits;
  or_end_without_memory("a message to another host", [&]() WEIR_REQUIRES(mutex_) {
    outbox_->append(letter.from, record);
    pump();
  });
}

}  // namespace weir::transport::mpi
