// SPDX-License-Identifier: Apache-2.0

// ChromeWriter: one runtime's part of a JSON file, written from its spool while the program runs.
//
// A thread of its own writes ahead on processors that nobody else wants; what it has not come to by the end, several
// threads write then. Batches are resolved in order, turned into text side by side, and appended in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "platform/part_file.hpp"
#include "trace/chrome_resolver.hpp"
#include "trace/recording.hpp"
#include "trace/spool.hpp"

namespace weir::trace {

class ChromeWriter {
 public:
  // `runtime`: 1 for the first in the file. Times count from `origin_ns`. `spool` and `to` outlive it.
  ChromeWriter(Spool& spool, platform::PartFile& to, int runtime, const ClockPair& opened, std::uint64_t origin_ns);
  ~ChromeWriter();

  // The drainer has ended. Appends what is left, and returns what is said of the runtime at the end of the file: a
  // JSON object. io_error.
  base::Result<std::string> finish(const Summary& summary, std::uint64_t lost);

 private:
  struct Batch {
    std::vector<Event> units;
    std::vector<Line> lines;
    TextBuffer text;
  };

  void write_ahead() noexcept;
  bool wait_ahead(std::uint64_t ns) noexcept;
  void stop_ahead() noexcept;
  void write_rest();
  bool write_batch(Batch& batch);
  bool take(Batch& batch);
  std::string describe(const Summary& summary, std::uint64_t lost) const;

  Spool& spool_;
  platform::PartFile& to_;
  const int runtime_;
  const ClockPair opened_;
  const std::uint64_t origin_ns_;

  // Held while a batch is taken and put into its turn. A thread that runs when nobody else does holds it, too: nobody
  // asks for it while the program runs.
  std::mutex mutex_;
  std::condition_variable turn_;
  std::unique_ptr<ChromeResolver> resolver_;  // guarded by mutex_; made when the clocks have been compared
  std::uint64_t read_ = 0;                    // guarded by mutex_: units of the spool
  std::uint64_t taken_ = 0, written_ = 0;     // guarded by mutex_: batches
  base::Status status_;                       // guarded by mutex_

  std::mutex stop_mutex_;
  std::condition_variable stopped_;
  std::atomic<bool> stop_{false};  // changes under stop_mutex_
  std::thread ahead_;
};

}  // namespace weir::trace
