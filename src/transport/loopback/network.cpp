// SPDX-License-Identifier: Apache-2.0

#include "transport/loopback/network.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir::transport::loopback {

// Operations are in the order in which they were issued, so the first to a rank has the fewest fences before it.
template <class May>
bool Pending::do_any(const Random& random, May may) {
  std::map<Rank, std::uint64_t> fewest;
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& one = operations_[i];
    if (fewest.try_emplace(one.to, one.fences).first->second == one.fences && may(one)) candidates.push_back(i);
  }
  if (candidates.empty()) return false;
  const std::size_t chosen = candidates[random(candidates.size())];
  const Operation operation = std::move(operations_[chosen]);
  operations_.erase(operations_.begin() + static_cast<std::ptrdiff_t>(chosen));
  operation.action();
  return true;
}

void Pending::do_one(const Random& random) {
  do_any(random, [](const Operation&) { return true; });
}

void Pending::do_all_to(Rank to, const Random& random) {
  while (do_any(random, [&](const Operation& one) { return one.to == to; })) {
  }
}

void Pending::do_fenced_to(Rank to, const Random& random) {
  while (do_any(random, [&](const Operation& one) { return one.to == to && one.fences < fences_; })) {
  }
}

void Pending::do_all(const Random& random) {
  while (!operations_.empty()) do_one(random);
}

void Network::send(Rank to, Message message) {
  const Way way{message.from, to};
  ways_[way].push_back(std::move(message));
}

std::size_t Network::on_way(Rank from, Rank to) const {
  const auto found = ways_.find({from, to});
  return found == ways_.end() ? 0 : found->second.size();
}

void Network::close(const Pending& channel) {
  std::erase_if(channels_, [&](const Opened& one) { return one.channel == &channel; });
}

bool Network::is_quiet(Rank rank) const {
  return std::all_of(channels_.begin(), channels_.end(),
                     [rank](const Opened& one) { return one.owner != rank || one.channel->is_empty(); });
}

bool Network::happen() {
  std::vector<Pending*> busy;
  for (const Opened& one : channels_) {
    if (!one.channel->is_empty()) busy.push_back(one.channel);
  }
  const std::size_t all = ways_.size() + busy.size();
  if (all == 0) return false;
  const std::uint64_t which = random_(all);
  if (which < ways_.size()) {
    arrive(which);
  } else {
    busy[which - ways_.size()]->do_one(random_);
  }
  return true;
}

void Network::arrive(std::uint64_t which) {
  const auto way = std::next(ways_.begin(), static_cast<std::ptrdiff_t>(which));
  inbox(way->first.second).push_back(std::move(way->second.front()));
  way->second.pop_front();
  if (way->second.empty()) ways_.erase(way);
}

void Network::lose(Rank rank) {
  std::erase_if(ways_, [rank](const auto& way) { return way.first.first == rank || way.first.second == rank; });
  inbox(rank).clear();
}

}  // namespace weir::transport::loopback
