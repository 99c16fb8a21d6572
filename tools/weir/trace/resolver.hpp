// SPDX-License-Identifier: Apache-2.0

// Resolver: goes through the records of a runtime in order and makes of them what can be understood by itself: tasks
// get their numbers, edges both their ends, names and times are looked up.
//
// Memory grows with the tasks that are unfinished at one moment, or with all where that is asked for. One thread. Names
// that lines point to stay where they are as long as it does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "names.hpp"
#include "task_table.hpp"

namespace weir::tool::convert {

struct Name {
  std::string text, json;  // itself, and between quotes as JSON has it
};

// What one record says; which fields there are depends on its kind.
struct Line {
  Kind kind = Kind::none;
  std::uint8_t small = 0;  // of the event
  std::uint32_t track = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint64_t task = 0;   // number; of an edge the earlier one; of a move the block; of a wait that is for one task,
                            // its number, 0 where it ended long before
  std::uint64_t value = 0;  // of the event; of an edge the later task
  std::uint64_t id = 0;     // of the event; JSON: of flows and of what overlaps a number of their own
  std::uint64_t sum = 0;    // of a move: bytes so far over its link; of an edge the later task's track; of a spawn the
                            // number of the task that spawns, 0 for none
  const Name* name = nullptr;   // of a data_wait that of the holder, or null
  const Name* from = nullptr;   // of a move, the tiers; of evictions and residency the tier
  const Name* to = nullptr;     // of a move
  const Name* label = nullptr;  // of a move its link's, of residency that of the tier's counter
  trace::MessageNote note;      // of what was sent and received
};

class Resolver final : private RecordVisitor {
 public:
  struct Link {
    const Name* label = nullptr;
    std::uint64_t bytes = 0, moves = 0;
  };

  // `reader` and `runtime` outlive it.
  Resolver(const TraceReader& reader, const RuntimeInfo& runtime, TaskTable::Keeps keeps = TaskTable::Keeps::recent);

  // Calls `take` for each, in the order of the file. bad_input, io_error.
  base::Status resolve(const std::function<void(const Line&)>& take);

  // After resolve(): some task was forgotten when it ended, long after its function, and a line has another number for
  // it. Who wants its own resolves anew, and keeps all.
  bool has_forgotten() const;

  const TimeScale& scale() const noexcept { return scale_; }
  const std::map<std::uint8_t, Link>& links() const noexcept { return links_; }  // by from << 4 | to
  const Name& tier(std::uint8_t number);
  const Name& name(std::string_view text);

 private:
  void spawn(std::uint32_t track, const Event& event, std::uint64_t parent) override;
  void edge(std::uint64_t before, std::uint64_t task) override;
  void message(std::uint32_t track, const Event& event, const trace::MessageNote& note) override;
  void event(std::uint32_t track, const Event& event) override;
  void next_pass() override { tasks_.next_pass(); }

  Line line_of(std::uint32_t track, const Event& event) const;
  void task(Line& line, const Event& event);
  void move(const Event& event, Line& line);
  static Line flow(const TaskTable::Run& before, const TaskTable::Run& after);
  const Name* name_of(const Event& event);
  const Name* block_name(std::uint64_t block);

  const TraceReader& reader_;
  const RuntimeInfo& runtime_;
  const TimeScale scale_;
  const std::function<void(const Line&)>* take_ = nullptr;  // during resolve()

  TaskTable tasks_;
  std::map<std::string, Name, std::less<>> names_;
  std::unordered_map<std::uint64_t, const Name*> by_number_;  // names of tasks, by what events mean them by
  std::vector<const Name*> blocks_, tiers_;
  std::map<std::uint8_t, Link> links_;
  std::map<std::uint8_t, const Name*> tier_labels_;
  std::vector<std::uint64_t> ended_late_;  // tasks
};

}  // namespace weir::tool::convert
