// SPDX-License-Identifier: Apache-2.0

// Recorder: a trace while it is recorded: the tracks of one runtime, and the thread that empties them into the file.
//
// Nothing is converted: what the rings hold is what the file holds (docs/trace-format.md). The thread adds only what
// numbers stand for: names of tracks, blocks, tiers and, where an event points to a text, the text. Any thread adds
// tracks; one opens and closes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "trace/recording.hpp"
#include "trace/track.hpp"

namespace weir::trace {

class TraceFile;

class Recorder {
 public:
  // io_error when the file cannot be written: no folder, no right. bad_option for a name of another format.
  static base::Result<std::unique_ptr<Recorder>> open(const std::string& path);
  // Without close(), nothing of it is in the file.
  ~Recorder();

  // Stays until the recorder ends.
  Track* add_track(TrackInfo info);
  // The number by which events mean this block.
  std::uint64_t add_block(std::string_view name, std::uint64_t bytes);
  // Before the first event that means a tier; in the order of their numbers.
  void add_tier(std::string_view name);

  // PEs that meet in collectives, by the number that events mean them by.
  void add_group(std::uint64_t number, std::uint64_t members, std::string_view name);
  // What is known before the end: also of a program that is killed. What is noted once more, or in the summary, takes
  // its place. The thread that opens and closes.
  base::Status note(const Settings& settings);

  // No track is used any more; names of tasks are still there. The file is whole. io_error. Events that were lost are
  // reported on standard error and in the file.
  base::Status close(const Summary& summary);

 private:
  Recorder(std::shared_ptr<TraceFile> file, std::uint16_t runtime);
  void drain_until_stopped() noexcept;
  bool drain() noexcept;
  void find_names(std::span<const Event> events);
  void write_definitions();
  void compare_clocks();
  void stop() noexcept;

  const std::shared_ptr<TraceFile> file_;
  const std::uint16_t runtime_;  // in the file
  base::Mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::deque<Track> tracks_;                             // grows with mutex_ held; entries stay where they are
  std::vector<Definition> new_ WEIR_GUARDED_BY(mutex_);  // what the drainer has not seen
  std::uint64_t blocks_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t tiers_ WEIR_GUARDED_BY(mutex_) = 0;
  bool closed_ = false;  // by the thread that closes
  Settings noted_;       // likewise

  // The drainer; after it has ended, close().
  std::vector<Track*> drained_;
  std::vector<std::span<const Event>> readable_;
  std::vector<Definition> defined_;
  std::unordered_set<std::uint64_t> names_;  // by their addresses
  std::uint64_t last_name_ = 0;
  std::uint64_t compared_ns_ = 0;  // when a pair of clocks was written last
  base::Status status_;            // of the file: the first that is not success
  std::uint64_t unwritten_ = 0;    // events that the disk had no room for
  std::uint32_t pass_ = 0;

  std::thread drainer_;
};

}  // namespace weir::trace
