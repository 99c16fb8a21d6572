// SPDX-License-Identifier: Apache-2.0

// ChromeResolver: goes through a spool in order and makes of its events what can be written by itself: tasks get their
// numbers, edges both their ends, names and times are looked up.
//
// One thread at a time. Names that lines point to stay where they are as long as it does.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/chrome_lines.hpp"
#include "trace/recording.hpp"
#include "trace/spool_parser.hpp"
#include "trace/task_table.hpp"

namespace weir::trace {

class ChromeResolver {
 public:
  struct Link {
    std::string label;  // as JSON
    std::uint64_t bytes = 0, moves = 0;
  };
  struct Track {
    std::string name;  // as JSON
    int worker = -1, domain = -1;
  };
  struct Block {
    const std::string* name = nullptr;  // as JSON
    std::uint64_t bytes = 0;
  };

  // `runtime`: 1 for the first in the file.
  ChromeResolver(int runtime, const TimeScale& scale) : runtime_(runtime), scale_(scale) {}

  // Units of the spool that follow those before; appends what they make.
  void resolve(std::span<const Event> units, std::vector<Line>& to);

  const TimeScale& scale() const noexcept { return scale_; }
  const std::map<std::uint8_t, Link>& links() const noexcept { return links_; }  // by from << 4 | to
  const std::vector<Track>& tracks() const noexcept { return tracks_; }
  const std::vector<Block>& blocks() const noexcept { return blocks_; }
  const std::string& tier(std::uint8_t number) const;  // its name, as JSON

 private:
  friend SpoolParser;
  void define(const Definition& definition);
  void next_pass() { tasks_.next_pass(); }
  void event(std::uint32_t track, const Event& event);

  void resolve_move(const Event& event, Line& line);
  Line edge(const TaskTable::Run& before, const TaskTable::Run& after);
  const std::string* intern(std::string_view text);
  const std::string* name_at(const char* text);
  const std::string* block_name(std::uint64_t block);
  std::uint64_t unique() noexcept { return (static_cast<std::uint64_t>(runtime_) << 32) + ++ids_; }
  std::uint64_t flow() noexcept { return (static_cast<std::uint64_t>(runtime_) << 32) + ++flows_; }

  const int runtime_;
  const TimeScale scale_;

  SpoolParser parser_;
  std::vector<Line>* to_ = nullptr;  // during resolve()
  TaskTable tasks_;
  std::set<std::string, std::less<>> texts_;                   // as JSON
  std::unordered_map<const void*, const std::string*> names_;  // by address of the text
  std::map<std::uint8_t, Link> links_;
  std::map<std::uint8_t, std::string> tier_labels_;
  std::vector<Track> tracks_;
  std::vector<Block> blocks_;
  std::deque<std::string> tiers_;  // as JSON
  std::uint64_t flows_ = 0, ids_ = 0;
};

}  // namespace weir::trace
