// SPDX-License-Identifier: Apache-2.0

#include "cluster/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "check/hooks.hpp"
#include "cluster/spread.hpp"

namespace weir::cluster {

namespace {

template <class T>
std::span<const std::byte> bytes_of(const T& value) noexcept {
  return std::as_bytes(std::span(&value, 1));
}

// A message whose head is followed by text, of which as much is sent as there is room for.
class TextMessage {
 public:
  template <class Head>
  TextMessage(const Head& head, std::span<const std::byte> text) noexcept
      : size_(sizeof head + std::min(text.size(), kMost - sizeof head)) {
    std::memcpy(bytes_.data(), &head, sizeof head);
    if (size_ != sizeof head) std::memcpy(bytes_.data() + sizeof head, text.data(), size_ - sizeof head);
  }
  std::span<const std::byte> bytes() const noexcept { return std::span(bytes_).first(size_); }

 private:
  static constexpr std::size_t kMost = transport::Transport::kMaxMessage;
  std::array<std::byte, kMost> bytes_;
  std::size_t size_;
};
// A failure's text as all ranks but one get it.
std::string as_told(const std::string& text) {
  constexpr std::size_t kMost = transport::Transport::kMaxMessage - sizeof(Failed);
  constexpr std::string_view kEllipsis = "...";
  if (text.size() <= kMost) return text;
  std::size_t end = kMost - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // within a character of UTF-8
  return text.substr(0, end).append(kEllipsis);
}
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t shown(Rank rank) noexcept { return static_cast<std::uint32_t>(rank); }

// In the ring in which each rank tells the next one what it has refused, and made.
Rank rank_before(const transport::Transport& transport) noexcept {
  return Rank{(shown(transport.rank()) + transport.ranks() - 1) % transport.ranks()};
}
Rank rank_behind(const transport::Transport& transport) noexcept {
  return Rank{(shown(transport.rank()) + 1) % transport.ranks()};
}

std::string text_of(const ArrayMarks::Difference& difference, const transport::Transport& transport) {
  return fmt::format(
      "array {} has other {} on rank {} than on rank {}: all ranks make the same arrays in the same order, with the "
      "same shape, tiles and distribution",
      difference.name.empty() ? "without a name" : difference.name,
      difference.what == ArrayMarks::What::tiles ? "tiles" : "owners of its tiles", shown(transport.rank()),
      shown(rank_before(transport)));
}

std::uint16_t number_of(Message message) noexcept { return static_cast<std::uint16_t>(message); }

// To a block, on another thread than that of the task which has wanted it: under `weir check` blocks are closed to all
// but tasks.
void copy_for_task(std::span<std::byte> to, const std::byte* from) noexcept {
  const check::Pause pause;
  std::memcpy(to.data(), from, to.size());
}

}  // namespace

template <class Body, void (Exchange::*kHandle)(Rank, const Body&, std::span<const std::byte>)>
void Exchange::handle(Message message) {
  const auto handler = [](void* context, Rank from, std::span<const std::byte> bytes) {
    WEIR_CHECK(bytes.size() >= sizeof(Body), "a message between ranks has its head: all ranks are of one build");
    Body body;
    std::memcpy(&body, bytes.data(), sizeof body);
    (static_cast<Exchange*>(context)->*kHandle)(from, body, bytes.subspan(sizeof body));
  };
  transport_.set_handler(number_of(message), handler, this);
}

Exchange::Exchange(transport::Transport& transport)
    : transport_(transport), standstill_(transport.rank(), transport.ranks()), far_(transport) {
  handle<Contents, &Exchange::on_contents>(Message::contents);
  handle<Ready, &Exchange::on_ready>(Message::ready);
  handle<Taken, &Exchange::on_taken>(Message::taken);
  handle<Failed, &Exchange::on_failed>(Message::failed);
  handle<Arrived, &Exchange::on_arrived>(Message::barrier);
  handle<Refused, &Exchange::on_refused>(Message::refused);
  handle<Asked, &Exchange::on_asked>(Message::asked);
  handle<Standing, &Exchange::on_standing>(Message::standing);
  handle<Probe, &Exchange::on_probe>(Message::probe);
  handle<Made, &Exchange::on_made>(Message::made);
}

// ---- The sender's side ----

void Exchange::send_small(const TileVersion& what, Rank to, std::span<const std::byte> bytes) {
  std::array<std::byte, transport::Transport::kMaxMessage> message;
  const Contents head{what};
  std::memcpy(message.data(), &head, sizeof head);
  std::memcpy(message.data() + sizeof head, bytes.data(), bytes.size());
  send(to, Message::contents, std::span(message).first(sizeof head + bytes.size()));
}

void Exchange::offer(const TileVersion& what, Rank to, transport::RegionId region, std::uint64_t offset,
                     std::size_t bytes, EndingPtr ending) {
  const std::uint64_t number = keep_until_failure(to, std::move(ending));
  send(to, Message::ready, bytes_of(Ready{what, region, offset, bytes, number}));
}

void Exchange::on_taken(Rank, const Taken& taken, std::span<const std::byte>) {
  if (const EndingPtr ending = offers_.take(taken.offer)) ending->done();
}

// ---- The receiver's side ----

void Exchange::await(const TileVersion& what, const Receiver& receiver) {
  arrivals_.await(what, receiver);
  if (has_failed()) arrivals_.give_up();  // FAIL-1
}

bool Exchange::receive(const TileVersion& what, std::span<std::byte> to, std::string_view name,
                       const std::function<EndingPtr()>& make_ending) {
  Announced announced;
  bool has_come = arrivals_.take(what, announced);
  if (const std::uint64_t sent = announced.bytes(); has_come && sent != to.size()) {
    announce_failure(fmt::format(
        "tile {} has {} bytes on rank {}, which sends it, and {} on rank {}: arrays have the "
        "same shape and tiles on all ranks, which make them in the same order",
        name.empty() ? fmt::to_string(what.id.tile) : name, sent, static_cast<std::uint32_t>(announced.from), to.size(),
        static_cast<std::uint32_t>(transport_.rank())));
    has_come = false;
  }
  if (!has_come) {
    make_ending()->failed(failure());
    return false;
  }
  const bool is_here =
      !announced.contents.empty() || transport_.mapped(announced.from, announced.ready.region) != nullptr;
  if (is_here) {
    copy(announced, to);
  } else {
    read_far(announced.from, announced.ready, to, make_ending());
  }
  return is_here;
}

void Exchange::on_contents(Rank from, const Contents& head, std::span<const std::byte> bytes) {
  arrivals_.announce(head.what, {from, bytes, {}, {}});
}

void Exchange::on_ready(Rank from, const Ready& ready, std::span<const std::byte>) {
  arrivals_.announce(ready.what, {from, {}, ready, {}});
}

void Exchange::read_far(Rank from, const Ready& ready, std::span<std::byte> to, EndingPtr made) {
  const auto ending = std::make_shared<EndingPtr>(std::move(made));
  // Under `weir check`: what the block gets when all of it is there.
  const auto checked = check::active() ? std::make_shared<std::vector<std::byte>>(to.size()) : nullptr;
  far_.read({from, ready.region, ready.offset}, checked != nullptr ? std::span(*checked) : to,
            [this, ending, checked, to, from, ready](const base::Status& status) {
              if (!status) {
                fail_unless_lost(status);
                keep_until_failure(transport_.rank(), std::move(*ending));
                return;
              }
              if (checked != nullptr) copy_for_task(to, checked->data());
              say_taken(from, ready.offer);
              (*ending)->done();
            });
}

// From a message, or from a neighbour's memory. In the task that receives.
void Exchange::copy(const Announced& announced, std::span<std::byte> to) {
  if (!announced.contents.empty()) {
    std::memcpy(to.data(), announced.contents.data(), to.size());
    return;
  }
  const Ready& ready = announced.ready;
  std::memcpy(to.data(), transport_.mapped(announced.from, ready.region) + ready.offset, to.size());
  say_taken(announced.from, ready.offer);
}

void Exchange::say_taken(Rank to, std::uint64_t offer) { send(to, Message::taken, bytes_of(Taken{offer})); }

// ---- Failures ----

void Exchange::send(Rank to, Message message, std::span<const std::byte> bytes) noexcept {
  fail_unless_lost(transport_.send(to, number_of(message), bytes));
}

// A rank that has failed says so and ends: who finds it gone may find its message, which says why, after that.
void Exchange::fail_unless_lost(const base::Status& status) noexcept {
  if (!status && !transport_.lost()) announce_own_failure(status.message);
}

std::uint64_t Exchange::keep_until_failure(Rank to, EndingPtr ending) {
  const std::uint64_t number = offers_.add(to, std::move(ending));
  if (has_failed()) {  // FAIL-1
    if (const EndingPtr given_up = offers_.take(number)) given_up->failed(failure());
  }
  return number;
}

// FAIL-1: the flag is set before all who wait are told; who begins to wait looks at the flag after that.
void Exchange::fail(const std::string& text) noexcept {
  {
    const base::Lock lock(failure_mutex_);
    if (has_failed_.load(std::memory_order_relaxed)) return;
    failure_ = text;
    has_failed_.store(true);
  }
  arrivals_.give_up();
  for (const EndingPtr& ending : offers_.give_up()) ending->failed(text);
  barrier_.give_up();
}

void Exchange::announce_failure(const std::string& text) noexcept {
  if (has_failed()) return;
  fail(text);
  const std::string told = as_told(text);
  spread_failure({static_cast<std::uint32_t>(transport_.rank())}, std::as_bytes(std::span(told)));
}

// What cannot be sent to a rank that is lost, all notice by themselves.
void Exchange::spread_failure(const Failed& failed, std::span<const std::byte> text) noexcept {
  const TextMessage message(failed, text);
  spread(Rank{failed.root}, transport_.rank(), transport_.ranks(),
         [&](Rank to) { static_cast<void>(transport_.send(to, number_of(Message::failed), message.bytes())); });
}

void Exchange::announce_own_failure(const std::string& why) noexcept {
  announce_failure(fmt::format("rank {} has failed: {}", static_cast<std::uint32_t>(transport_.rank()), why));
}

// Passed on first, and whatever this rank knows: each tree reaches all ranks only if all of them pass it on.
void Exchange::on_failed(Rank, const Failed& failed, std::span<const std::byte> text) {
  spread_failure(failed, text);
  fail(text_of(text));
}

std::string Exchange::failure() const {
  const base::Lock lock(failure_mutex_);
  return failure_;
}

// ---- Calls that not all ranks make ----

void Exchange::refuse(const std::string& why) noexcept {
  if (transport_.ranks() == 1) return calls_.note_made();
  const Refusal refusal = calls_.note_refused(inquiries_.place().meeting, why);
  send(rank_behind(transport_), Message::refused,
       TextMessage(Refused{refusal.call, refusal.meetings}, std::as_bytes(std::span(why))).bytes());
}

void Exchange::on_refused(Rank, const Refused& refused, std::span<const std::byte> why) {
  calls_.note_told({refused.call, refused.meetings, text_of(why)});
  look_for_refusals();
}

void Exchange::look_for_refusals() noexcept {
  const auto refusal = calls_.find_difference(inquiries_.place().meeting);
  if (!refusal) return;
  announce_failure(fmt::format(
      "rank {} has refused call {} of its Ranks, and rank {} has not: {}. What is refused is refused on all "
      "ranks: they make the same calls with the same arguments, but for what a task's function captures",
      shown(rank_before(transport_)), refusal->call, shown(transport_.rank()), refusal->why));
}

// The next rank is told first: what it is sent for the array comes behind that.
void Exchange::note_array(const ArrayMark& mark, const std::string& name) noexcept {
  if (transport_.ranks() == 1) return;
  send(rank_behind(transport_), Message::made, bytes_of(Made{mark.tiles, mark.owners}));
  if (const auto difference = arrays_.note_own(mark, name)) announce_failure(text_of(*difference, transport_));
}

void Exchange::on_made(Rank, const Made& made, std::span<const std::byte>) {
  const auto difference = arrays_.note_told({made.tiles, made.owners});
  if (difference) announce_failure(text_of(*difference, transport_));
}

std::vector<Rank> Exchange::silent_ranks() {
  std::vector<Rank> ranks;
  const std::uint64_t announced = arrivals_.announced(), taken = offers_.taken();
  if (std::exchange(announced_, announced) == announced) ranks = arrivals_.senders();
  if (std::exchange(taken_, taken) == taken) {
    const std::vector<Rank> receivers = offers_.receivers();
    ranks.insert(ranks.end(), receivers.begin(), receivers.end());
  }
  return ranks;
}

void Exchange::inquire() noexcept {
  if (has_failed()) return;
  for (const Rank rank : silent_ranks()) {
    if (rank != transport_.rank() && inquiries_.begin(rank))
      send(rank, Message::asked, bytes_of(Asked{inquiries_.place().meeting}));
  }
}

void Exchange::on_asked(Rank from, const Asked& asked, std::span<const std::byte>) {
  if (const auto place = inquiries_.ask(from, asked.meetings)) tell_place(from, *place);
}

void Exchange::tell_place(Rank to, const Standing& place) noexcept {
  const Refusal refusal = calls_.last_refused().value_or(Refusal{});
  const Standing standing{place.meeting, place.at, refusal.call};
  send(to, Message::standing, TextMessage(standing, std::as_bytes(std::span(refusal.why))).bytes());
}

std::optional<std::string> Exchange::missing_of(Rank rank) {
  if (const auto awaited = arrivals_.awaited_of(rank)) return fmt::format("waits for {} of it", *awaited);
  if (offers_.has_for(rank)) return "has a tile for it, which it does not read";
  return std::nullopt;
}

// Messages of a rank come in order, so what it has sent and taken before it came to its meeting is known. What is
// missing is looked for first: it is of the way to the meeting, unless this rank has come there by then.
void Exchange::on_standing(Rank from, const Standing& standing, std::span<const std::byte> why) {
  inquiries_.end(from);
  const auto missing = missing_of(from);
  if (!missing || inquiries_.place().meeting >= standing.meeting) return;
  std::string text =
      fmt::format("rank {} {}, and rank {} {}: all ranks spawn the same tasks in the same order", shown(from),
                  standing.at == Meeting::end ? "has ended its Ranks" : "waits in barrier(), or writes a checkpoint",
                  shown(transport_.rank()), *missing);
  if (standing.refused != 0)
    text += fmt::format("; rank {} has refused call {} of its Ranks: {}", shown(from), standing.refused, text_of(why));
  announce_failure(text);
}

// ---- Ranks that wait for one another ----

class Exchange::Here final : public Standstill::Place {
 public:
  Here(Exchange& exchange, const std::function<runtime::Quiescence()>& tasks) noexcept
      : exchange_(exchange), tasks_(tasks) {}

