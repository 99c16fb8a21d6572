// ChromeWriter: events of one runtime as the JSON that Perfetto and chrome://tracing open.
//
// One process per runtime, one row per track. Complete events ("X") for what a thread did, flows ("s", "f") for edges,
// async events ("b", "e") for what overlaps: moves and tasks that wait for data; instants for steals and evictions;
// counters ("C") for bytes by link and for what each tier holds. docs/tracing.md has every field.
//
// Goes through the events twice: first in order, to number tasks and to know what each segment of the events begins
// with; then several threads turn segments into text. Keeps an entry per task, and a segment's text per thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "platform/scratch_file.hpp"
#include "trace/recording.hpp"
#include "trace/task_numbers.hpp"

namespace weir::trace {

// `text` between quotes, with what JSON does not allow in between escaped; bytes that are no UTF-8 become '?'.
std::string json_string(std::string_view text);

class ChromeWriter {
 public:
  // `runtime`: 1 for the first in the file. Times count from `origin_ns`.
  ChromeWriter(const Recording& recording, int runtime, std::uint64_t origin_ns, platform::ScratchFile& to);

  // Appends the events, and returns what is said of the runtime at the end of the file: a JSON object. io_error.
  base::Result<std::string> write();

 private:
  friend class ChromeSegment;

  struct Run {  // of a task
    std::uint64_t start = 0, end = 0;
    std::uint32_t track = 0;
    bool seen = false;
  };
  struct Link {
    std::uint64_t bytes = 0, moves = 0;
  };
  using Links = std::map<std::uint8_t, Link>;  // by from << 4 | to
  // Events of one track that lie side by side, and what has been before them.
  struct Segment {
    std::span<const Event> events;
    std::uint32_t track = 0;
    std::uint64_t flows = 0, moves = 0;
    Links links;
  };

  void survey();
  void survey_event(const Event& event, std::uint32_t track);
  void write_segments();
  void write_some_segments();
  std::string describe() const;

  const Recording& in_;
  const int runtime_;
  const TimeScale scale_;
  platform::ScratchFile& to_;

  // Set by survey(), then only read.
  TaskNumbers numbers_;
  std::vector<Run> runs_;                                 // by number, less 1
  std::unordered_map<std::uint64_t, std::string> names_;  // by address of the text, as JSON
  Links links_;
  std::uint64_t flows_ = 0, moves_ = 0;
  std::vector<Segment> segments_;

  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t taken_ = 0;  // guarded by mutex_: segments that a thread has begun with
  std::size_t next_ = 0;   // guarded by mutex_: the segment that is to be written next
  base::Status status_;    // guarded by mutex_
};

}  // namespace weir::trace
