// SPDX-License-Identifier: Apache-2.0

// Snapshot: how a Situation is put together from what a runtime, OCR in it, or islands have left.
//
// Each adds the tasks that only it knows, by keys of its own, and what they wait for. What all have in common is here:
// how many are looked at, which thing a key stands for, what a worker does, and who is ready. Of one thread.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explain/situation.hpp"

namespace weir::explain {

class Snapshot {
 public:
  static constexpr std::size_t kMostThings = 200'000;  // what is beyond is counted

  explicit Snapshot(std::string title) { situation_.title = std::move(title); }

  // `key`: by which it is found, the address of a task. Null: it is found by its index only.
  Index add(const void* key, Thing thing = {});
  // Another key by which it is found.
  void add_key(const void* key, Index thing) { index_.emplace(key, thing); }
  bool is_full() const noexcept { return situation_.things.size() >= kMostThings; }
  void leave_out(std::uint64_t count = 1) noexcept { situation_.left_out += count; }
  // kNobody: nothing was added by that key.
  Index find(const void* key) const;
  Thing& operator[](Index thing) { return situation_.things[thing]; }
  const Thing& operator[](Index thing) const { return situation_.things[thing]; }
  std::size_t size() const noexcept { return situation_.things.size(); }

  void wait(Index who, Cause cause, Index on, std::string what = {}, bool one_of = false) {
    situation_.waits.push_back({who, cause, on, one_of, std::move(what)});
  }
  Wait& last_wait() { return situation_.waits.back(); }
  // What the last wait is about.
  void add_data(Data data);

  // The worker runs it; `seconds` and `asleep` as in Thing.
  void run(Index thing, State state, int worker, double seconds, std::string asleep);
  // What a worker does: the text, or "runs", "waits in" and the task, whoever adds it.
  void add_worker(int worker, std::string doing, const void* task = nullptr);

  // A task waits for room in memory that others hold, or for a block that is on its way (`room` is false). By any key.
  void hold_room(const void* task, const std::string& what);
  void wait_for_room(const void* task, bool room, const std::string& what);

  // All is known: those that neither run nor wait are ready.
  Situation finish();

 private:
  struct Doing {
    std::size_t worker;  // in situation_.workers
    const void* task;
  };
  void settle();
  std::string name_of(const void* task) const;

  Situation situation_;
  std::unordered_map<const void*, Index> index_;
  std::vector<Doing> doing_;
  std::vector<Index> room_holders_;
};

}  // namespace weir::explain