  // A task that ends later, other than by an offer that is taken, ends by what is not known here: a far read, or
  // something of the program's.
  Standstill::Look look() override {
    const std::uint64_t of_offers = exchange_.offers_.tasks();
    const runtime::Quiescence seen = tasks_();
    return {seen.is_quiescent && seen.late_ends == of_offers,
            seen.events + exchange_.arrivals_.announced() + exchange_.offers_.taken()};
  }
  // What waits for this rank itself fails, as a rank is lost.
  std::vector<Rank> depends_on() override {
    std::vector<Rank> ranks = exchange_.arrivals_.senders();
    const std::vector<Rank> receivers = exchange_.offers_.receivers();
    ranks.insert(ranks.end(), receivers.begin(), receivers.end());
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    if (std::binary_search(ranks.begin(), ranks.end(), exchange_.transport_.rank())) ranks.clear();
    return ranks;
  }
  std::string wish(Rank of) override {
    if (const auto awaited = exchange_.arrivals_.awaited_of(of))
      return fmt::format("waits for {} of rank {}", *awaited, shown(of));
    return fmt::format("has a tile for rank {}, which it does not read", shown(of));
  }
  std::string aside() override {
    const auto refusal = exchange_.calls_.first_unmatched();
    if (!refusal) return {};
    return fmt::format("rank {} has refused call {} of its Ranks, and rank {} has not: {}",
                       shown(rank_before(exchange_.transport_)), refusal->call, shown(exchange_.transport_.rank()),
                       refusal->why);
  }
  void send(Rank to, const Probe& probe, std::string_view text) override {
    exchange_.send(to, Message::probe, TextMessage(probe, std::as_bytes(std::span(text))).bytes());
  }

