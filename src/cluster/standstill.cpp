// SPDX-License-Identifier: Apache-2.0

#include "cluster/standstill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weir::cluster {

namespace {

// How long, and at how many looks, a rank is still before it is blocked.
constexpr std::uint64_t kSteadyNs = 200'000'000;
constexpr int kSteadyLooks = 3;
// How long it is before it begins a search, or for up to twice as long, rank 0 first; and the longest time between two:
// what other ranks compute takes long, as a rule, and a search then ends at the one that does.
constexpr std::uint64_t kFirstGapNs = 1'000'000'000, kLongestGapNs = 8'000'000'000;
constexpr std::size_t kMostText = 1500;  // of what ranks wish, and a rank has so many
constexpr std::size_t kMostWishes = 3;

void append(std::string& all, std::string_view more, std::string_view between) {
  constexpr std::string_view kEllipsis = "...";
  if (all.ends_with(kEllipsis) || more.empty()) return;
  if (!all.empty()) all += between;
  all += all.size() + more.size() > kMostText ? kEllipsis : more;
}

}  // namespace

void Standstill::note(Rank from, const Probe& probe, std::string_view text) {
  const base::Lock lock(mutex_);
  mail_.push_back({from, probe, std::string(text)});
}

bool Standstill::has_mail() const {
  const base::Lock lock(mutex_);
  return !mail_.empty();
}

// The mail is taken before the rank is looked at: what the senders had sent before their letters is an event by then.
std::optional<std::string> Standstill::look(std::uint64_t now_ns, Place& place) {
  std::vector<Letter> mail;
  {
    const base::Lock lock(mutex_);
    mail.swap(mail_);
  }
  note_look(place.look(), now_ns);
  for (Letter& letter : mail) take(letter, place);
  if (!is_blocked(now_ns)) return std::nullopt;
  for (const Rank initiator : std::exchange(asked_, {})) look_at_askers(initiator, now_ns, place);
  if (now_ns >= due_ && now_ns >= postponed_) begin(now_ns, place);
  const auto own = searches_.find(self_);
  if (own == searches_.end() || own->second.spell != spell_ || !own->second.unanswered.empty()) return std::nullopt;
  return own->second.found;
}

void Standstill::note_look(const Look& seen, std::uint64_t now_ns) noexcept {
  const bool goes_on = seen.is_still && last_.is_still && seen.events == last_.events;
  last_ = seen;
  if (goes_on) {
    ++looks_;
    return;
  }
  ++spell_;
  spell_began_ = now_ns;
  looks_ = 0;
  gap_ = kFirstGapNs;
  due_ = now_ns + kFirstGapNs + kFirstGapNs * static_cast<std::uint32_t>(self_) / ranks_;
  postponed_ = 0;
}

bool Standstill::is_blocked(std::uint64_t now_ns) const noexcept {
  return last_.is_still && looks_ >= kSteadyLooks && now_ns - spell_began_ >= kSteadyNs;
}

void Standstill::take(Letter& letter, Place& place) {
  if (letter.probe.is_answer != 0) return note_answer(letter, place);
  const Rank initiator{letter.probe.initiator};
  Search& search = searches_[initiator];
  if (letter.probe.number < search.number) return;
  if (letter.probe.number > search.number) search = {.number = letter.probe.number};
  if (std::find(asked_.begin(), asked_.end(), initiator) == asked_.end()) asked_.push_back(initiator);
  search.askers.push_back(letter.from);
}

// A search in which this rank took part before something happened to it is over here: it never answers.
void Standstill::note_answer(const Letter& answer, Place& place) {
  const Rank initiator{answer.probe.initiator};
  const auto found = searches_.find(initiator);
  if (found == searches_.end()) return;
  Search& search = found->second;
  if (search.number != answer.probe.number || search.spell != spell_) return;
  if (std::erase(search.unanswered, answer.from) == 0) return;
  append(search.found, answer.text, "; ");
  if (!search.unanswered.empty() || initiator == self_) return;
  place.send(search.engager, {answer.probe.initiator, search.number, 1}, search.found);
  postponed_ = 0;
}

// While this rank is blocked. The first who asks is answered when those have answered that this rank depends on, all
// others at once.
void Standstill::look_at_askers(Rank initiator, std::uint64_t now_ns, Place& place) {
  Search& search = searches_[initiator];
  auto next = search.askers.begin();
  if (search.spell == 0 && next != search.askers.end()) {
    if (!take_part(initiator, search, place)) return asked_.push_back(initiator);
    search.engager = *next++;
    postponed_ = now_ns + gap_;
  }
  if (search.spell == spell_) {
    for (; next != search.askers.end(); ++next)
      place.send(*next, {static_cast<std::uint32_t>(initiator), search.number, 1}, {});
  }
  search.askers.clear();
}

bool Standstill::take_part(Rank initiator, Search& search, Place& place) const {
  const std::vector<Rank> asked = place.depends_on();
  if (asked.empty()) return false;
  search.spell = spell_;
  search.unanswered = asked;
  search.found = own_wish(asked, place);
  for (const Rank rank : asked) place.send(rank, {static_cast<std::uint32_t>(initiator), search.number, 0}, {});
  return true;
}

std::string Standstill::own_wish(const std::vector<Rank>& depends_on, Place& place) const {
  std::string wishes = fmt::format("rank {} ", static_cast<std::uint32_t>(self_));
  for (std::size_t i = 0; i < std::min(kMostWishes, depends_on.size()); ++i)
    append(wishes, place.wish(depends_on[i]), i == 0 ? "" : " and ");
  append(wishes, place.aside(), "; ");
  return wishes;
}

void Standstill::begin(std::uint64_t now_ns, Place& place) {
  Search& search = searches_[self_];
  search = {.number = search.number + 1};
  static_cast<void>(take_part(self_, search, place));
  due_ = now_ns + gap_;
  gap_ = std::min(2 * gap_, kLongestGapNs);
}

}  // namespace weir::cluster
