// SPDX-License-Identifier: Apache-2.0

// What a rank asks of others.
#include <algorithm>

#include "base/check.hpp"
#include "transport/atomic.hpp"
#include "transport/mpi/link.hpp"

namespace weir::transport::mpi {
namespace {

// Bytes for one rank that MPI has not taken: then whoever has more for it waits.
constexpr std::size_t kBacklog = 1 << 20;

Record record_of(Kind kind, const Location& where, const Pending& pending) {
  Record record{.kind = kind, .number = static_cast<std::uint16_t>(where.region), .channel = pending.id()};
  record.offset = where.offset;
  return record;
}

std::uint64_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

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
  bool is_full = false;
  {
    const base::Lock lock(mutex_);
    if (base::Status status = usable(to.rank); !status) return status;
    static_cast<void>(memory(static_cast<std::uint16_t>(to.region), to.offset, bytes));
    if (bytes > kInlineBytes) {
      if (base::Status status = put_large(pending, to, from, bytes, ends_here ? &left : nullptr); !status)
        return status;
    } else {
      Record record = record_of(Kind::put, to, pending);
      record.bytes = static_cast<std::uint32_t>(bytes);
      pending.issued(to.rank);
      outbox_->append(to.rank, record, {from, bytes});
    }
    pump();
    is_full = outbox_->backlog(to.rank) >= kBacklog;
    if (!is_full && left == 0) return base::Status::success();
  }
  if (left == 0) return wait_for_room(to.rank);
  return wait([&]() WEIR_REQUIRES(mutex_) { return left == 0; },
              [&]() WEIR_REQUIRES(mutex_) { return usable(to.rank); });
}

base::Status Link::put_large(Pending& pending, Location to, const std::byte* from, std::size_t bytes,
                             std::uint32_t* left) {
  while (bytes != 0) {
    const std::uint64_t part = std::min<std::uint64_t>(bytes, kChunkBytes);
    Record record = record_of(Kind::put_large, to, pending);
    record.operand = part;
    const int error = transfers_.send(to.rank, Tag::put, from, part, [left] {
      if (left != nullptr) --*left;
    });
    if (error != 0) {
      failed({static_cast<int>(to.rank), error});
      return usable(to.rank);
    }
    if (left != nullptr) ++*left;
    pending.issued_large(to.rank);
    outbox_->append(to.rank, record);
    from += part;
    to.offset += part;
    bytes -= part;
  }
  return base::Status::success();
}

base::Status Link::get(Pending& pending, std::byte* to, Location from, std::size_t bytes, bool ends_here) {
  std::uint32_t left = 0;
  {
    const base::Lock lock(mutex_);
    if (base::Status status = usable(from.rank); !status) return status;
    static_cast<void>(memory(static_cast<std::uint16_t>(from.region), from.offset, bytes));
    for (std::uint64_t part = 0; bytes != 0; to += part, from.offset += part, bytes -= part) {
      part = std::min<std::uint64_t>(bytes, kChunkBytes);
      Record record = record_of(part > kInlineBytes ? Kind::get_large : Kind::get, from, pending);
      record.operand = part;
      record.to = number_of(to);
      record.waiting = ends_here ? number_of(&left) : 0;
      if (record.kind == Kind::get_large) {
        const auto then = [this, id = pending.id(), rank = from.rank, counter = ends_here ? &left : nullptr]()
                              WEIR_REQUIRES(mutex_) {
                                if (counter != nullptr) --*counter;
                                if (Pending* of = this->pending(id); of != nullptr) of->ended(rank, 1);
                              };
        if (const int error = transfers_.receive(from.rank, Tag::get, to, part, then); error != 0) {
          failed({static_cast<int>(from.rank), error});
          return usable(from.rank);
        }
      }
      if (ends_here) ++left;
      pending.issued(from.rank);
      outbox_->append(from.rank, record);
    }
    pump();
  }
  if (!ends_here) return wait_for_room(from.rank);
  return wait([&]() WEIR_REQUIRES(mutex_) { return left == 0; },
              [&]() WEIR_REQUIRES(mutex_) { return usable(from.rank); });
}

base::Status Link::atomic(Pending& pending, Location at, const Atomic& atomic, std::uint64_t* old, bool ends_here) {
  std::uint32_t left = 0;
  {
    const base::Lock lock(mutex_);
    if (base::Status status = usable(at.rank); !status) return status;
    static_cast<void>(memory(static_cast<std::uint16_t>(at.region), at.offset, bytes_of(atomic.width)));
    Record record = record_of(Kind::atomic, at, pending);
    record.op = atomic.op;
    record.width = atomic.width;
    record.operand = atomic.operand;
    record.expected = atomic.expected;
    record.to = number_of(old);
    if (ends_here && old != nullptr) record.waiting = number_of(&(left = 1));
    pending.issued(at.rank);
    outbox_->append(at.rank, record);
    pump();
  }
  if (left == 0) return wait_for_room(at.rank);
  return wait([&]() WEIR_REQUIRES(mutex_) { return left == 0; },
              [&]() WEIR_REQUIRES(mutex_) { return usable(at.rank); });
}

base::Status Link::wait_for_large(Pending& pending) {
  {
    const base::Lock lock(mutex_);
    if (pending.large() == 0) return base::Status::success();
  }
  const auto ready = [&]() WEIR_REQUIRES(mutex_) { return pending.large() == 0; };
  const auto broken = [&]() WEIR_REQUIRES(mutex_) {
    return lost_ ? base::Status{base::Code::lost, lost_->why} : usable(rank());
  };
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
  const auto broken = [&]() WEIR_REQUIRES(mutex_) {
    return lost_ ? base::Status{base::Code::lost, lost_->why} : usable(rank());
  };
  return wait(ready, broken);
}

base::Status Link::send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes, bool may_wait) {
  WEIR_CHECK(bytes.size() <= Transport::kMaxMessage, "a message has at most Transport::kMaxMessage bytes");
  bool is_sent = false;
  const auto try_send = [&]() WEIR_REQUIRES(mutex_) {
    if (is_sent || has_ended_ || is_lost_[static_cast<std::size_t>(to)]) return is_sent;
    if (may_wait && !mail_->may_send(to)) return false;
    Record record{.kind = Kind::message, .number = handler, .bytes = static_cast<std::uint32_t>(bytes.size())};
    mail_->sent(to);
    outbox_->append(to, record, bytes);
    pump();
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
  outbox_->append(letter.from, record);
  pump();
}

}  // namespace weir::transport::mpi
