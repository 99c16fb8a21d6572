// SPDX-License-Identifier: Apache-2.0

#include "trace/otf2/resolver.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "trace/otf2/task_numbers.hpp"
#include "trace/spool_parser.hpp"

namespace weir::trace {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 12;           // units
constexpr std::uint64_t kStraggling = std::uint64_t{1} << 18;  // units that an event may come late: 8 MB of a spool

// Spawns and edges are recorded when the task may run already: an event that was recorded before the task's own is
// drained one round after it at the latest, one whose thread was kept from recording it later still. So spawns and
// edges are read that far ahead of tasks, and tasks are forgotten that late.
class Ahead {
 public:
  Ahead(const Spool& spool, TaskNumbers& tasks) : spool_(spool), tasks_(tasks) {}

  // Up to where the others may read when this has read on.
  std::uint64_t safe() const noexcept {
    if (at_ == spool_.readable()) return at_;
    return std::min(at_ - std::min(at_, kStraggling), round_before_);
  }
  base::Status read_on() {
    std::array<Event, kChunk> units;
    const std::span<Event> batch(units.data(), std::min<std::uint64_t>(spool_.readable() - at_, kChunk));
    base::Status status = spool_.read(at_, batch);
    if (!status) return status;
    parser_.parse(batch, *this);
    at_ += batch.size();
    return status;
  }

 private:
  friend SpoolParser;
  void define(const Definition&) noexcept {}
  // Rounded down to the batch that it is in.
  void next_pass() noexcept { round_before_ = std::exchange(round_, at_); }
  void event(std::uint32_t track, const Event& event) {
    if (event.kind() == Kind::spawn) tasks_.of(event.id).made_on = track;
    if (event.kind() == Kind::footprint) tasks_.of(event.id).footprint = event.word;
    if (event.kind() == Kind::edge) tasks_.edge(event.start, event.id);
  }

  const Spool& spool_;
  TaskNumbers& tasks_;
  SpoolParser parser_;
  std::uint64_t at_ = 0;                        // units
  std::uint64_t round_ = 0, round_before_ = 0;  // where the drainer's last rounds begin
};

class Resolver {
 public:
  Resolver(const Spool& spool, const std::string& path) : spool_(spool), path_(path) {}

  base::Result<ResolvedTrace> resolve() {
    base::Status status;
    while (status && at_ < spool_.readable()) status = ahead_.safe() > at_ ? read_on() : ahead_.read_on();
    for (const UnitStack& track : to_.by_track) {
      if (status) status = track.status();
    }
    if (!status) return status;
    return std::move(to_);
  }

 private:
  friend SpoolParser;
  struct Ended {
    std::uint64_t task, at;
  };

  base::Status read_on() {
    std::array<Event, kChunk> units;
    const std::span<Event> batch(units.data(), std::min<std::uint64_t>(ahead_.safe() - at_, kChunk));
    base::Status status = spool_.read(at_, batch);
    if (!status) return status;
    parser_.parse(batch, *this);
    at_ += batch.size();
    if (at_ / kForgetEvery != (at_ - batch.size()) / kForgetEvery) spool_.forget(at_);
    while (!ended_.empty() && ended_.front().at + kStraggling < at_) {
      tasks_.forget(ended_.front().task);
      ended_.pop_front();
    }
    return status;
  }

  void define(const Definition& definition) {
    switch (definition.what) {
      case Named::track:
        to_.tracks.push_back(definition.name);
        to_.by_track.emplace_back(path_);
        return;
      case Named::block: to_.blocks.push_back(definition.name); return;
      case Named::tier: return;  // the summary has them, too
    }
  }
  void next_pass() noexcept {}

  void event(std::uint32_t track, Event event) {
    UnitStack& to = to_.by_track[track];
    switch (event.kind()) {
      case Kind::footprint:
      case Kind::edge: return;
      case Kind::task:
      case Kind::spawn:
      case Kind::stage: {
        if (event.id == 0) break;
        const TaskNumbers::Known& known = tasks_.of(event.id);
        if (event.kind() == Kind::task) {
          if (known.footprint != 0) to.push({0, 0, 0, known.footprint});
          for (const std::uint32_t before : known.after) to.push({0, 0, before, Event::pack(Kind::edge, known.edges)});
          ended_.push_back({event.id, at_});
        }
        event.id = pack_task(known.number, known.made_on);
        break;
      }
      default: break;
    }
    to.push(event);
  }

  const Spool& spool_;
  const std::string& path_;
  TaskNumbers tasks_;
  Ahead ahead_{spool_, tasks_};
  SpoolParser parser_;
  std::uint64_t at_ = 0;  // units
  std::deque<Ended> ended_;
  ResolvedTrace to_;
};

}  // namespace

base::Result<ResolvedTrace> resolve(const Spool& spool, const std::string& path) {
  return Resolver(spool, path).resolve();
}

}  // namespace weir::trace
