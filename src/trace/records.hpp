// SPDX-License-Identifier: Apache-2.0

// Records: what the units of a runtime say, one after the other: who spawned what, on which memory, behind what.
//
// The order is that of the file: that of recording on each track, and between tracks that of emptying the rings, so
// that a spawn may come a little behind the task that it spawned. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/rank_events.hpp"
#include "trace/reader.hpp"

namespace weir::trace {

// A region of a watched array is tracked in the array's parts (weir::Watched).
struct WatchedArray {
  std::uint64_t number = 0, address = 0, row_bytes = 0, rows = 0, stride = 0, part_row_bytes = 0, part_rows = 0;
};

// One item of a footprint: a block, or a region of the program's memory.
struct AccessRecord {
  AccessMode mode;
  bool is_block = false;
  BlockKind block_kind = BlockKind::numbered;
  std::uint64_t block = 0;                                         // number or GUID
  std::uint64_t address = 0, row_bytes = 0, rows = 0, stride = 0;  // of a region
  const WatchedArray* watched = nullptr;                           // that it lies in; null: none
};

// An EDT satisfies a slot of another.
struct Satisfied {
  std::uint64_t before = 0, task = 0;
  EdgeBlock block;
  EdgeBy by = EdgeBy::code;
};

// What a reader wants to know; each function does nothing unless it is overridden. Tasks are meant by their ids.
class RecordVisitor {
 public:
  virtual ~RecordVisitor() = default;
  // Spawned by the task `parent` (0: by the thread's own code), in the order of spawning of each track.
  virtual void spawn(std::uint32_t, const Event&, std::uint64_t /*parent*/) {}
  // An item of a task's footprint, in its order.
  virtual void access(std::uint64_t /*task*/, const AccessRecord&) {}
  // A task that it was told to come after.
  virtual void after(std::uint64_t /*task*/, std::uint64_t /*before*/) {}
  // It comes after another one, as the dependence analysis found.
  virtual void edge(std::uint64_t /*before*/, std::uint64_t /*task*/) {}
  // Likewise, where the earlier one has said so.
  virtual void satisfied(std::uint32_t, const Satisfied& slot) { edge(slot.before, slot.task); }
  // Something has gone to another rank (Kind::sent), or come from one (Kind::received).
  virtual void message(std::uint32_t, const Event&, const MessageNote&) {}
  // All other kinds; Kind::footprint, too.
  virtual void event(std::uint32_t, const Event&) {}
  // What was in the rings at one time has been given.
  virtual void next_pass() {}
};

// From units to records.
class RecordParser {
 public:
  RecordParser(const RuntimeInfo& runtime, RecordVisitor& to) : to_(to), tracks_(runtime.tracks.size()) {}
  void parse(const Chunk& units);

 private:
  struct TrackState {
    std::uint64_t task = 0, parent = 0;
    Event passed;  // of the `message` that comes next
  };
  void parse(std::uint32_t track, TrackState& state, const Event& unit);
  void blocks(std::uint64_t task, const Event& unit);
  void region(std::uint64_t task, const Event& unit);
  void watched(const Event& unit);

  RecordVisitor& to_;
  std::vector<TrackState> tracks_;
  std::unordered_map<std::uint64_t, WatchedArray> watched_;  // by number
  std::uint32_t pass_ = 0;
};

// All records of a runtime. bad_input, io_error.
base::Status read_records(const TraceReader& reader, const RuntimeInfo& runtime, RecordVisitor& to);

}  // namespace weir::trace
