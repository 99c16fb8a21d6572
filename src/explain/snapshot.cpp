// SPDX-License-Identifier: Apache-2.0

#include "explain/snapshot.hpp"

#include <fmt/format.h>

namespace weir::explain {

Index Snapshot::add(const void* key, Thing thing) {
  const auto index = static_cast<Index>(situation_.things.size());
  situation_.things.push_back(std::move(thing));
  if (key != nullptr) index_.emplace(key, index);
  return index;
}

Index Snapshot::find(const void* key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? kNobody : found->second;
}

void Snapshot::add_data(Data data) {
  last_wait().data = static_cast<Index>(situation_.data.size());
  situation_.data.push_back(std::move(data));
}

void Snapshot::run(Index thing, State state, int worker, double seconds, std::string asleep) {
  Thing& running = situation_.things[thing];
  running.state = state;
  running.worker = worker;
  running.seconds = seconds;
  running.asleep = std::move(asleep);
}

void Snapshot::add_worker(int worker, std::string doing, const void* task) {
  if (task != nullptr) doing_.push_back({situation_.workers.size(), task});
  situation_.workers.push_back({worker, std::move(doing)});
}

void Snapshot::hold_room(const void* task, const std::string& what) {
  const Index holder = find(task);
  if (holder == kNobody) return;
  std::string& detail = situation_.things[holder].detail;
  if (!detail.empty()) detail.append(", ");
  detail.append(what);
  room_holders_.push_back(holder);
}

void Snapshot::wait_for_room(const void* task, bool room, const std::string& what) {
  const Index who = find(task);
  if (who == kNobody) return;
  situation_.things[who].state = State::waiting;
  if (!room) return wait(who, Cause::transfer, kNobody, what);
  if (room_holders_.empty()) return wait(who, Cause::room, kNobody, what);
  for (const Index holder : room_holders_) wait(who, Cause::room, holder, what, true);
}

std::string Snapshot::name_of(const void* task) const {
  const Index thing = find(task);
  if (thing == kNobody) return "a task";
  const Thing& known = situation_.things[thing];
  if (known.kind == Kind::edt) return known.name;
  return known.name.empty() ? fmt::format("task {:x}", known.id) : fmt::format("task '{}'", known.name);
}

void Snapshot::settle() {
  std::vector<bool> waits(situation_.things.size(), false);
  for (const Wait& wait : situation_.waits) waits[wait.who] = true;
  for (Index i = 0; i < situation_.things.size(); ++i) {
    Thing& thing = situation_.things[i];
    if (thing.state != State::waiting || thing.worker >= 0 || waits[i]) continue;
    if (thing.kind == Kind::own)
      wait(i, Cause::nothing, kNobody, thing.waits_else_for);
    else if (*thing.waits_else_for != 0)
      wait(i, Cause::rank, kNobody, thing.waits_else_for);
    else if (situation_.left_out != 0)  // what it comes after may be among those
      wait(i, Cause::edge, kNobody);
    else
      thing.state = State::ready;
  }
}

Situation Snapshot::finish() {
  for (const Doing& doing : doing_) situation_.workers[doing.worker].doing.append(" ").append(name_of(doing.task));
  settle();
  return std::move(situation_);
}

}  // namespace weir::explain
