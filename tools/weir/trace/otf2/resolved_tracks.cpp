// SPDX-License-Identifier: Apache-2.0

#include "otf2/resolved_tracks.hpp"

#include <algorithm>
#include <utility>

#include "otf2/task_numbers.hpp"

namespace weir::tool::convert {

namespace {

constexpr std::uint64_t kStraggling = std::uint64_t{8} << 20;  // bytes of the file that an event may come late

// Units of one runtime, chunk by chunk.
class Records {
 public:
  Records(const TraceReader& reader, const RuntimeInfo& runtime, RecordVisitor& to)
      : runtime_(runtime), cursor_(reader.chunks()), parser_(runtime, to) {}

  bool at_end() const noexcept { return at_end_; }
  std::uint64_t at() const noexcept { return cursor_.at(); }
  base::Status read_on() {
    Chunk chunk;
    const base::Result<bool> more = cursor_.next(chunk);
    if (!more) return more.status();
    at_end_ = !*more;
    if (*more && chunk.kind == ChunkKind::units && chunk.runtime == runtime_.number) parser_.parse(chunk);
    return base::Status::success();
  }

 private:
  const RuntimeInfo& runtime_;
  ChunkCursor cursor_;
  RecordParser parser_;
  bool at_end_ = false;
};

// Spawns and edges are recorded when the task may run already: an event that was recorded before the task's own is
// drained one round after it at the latest, one whose thread was kept from recording it later still. So spawns and
// edges are read that far ahead of tasks, and tasks are forgotten that late.
class Ahead final : private RecordVisitor {
 public:
  Ahead(const TraceReader& reader, const RuntimeInfo& runtime, TaskNumbers& tasks)
      : tasks_(tasks), records_(reader, runtime, *this) {}

  // Up to where the others may read when this has read on.
  std::uint64_t safe() const noexcept {
    if (records_.at_end()) return ~std::uint64_t{0};
    return std::min(records_.at() - std::min(records_.at(), kStraggling), round_before_);
  }
  base::Status read_on() { return records_.read_on(); }

 private:
  void next_pass() noexcept override { round_before_ = std::exchange(round_, records_.at()); }
  void spawn(std::uint32_t track, const Event& event, std::uint64_t) override { tasks_.of(event.id).made_on = track; }
  void edge(std::uint64_t before, std::uint64_t task) override { tasks_.edge(before, task); }
  void event(std::uint32_t, const Event& event) override {
    if (event.kind() == Kind::footprint && event.small() != 0) tasks_.of(event.id).footprint = event.word;
  }

  TaskNumbers& tasks_;
  std::uint64_t round_ = 0, round_before_ = 0;  // where the drainer's last rounds begin
  Records records_;
};

class TrackResolver final : private RecordVisitor {
 public:
  TrackResolver(const TraceReader& reader, const RuntimeInfo& runtime, const std::string& path)
      : ahead_(reader, runtime, tasks_), records_(reader, runtime, *this) {
    for (std::size_t i = 0; i < runtime.tracks.size(); ++i) to_.by_track.emplace_back(path);
  }

  base::Result<ResolvedTrace> resolve() {
    base::Status status;
    while (status && !records_.at_end()) status = ahead_.safe() > records_.at() ? read_on() : ahead_.read_on();
    for (const UnitStack& track : to_.by_track) {
      if (status) status = track.status();
    }
    if (!status) return status;
    return std::move(to_);
  }

 private:
  struct Ended {
    std::uint64_t task, at;
  };

  base::Status read_on() {
    base::Status status = records_.read_on();
    while (!ended_.empty() && ended_.front().at + kStraggling < records_.at()) {
      tasks_.forget(ended_.front().task);
      ended_.pop_front();
    }
    return status;
  }

  void spawn(std::uint32_t track, const Event& event, std::uint64_t) override { put(track, event); }
  void event(std::uint32_t track, const Event& event) override {
    switch (event.kind()) {
      case Kind::footprint:
      case Kind::made:
      case Kind::gone:
      case Kind::grow: return;
      default: return put(track, event);
    }
  }

  void put(std::uint32_t track, Event event) {
    UnitStack& to = to_.by_track[track];
    const bool of_task = event.kind() == Kind::task || event.kind() == Kind::spawn || event.kind() == Kind::stage;
    if (of_task && event.id != 0) {
      const TaskNumbers::Known& known = tasks_.of(event.id);
      if (event.kind() == Kind::task) {
        if (known.footprint != 0) to.push({0, 0, 0, known.footprint});
        for (const std::uint32_t before : known.after) to.push({0, 0, before, Event::pack(Kind::edge, known.edges)});
        ended_.push_back({event.id, records_.at()});
      }
      event.id = pack_task(known.number, known.made_on);
    }
    to.push(event);
  }

  TaskNumbers tasks_;
  Ahead ahead_;
  Records records_;
  std::deque<Ended> ended_;
  ResolvedTrace to_;
};

}  // namespace

base::Result<ResolvedTrace> resolve_tracks(const TraceReader& reader, const RuntimeInfo& runtime,
                                           const std::string& path) {
  return TrackResolver(reader, runtime, path).resolve();
}

}  // namespace weir::tool::convert