 private:
  Exchange& exchange_;
  const std::function<runtime::Quiescence()>& tasks_;
};

void Exchange::on_probe(Rank from, const Probe& probe, std::span<const std::byte> text) {
  standstill_.note(from, probe, text_of(text));
}

void Exchange::look_for_standstill(std::uint64_t now_ns, const std::function<runtime::Quiescence()>& tasks) noexcept {
  if (has_failed() || transport_.ranks() == 1) return;
  Here here(*this, tasks);
  const auto found = standstill_.look(now_ns, here);
  if (!found) return;
  announce_failure(
      fmt::format("ranks wait in wait() for one another, and none can go on: {}: all ranks spawn the same tasks in the "
                  "same order, also those that run on other ranks",
                  *found));
}

// ---- Meetings ----

void Exchange::on_arrived(Rank, const Arrived& arrived, std::span<const std::byte>) {
  barrier_.note(arrived.round, arrived.at);
}

base::Status Exchange::barrier(Meeting at, const std::function<bool()>& look) {
  const auto self = static_cast<std::uint32_t>(transport_.rank());
  for (const Rank asker : inquiries_.arrive(at)) tell_place(asker, inquiries_.place());
  look_for_refusals();
  const Barrier::Passage passage = barrier_.wait(
      at, self, transport_.ranks(),
      [&](std::uint32_t to, std::uint32_t round) {
        send(Rank{to}, Message::barrier, bytes_of(Arrived{round, at}));
      },
      look);
  if (passage.outcome == Barrier::Outcome::passed) {
    inquiries_.pass();
    look_for_refusals();
    return has_failed() ? base::Status{base::Code::lost, failure()} : base::Status::success();
  }
  if (passage.outcome == Barrier::Outcome::contradicted) {
    const bool ends = at == Meeting::end;
    announce_failure(
        fmt::format("rank {} has ended its Ranks, and rank {} waits for it in barrier(), or writes a checkpoint: all "
                    "ranks call these in the same order, and as often",
                    ends ? self : passage.other, ends ? passage.other : self));
  }
  return {base::Code::lost, failure()};
}

}  // namespace weir::cluster
