// SPDX-License-Identifier: Apache-2.0

// Recorder: the trace of one runtime, from its start to its end.
//
// Gives out tracks, and drains their rings from a thread of its own into a spool, from which the file that was asked
// for is made, meanwhile or by close(). A process has one such file per name: runtimes that come later are added to it,
// so that it is whole after each of them (trace_file.hpp). Any thread, but for open() and close(), which are called by
// who owns it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "platform/scratch_file.hpp"
#include "trace/recording.hpp"
#include "trace/spool.hpp"
#include "trace/track.hpp"

namespace weir::trace {

class TraceFile;
class TracePart;

class Recorder {
 public:
  // io_error when the file cannot be written: no folder, no right.
  static base::Result<std::unique_ptr<Recorder>> open(const std::string& path);
  // Without close(), nothing is written.
  ~Recorder();

  // Stays until the recorder ends.
  Track* add_track(TrackInfo info);
  // The number by which events mean this block.
  std::uint64_t add_block(std::string_view name, std::uint64_t bytes);
  // Before the first event that means a tier; in the order of their numbers.
  void add_tier(std::string_view name);

  // No track is used any more; names of tasks are still there. Writes the file. io_error. Events that were lost are
  // told on standard error and in the file.
  base::Status close(const Summary& summary);

 private:
  Recorder(std::shared_ptr<TraceFile> file, platform::ScratchFile spool);
  void drain_until_stopped() noexcept;
  bool drain() noexcept;
  void stop() noexcept;

  const std::shared_ptr<TraceFile> file_;
  const ClockPair opened_ = ClockPair::now();
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;            // guarded by mutex_
  std::deque<Track> tracks_;     // grows under mutex_; entries stay where they are
  std::vector<Definition> new_;  // guarded by mutex_: what the drainer has not seen
  std::uint64_t blocks_ = 0;     // guarded by mutex_
  std::uint64_t tiers_ = 0;      // guarded by mutex_

  // The drainer; after it has ended, close().
  std::vector<Track*> drained_;
  std::vector<std::span<const Event>> readable_;
  std::vector<Definition> defined_;
  Spool spool_;
  base::Status spool_status_;
  std::uint64_t unwritten_ = 0;  // events that the disk had no room for
  std::uint64_t pass_ = 0;

  std::unique_ptr<TracePart> part_;  // reads spool_
  std::thread drainer_;
};

}  // namespace weir::trace
