// SPDX-License-Identifier: Apache-2.0

#include "cluster/arrivals.hpp"

#include <utility>

namespace weir::cluster {

// What it takes to take is in the table first: `later` may take it at once.
void Arrivals::await(const TileVersion& what, const Receiver& receiver) {
  {
    const base::Lock lock(mutex_);
    Arrival& arrival = all_[what];
    if (!arrival.is_announced) {
      arrival.receiver = receiver;
      return;
    }
  }
  receiver.later(receiver.who);
}

bool Arrivals::take(const TileVersion& what, Announced& to) {
  const base::Lock lock(mutex_);
  const auto found = all_.find(what);
  if (found == all_.end()) return false;
  const bool is_announced = found->second.is_announced;
  if (is_announced) to = std::move(found->second.announced);
  all_.erase(found);
  return is_announced;
}

// A message is gone when its handler returns.
void Arrivals::keep(Announced& announced) {
  announced.kept.assign(announced.contents.begin(), announced.contents.end());
  announced.contents = announced.kept;
}

// Who takes the receiver out of the table tells it; nobody else looks at what was announced before that.
void Arrivals::announce(const TileVersion& what, Announced&& announced) {
  Announced* there = nullptr;
  Receiver receiver;
  {
    const base::Lock lock(mutex_);
    Arrival& arrival = all_[what];
    arrival.is_announced = true;
    arrival.announced = std::move(announced);
    there = &arrival.announced;
    receiver = std::exchange(arrival.receiver, {});
    if (!receiver) keep(*there);
  }
  if (!receiver || receiver.try_here(receiver.who)) return;
  keep(*there);
  receiver.later(receiver.who);
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
