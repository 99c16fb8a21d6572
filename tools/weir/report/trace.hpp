// SPDX-License-Identifier: Apache-2.0

// What a trace file says of one runtime, as the report computes with it. Times are nanoseconds from the file's origin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "few_numbers.hpp"
#include "trace/rank_events.hpp"

namespace weir::tool::report {

using Ns = std::int64_t;

// ready: takes no time; the innermost task around it lets another one run, and may go on itself.
enum class Doing : std::uint8_t { task, spawn, wait, throttled, search, park, stage, ready };

// An interval on a worker's row; those of one row nest.
struct Span {
  Ns start = 0, end = 0;
  std::uint32_t track = 0;
  Doing doing = Doing::task;
  std::uint32_t task = 0;  // task, spawn, stage, ready, and a wait for one task: number; 0: none
};

struct Task {
  Ns start = 0, end = 0;
  Ns spawned = -1;           // -1: not known
  std::uint64_t bytes = 0;   // of its footprint
  FewNumbers comes_after;    // of tasks
  std::uint32_t items = 0;   // of its footprint
  int name = 0;              // index into Trace::names
  std::int16_t wanted = -1;  // the domain that it was to run in; -1: any
  bool ran = false;
  bool cancelled = false;
  bool asked = false;   // by another rank, for whose answer a task may wait
  bool waited = false;  // of the C++ API, as its footprint shows: an EDT that has made it does not end before it
};
static_assert(sizeof(Task) == 64, "a report holds all tasks of a run");

struct TrackRow {
  std::string name;
  int worker = -1, domain = -1;
  std::uint32_t process = 0;  // which of Trace::processes, where there are some
  bool of_library = false;    // no worker, but its thread is the library's: a spare, or one that serves other ranks
};

// Stretches of time.
struct Interval {
  Ns start = 0, end = 0;
};

struct Move {
  Ns start = 0, end = 0;
  std::uint64_t block = 0, bytes = 0;
  std::string from, to;
};

// What a ready task waited for: room, blocks on their way, commutative data or an OCR data block that others had; what
// another rank has sent.
enum class For : std::uint8_t { room, blocks, lock, block, rank };

struct DataWait {
  Ns start = 0, end = 0;
  std::uint32_t task = 0;  // number
  For what = For::blocks;
  int had_by = -1;  // index into Trace::names, of a task that had it; -1: not known
};

// The function of a task had returned, or ran still, when what it had begun elsewhere was completed.
struct LateEnd {
  std::uint32_t task = 0;  // number
  Ns at = 0;
};

struct Steal {
  Ns at = 0;
  std::uint32_t track = 0;   // whose worker took them
  std::uint32_t victim = 0;  // the other worker's index
  std::uint32_t tasks = 0, distance = 0;
};

// From this moment on a tier holds so many bytes.
struct Resident {
  Ns at = 0;
  std::uint64_t bytes = 0;
};

struct Tier {
  std::string name;
  std::uint64_t budget = 0;
  double read_gb_per_s = 0, write_gb_per_s = 0;  // 0: not known
};

struct Block {
  std::string name;
  std::uint64_t bytes = 0;
};

// What has gone to another rank, or come from one.
struct Message {
  bool is_sent = false;
  weir::trace::RankMessage what = weir::trace::RankMessage::tile;
  weir::trace::MessageName name;
  std::uint32_t other = 0;  // rank
  Ns start = 0, end = 0;    // of one that came: from when it was wanted to when it was there
  std::uint32_t task = 0;   // that has sent or wanted it, by number
  std::uint64_t bytes = 0;
  std::string block;  // its name, or what it is
};

// One of several processes of a job whose traces were joined: its rows, and its tasks, which have successive numbers.
struct Process {
  int workers = 0;
  std::uint32_t first_task = 0, end_task = 0;
};

struct Trace {
  int runtime = 0;
  int workers = 0;
  std::string machine;
  std::string policy;          // whom workers steal from, or that they are islands; empty: not known
  double memory_gb_per_s = 0;  // all memory, read, as measured; 0: not known
  Ns start = 0, end = 0;
  std::uint64_t lost_events = 0;
  bool cut = false;   // the file ends early: what the runtime says of itself at its end is not there
  bool edts = false;  // its tasks are EDTs, and none waits for those that it has made
  std::map<std::string, std::uint64_t> counters;
  std::vector<std::string> names;  // of tasks
  std::vector<TrackRow> tracks;
  std::vector<Task> tasks;  // by number; the first is none
  std::vector<Span> spans;
  std::vector<Move> moves;
  std::vector<DataWait> data_waits;
  std::vector<LateEnd> late_ends;
  std::map<std::string, std::vector<Resident>> residency;  // by tier, in the order of time
  std::vector<Steal> steals;
  std::vector<Tier> tiers;
  std::vector<Block> blocks;
  std::uint64_t evictions = 0;
  std::vector<Message> messages;
  std::vector<Process> processes;  // of a job; none: it is of one process

  std::size_t process_count() const { return processes.empty() ? 1 : processes.size(); }
  Process process(std::size_t number) const {
    return processes.empty() ? Process{workers, 1, static_cast<std::uint32_t>(tasks.size())} : processes[number];
  }
  int workers_of(std::size_t track) const {
    return processes.empty() ? workers : processes[tracks[track].process].workers;
  }

  // One of the runtime's workers, which are there for its whole life. Others are guests, threads of the program that
  // use the runtime for a while, and spares.
  bool is_worker(std::size_t track) const {
    return tracks[track].worker >= 0 && tracks[track].worker < workers_of(track);
  }
  bool is_guest(std::size_t track) const { return !is_worker(track) && !tracks[track].of_library; }
  // Workers are shown, and of the others those that did something.
  bool has_row(std::size_t track, bool nothing_done) const {
    return is_worker(track) || (tracks[track].worker >= 0 && !nothing_done);
  }
  // A thread that the runtime has made: what it does outside of intervals is to start and to end.
  bool is_own_thread(std::size_t track) const {
    return tracks[track].of_library || (tracks[track].worker > 0 && is_worker(track));
  }
  // Worker processes may die, and their rows end then.
  bool may_end_early(std::size_t track) const {
    return is_worker(track) && tracks[track].worker > 0 && counter("workers_died") != 0;
  }
  // From when to when its thread counts. Of one that is no worker nothing is known before its first interval, and
  // behind its last one. `row`: its spans, in the order of time.
  Interval presence(std::size_t track, std::span<const Span> row) const {
    if (is_worker(track) && !may_end_early(track)) return {start, end};
    if (row.empty()) return {start, start};
    Ns last = row.front().end;
    for (const Span& span : row) last = std::max(last, span.end);
    if (is_worker(track)) return {start, std::clamp(last, start, std::max(start, end))};
    const Ns from = std::clamp(row.front().start, start, std::max(start, end));
    return {from, std::clamp(last, from, std::max(from, end))};
  }

  // The master runs no task, nobody steals, and what moves are lines of cache (docs/islands.md).
  bool on_islands() const { return policy.starts_with("islands"); }
  // When each task had ended, by number: later than its function, where it had begun something elsewhere.
  std::vector<Ns> ends() const {
    std::vector<Ns> ends;
    for (const Task& task : tasks) ends.push_back(task.end);
    for (const LateEnd& late : late_ends) ends[late.task] = std::max(ends[late.task], late.at);
    return ends;
  }
  std::uint64_t counter(const std::string& name) const {
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : found->second;
  }
};

}  // namespace weir::tool::report
