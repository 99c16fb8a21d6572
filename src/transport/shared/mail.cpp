// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/mail.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.hpp"
#include "platform/prefetch.hpp"
#include "transport/no_memory.hpp"

namespace weir::transport::shared {
namespace {

// Whose handlers this thread runs.
thread_local const Mail* running = nullptr;

// The first of those that have a bit in a word of them.
Rank rank_of(std::size_t word, std::uint64_t bits) noexcept {
  return Rank{static_cast<std::uint32_t>(64 * word + std::countr_zero(bits))};
}

}  // namespace

Mail::Mail(Commons& commons, Peers& peers, Waiting& waiting) : commons_(commons), peers_(peers), waiting_(waiting) {
  for (std::uint32_t i = 0; i < commons.ranks(); ++i) {
    in_.push_back(commons.ring(Rank{i}, commons.rank()));
    out_.push_back(std::make_unique<Outbox>(commons.ring(commons.rank(), Rank{i})));
  }
}

base::Status Mail::send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) {
  WEIR_CHECK(static_cast<std::uint32_t>(to) < commons_.ranks(), "a message to a rank that there is not");
  WEIR_CHECK(bytes.size() <= Transport::kMaxMessage, "a message longer than Transport::kMaxMessage");
  WEIR_CHECK(handler < Transport::kHandlers, "a handler's number is less than Transport::kHandlers");
  if (peers_.is_lost(to)) return peers_.status();
  if (running == this) {
    send_or_keep(to, handler, bytes);
    return base::Status::success();
  }
  bool is_sent = false;
  return waiting_.until([&] { return is_sent || (is_sent = try_send(to, handler, bytes)); });
}

bool Mail::Outbox::try_write(std::uint16_t handler, std::span<const std::byte> bytes) {
  if (ring.try_write(handler, bytes, sent)) return true;
  ring.ask_for_room();
  return ring.try_write(handler, bytes, sent);
}

bool Mail::try_send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) {
  if (!commons_.are_few()) platform::prefetch_to_write(&bit_at(to));  // what announce_to() writes
  Outbox& box = *out_[static_cast<std::uint32_t>(to)];
  const base::Lock lock(box.mutex);
  box.ring.prefetch_to_write(box.sent);
  if (!box.kept.empty() || !box.try_write(handler, bytes)) return false;
  announce_to(to);
  return true;
}

void Mail::send_or_keep(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) {
  if (try_send(to, handler, bytes)) return;
  Outbox& box = *out_[static_cast<std::uint32_t>(to)];
  const base::Lock lock(box.mutex);
  or_end_without_memory("a message that its receiver has no room for yet", [&]() WEIR_REQUIRES(box.mutex) {
    box.kept.push_back({handler, {bytes.begin(), bytes.end()}});
  });
  box.has_kept.store(true);
  kept_.fetch_add(1);
}

// MAIL-1: the message is in the ring before the bit is set, the bit is taken before the ring is read: a receiver that
// finds no bit is told of the message by the next. A rank of few finds it without the bit, which says that this rank
// has rung since somebody there lay down (MAIL-2). BELL-1: the bit is set, or the message in the ring, before the
// sender asks who sleeps. POLLER-1: and before it asks who polls.
void Mail::announce_to(Rank to) noexcept {
  const bool to_few = commons_.are_few();
  if (to_few && (!peers_.sleeps(to) || commons_.pollers_of(to).load() != 0)) return;
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::uint32_t>(commons_.rank()) % 64);
  if ((bit_at(to).fetch_or(bit) & bit) != 0) return;
  if (to_few || commons_.pollers_of(to).load() == 0) peers_.ring(to);
}

// POLLER-1: it does not poll any more before its last look; the sender's set its bit before it asks who polls.
bool Mail::end_polling() noexcept {
  commons_.pollers_of(commons_.rank()).fetch_sub(1);
  return has_arrived();
}

bool Mail::progress() {
  if (!is_waiting() || is_running_.exchange(true)) return false;
  const Mail* const outer = std::exchange(running, this);
  bool any = kept_.load() != 0 && send_kept();
  any |= commons_.are_few() ? receive_from_all() : receive_from_senders();
  running = outer;
  is_running_.store(false);
  return any;
}

// Of few.
bool Mail::receive_from_all() {
  bool any = false;
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) any |= receive_from(Rank{i});
  return any;
}

bool Mail::receive_from_senders() {
  bool any = false;
  const auto words = commons_.senders_to(commons_.rank());
  for (std::size_t word = 0; word < words.size(); ++word) {
    const std::uint64_t seen = words[word].load();
    if (seen == 0) continue;
    in_[static_cast<std::uint32_t>(rank_of(word, seen))].prefetch_to_read();
    for (std::uint64_t bits = words[word].exchange(0); bits != 0; bits &= bits - 1)  // MAIL-1
      any |= receive_from(rank_of(word, bits));
  }
  return any;
}

bool Mail::receive_from(Rank from) {
  const auto number = static_cast<std::uint32_t>(from);
  Ring& ring = in_[number];
  int taken = 0;
  while (taken < kBatch && ring.read([&](std::uint16_t handler, std::span<const std::byte> bytes) {
    handlers_.run(handler, from, bytes);
  })) {
    ++taken;
    if (ring.is_room_wanted()) peers_.ring(from);
  }
  if (taken == kBatch && !commons_.are_few() && !ring.is_empty())
    commons_.senders_to(commons_.rank())[number / 64].fetch_or(std::uint64_t{1} << (number % 64));
  return taken != 0;
}

bool Mail::send_kept() {
  bool any = false;
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) any |= send_kept_to(Rank{i});
  return any;
}

bool Mail::send_kept_to(Rank to) {
  Outbox& box = *out_[static_cast<std::uint32_t>(to)];
  const base::Lock lock(box.mutex);
  bool any = false;
  while (!box.kept.empty()) {
    const Kept& oldest = box.kept.front();
    if (!box.try_write(oldest.handler, oldest.bytes)) break;
    box.kept.pop_front();
    kept_.fetch_sub(1);
    any = true;
  }
  box.has_kept.store(!box.kept.empty());
  if (any) announce_to(to);
  return any;
}

base::Status Mail::send_all() {
  return waiting_.until([&] { return kept_.load() == 0; });
}

// A kept message can go when its receiver has made room since send_kept() asked for it (ROOM-1).
bool Mail::is_waiting() const noexcept {
  if (has_arrived()) return true;
  if (kept_.load() == 0) return false;
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) {
    if (out_[i]->has_kept.load() && !out_[i]->ring.is_room_asked_for()) return true;
  }
  return false;
}

bool Mail::has_arrived() const noexcept {
  if (commons_.are_few()) return std::any_of(in_.begin(), in_.end(), [](const Ring& ring) { return !ring.is_empty(); });
  for (const std::atomic<std::uint64_t>& word : commons_.senders_to(commons_.rank())) {
    if (word.load() != 0) return true;
  }
  return false;
}

}  // namespace weir::transport::shared
