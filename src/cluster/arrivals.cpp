// SPDX-License-Identifier: Apache-2.0

#include "cluster/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace weir::cluster {

// What this thread offers to a receiver, while that is asked whether it takes it on the spot.
struct Arrivals::Offer {
  Offer(const Arrivals& arrivals, const TileVersion& version, Announced& announced) noexcept
      : by(arrivals), what(version), bytes(announced), outer(std::exchange(current, this)) {}
  ~Offer() { current = outer; }
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  const Arrivals& by;
  const TileVersion& what;
  Announced& bytes;
  const Offer* const outer;
  static thread_local constinit const Offer* current;
};
thread_local constinit const Arrivals::Offer* Arrivals::Offer::current = nullptr;

// What it takes to take is in the table first: `later` may take it at once.
void Arrivals::await(const TileVersion& what, const Receiver& receiver) {
  {
    const base::Lock lock(mutex_);
    Arrival** const at = all_.find(what);
    if (*at == nullptr) {
      all_.add(at, what).receiver = receiver;
      return;
    }
  }
  receiver.later(receiver.who);
}

bool Arrivals::take(const TileVersion& what, Announced& to) {
  const Offer* const offer = Offer::current;
  if (offer != nullptr && &offer->by == this && offer->what == what) {
    to = std::move(offer->bytes);
    return true;
  }
  const base::Lock lock(mutex_);
  Arrival** const at = all_.find(what);
  if (*at == nullptr) return false;
  const bool is_announced = (*at)->is_announced;
  if (is_announced) to = std::move((*at)->announced);
  all_.remove(at);
  return is_announced;
}

// Who takes the receiver out of the table tells it.
void Arrivals::announce(const TileVersion& what, Announced&& announced) {
  const Receiver receiver = take_receiver(what, announced);
  if (!receiver) return;
  {
    const Offer offer(*this, what, announced);
    if (receiver.try_here(receiver.who)) return;
  }
  {
    const base::Lock lock(mutex_);
    keep(all_.find(what), what, announced);
  }
  receiver.later(receiver.who);
}

Receiver Arrivals::take_receiver(const TileVersion& what, Announced& announced) {
  const base::Lock lock(mutex_);
  ++announced_;
  Arrival** const at = all_.find(what);
  if (*at == nullptr || !(*at)->receiver) {
    keep(at, what, announced);
    return {};
  }
  const Receiver receiver = (*at)->receiver;
  all_.remove(at);
  return receiver;
}

// A message is gone when its handler returns.
void Arrivals::keep(Arrival** at, const TileVersion& what, Announced& announced) {
  announced.kept.assign(announced.contents.begin(), announced.contents.end());
  announced.contents = announced.kept;
  Arrival& there = *at != nullptr ? **at : all_.add(at, what);
  there.is_announced = true;
  there.announced = std::move(announced);
}

void Arrivals::give_up() noexcept {
  std::vector<Receiver> receivers;
  {
    const base::Lock lock(mutex_);
    all_.for_each([&](Arrival& each) {
      if (each.receiver) receivers.push_back(std::exchange(each.receiver, {}));
    });
  }
  for (const Receiver& receiver : receivers) receiver.later(receiver.who);
}

std::uint64_t Arrivals::announced() const {
  const base::Lock lock(mutex_);
  return announced_;
}

std::vector<Rank> Arrivals::senders() const {
  std::vector<Rank> ranks;
  {
    const base::Lock lock(mutex_);
    all_.for_each([&](const Arrival& each) {
      if (each.receiver && (ranks.empty() || ranks.back() != each.receiver.from)) ranks.push_back(each.receiver.from);
    });
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::optional<std::string> Arrivals::awaited_of(Rank from) const {
  std::optional<std::string> found;
  const base::Lock lock(mutex_);
  all_.for_each([&](const Arrival& each) {
    if (found || !each.receiver || each.receiver.from != from) return;
    const TileId id = each.what.id;
    if (id.array == kNoArray)
      found = "the word whether a checkpoint is written (at a wait(), which all ranks call at the same places)";
    else if (*each.receiver.name != 0)
      found = fmt::format("tile {}", each.receiver.name);
    else
      found = fmt::format("tile {} of array {} (the first is 0)", id.tile, id.array);
  });
  return found;
}

}  // namespace weir::cluster
