// ChromeWriter: events of one runtime as the JSON that Perfetto and chrome://tracing open.
//
// One process per runtime, one row per track. Complete events ("X") for what a thread did, flows ("s", "f") for edges,
// async events ("b", "e") for what overlaps: moves and tasks that wait for data; instants for steals and evictions;
// counters ("C") for bytes by link and for what each tier holds. docs/tracing.md has every field. Streaming: keeps one
// entry per task, and a piece of text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "platform/scratch_file.hpp"
#include "trace/recorder.hpp"

namespace weir::trace {

// `text` between quotes, with what JSON does not allow in between escaped; bytes that are no UTF-8 become '?'.
std::string json_string(std::string_view text);

class ChromeWriter {
 public:
  struct Input {
    std::span<const Event> events;  // as the recorder's drainer has left them: chunks by track
    const std::deque<Track>& tracks;
    const std::vector<BlockInfo>& blocks;
    const Summary& summary;
    ClockPair opened, closed;
    std::uint64_t lost = 0;  // events that are not there
  };

  // `runtime`: 1 for the first in the file. Times count from `origin_ns`.
  ChromeWriter(const Input& input, int runtime, std::uint64_t origin_ns, platform::ScratchFile& to);

  // Appends the events, and returns what is said of the runtime at the end of the file: a JSON object. io_error.
  base::Result<std::string> write();

 private:
  struct Run {  // of a task
    std::uint64_t start = 0, end = 0;
    std::uint32_t track = 0;
    bool seen = false;
  };
  struct Link {
    std::uint64_t bytes = 0, moves = 0;
  };

  template <class F>
  void for_each_event(F&& f) const;
  std::uint64_t ns_of(std::uint64_t ticks) const noexcept;
  std::uint32_t number(std::uint64_t task);
  void number_tasks();
  std::string tier_name(std::uint8_t tier) const;
  std::string_view block_name(std::uint64_t block) const;
  void write_names();
  void write_event(const Event& event, std::uint32_t track);
  void write_task(const Event& event, std::uint32_t track);
  void write_spawn(const Event& event, std::uint32_t track);
  void write_edge(const Event& event);
  void write_move(const Event& event, std::uint32_t track);
  void write_data_wait(const Event& event, std::uint32_t track);
  void write_resident(const Event& event);
  void write_instant(const Event& event, std::uint32_t track);
  void begin(char phase, std::string_view category, std::string_view name, std::uint32_t track, std::uint64_t ns);
  void time(std::string_view key, std::uint64_t ns);
  void complete(const Event& event, std::string_view category, std::string_view name, std::uint32_t track);
  void end_event();
  std::string describe() const;

  const Input& in_;
  const int runtime_;
  const std::uint64_t origin_ns_;
  const double ns_per_tick_;
  platform::ScratchFile& to_;
  fmt::memory_buffer text_;
  base::Status status_;
  bool first_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of tasks, from 1
  std::vector<Run> runs_;                                     // by number
  std::unordered_map<std::uint64_t, std::string> names_;      // by address of the text, as JSON
  std::map<std::uint8_t, Link> links_;                        // by from << 4 | to
  std::uint64_t flows_ = 0, moves_ = 0;
};

}  // namespace weir::trace
