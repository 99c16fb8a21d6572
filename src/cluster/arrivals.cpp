// SPDX-License-Identifier: Apache-2.0

#include "cluster/arrivals.hpp"

#include <utility>

namespace weir::cluster {

namespace {

template <class Map>
std::optional<typename Map::mapped_type> extract(Map& from, const TileVersion& what) {
  const auto found = from.find(what);
  if (found == from.end()) return std::nullopt;
  std::optional<typename Map::mapped_type> taken(std::move(found->second));
  from.erase(found);
  return taken;
}

}  // namespace

std::optional<Announced> Arrivals::take(const TileVersion& what) {
  const base::Lock lock(mutex_);
  return extract(announced_, what);
}

std::optional<Announced> Arrivals::await(const TileVersion& what, Awaited& awaited) {
  const base::Lock lock(mutex_);
  if (auto found = extract(announced_, what)) return found;
  awaited_.emplace(what, std::move(awaited));
  return std::nullopt;
}

std::optional<Awaited> Arrivals::announce(const TileVersion& what, Announced& announced) {
  const base::Lock lock(mutex_);
  if (auto found = extract(awaited_, what)) return found;
  announced_.emplace(what, std::move(announced));
  return std::nullopt;
}

bool Arrivals::watch(const TileVersion& what, EndingPtr& watcher) {
  const base::Lock lock(mutex_);
  if (announced_.contains(what)) return true;
  watchers_.emplace(what, std::move(watcher));
  return false;
}

EndingPtr Arrivals::watcher_of(const TileVersion& what) {
  const base::Lock lock(mutex_);
  return extract(watchers_, what).value_or(nullptr);
}

std::vector<EndingPtr> Arrivals::give_up() {
  const base::Lock lock(mutex_);
  std::vector<EndingPtr> all;
  for (auto& [what, awaited] : awaited_) all.push_back(std::move(awaited.ending));
  for (auto& [what, watcher] : watchers_) all.push_back(std::move(watcher));
  awaited_.clear();
  watchers_.clear();
  return all;
}

}  // namespace weir::cluster
