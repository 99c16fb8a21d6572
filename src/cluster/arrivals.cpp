// SPDX-License-Identifier: Apache-2.0

#include "cluster/arrivals.hpp"

#include <utility>

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

// A new entry for each version, in memory of older ones.
Arrivals::Arrival& Arrivals::arrival(const TileVersion& what) {
  if (spare_.empty()) return all_[what];
  const auto found = all_.find(what);
  if (found != all_.end()) return found->second;
  Table::node_type node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = what;
  node.mapped() = {};
  return all_.insert(std::move(node)).position->second;
}

void Arrivals::remove(Table::iterator at) {
  if (spare_.size() >= kMostSpare)
    all_.erase(at);
  else
    spare_.push_back(all_.extract(at));
}

// What it takes to take is in the table first: `later` may take it at once.
void Arrivals::await(const TileVersion& what, const Receiver& receiver) {
  {
    const base::Lock lock(mutex_);
    Arrival& there = arrival(what);
    if (!there.is_announced) {
      there.receiver = receiver;
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
  const auto found = all_.find(what);
  if (found == all_.end()) return false;
  const bool is_announced = found->second.is_announced;
  if (is_announced) to = std::move(found->second.announced);
  remove(found);
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
    keep(what, announced);
  }
  receiver.later(receiver.who);
}

Receiver Arrivals::take_receiver(const TileVersion& what, Announced& announced) {
  const base::Lock lock(mutex_);
  const auto found = all_.find(what);
  if (found == all_.end() || !found->second.receiver) {
    keep(what, announced);
    return {};
  }
  const Receiver receiver = found->second.receiver;
  remove(found);
  return receiver;
}

// A message is gone when its handler returns.
void Arrivals::keep(const TileVersion& what, Announced& announced) {
  announced.kept.assign(announced.contents.begin(), announced.contents.end());
  announced.contents = announced.kept;
  Arrival& there = arrival(what);
  there.is_announced = true;
  there.announced = std::move(announced);
}

void Arrivals::give_up() noexcept {
  std::vector<Receiver> receivers;
  {
    const base::Lock lock(mutex_);
    for (auto& [what, arrival] : all_)
      if (arrival.receiver) receivers.push_back(std::exchange(arrival.receiver, {}));
  }
  for (const Receiver& receiver : receivers) receiver.later(receiver.who);
}

}  // namespace weir::cluster
