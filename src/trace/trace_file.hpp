// SPDX-License-Identifier: Apache-2.0

// TraceFile: the file of a trace, to which each runtime of the process that was given its name adds chunks.
//
// It grows as FILE.part while runtimes of the process write to it, and is put in place, with an index at its end, when
// none does. Where there is no room for that, it is put in place with what it had the last time. A program that is
// killed leaves the part: such a file can be read, it only ends early. Lives until the process ends. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "platform/part_file.hpp"
#include "trace/format.hpp"
#include "trace/recording.hpp"

namespace weir::trace {

class TraceFile {
 public:
  // The one of this name in this process (a forked child begins anew). Another copy of this library in the process has
  // one of its own, `path`.2, which is said on standard error. io_error when it cannot be written; bad_option
  // for the name of another format, which `weir trace` writes.
  static base::Result<std::shared_ptr<TraceFile>> open(const std::string& path);
  // Whether a runtime that starts now could write it; leaves nothing behind.
  static base::Status check(const std::string& path);

  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const std::string& path() const noexcept { return path_; }

  static constexpr std::size_t kMostRuntimes = 0xffff;

  // A runtime begins. Its number in the file, from 1. io_error; no_space after kMostRuntimes. The file is as it was
  // then.
  base::Result<std::uint16_t> begin(const ClockPair& opened);
  // A chunk of a runtime that has begun. io_error: then nothing of it is there.
  base::Status append(std::uint16_t runtime, ChunkKind kind, std::string_view bytes, std::uint32_t track = 0,
                      std::uint32_t pass = 0);
  // A runtime has ended. When no other is open, the file is put in place. io_error.
  base::Status end(std::uint16_t runtime, std::string_view summary);
  // A runtime has ended whose summary could not be written, or is not wanted. What there is of the file stays, as after
  // a kill, unless other runtimes are in it. `why` is returned, with what has become of the file; success: none.
  base::Status give_up(std::uint16_t runtime, base::Status why);

 private:
  explicit TraceFile(std::string path) : path_(std::move(path)) {}
  base::Status grow() WEIR_REQUIRES(mutex_);
  base::Status write(std::uint16_t runtime, ChunkKind kind, std::string_view bytes, std::uint32_t track = 0,
                     std::uint32_t pass = 0) WEIR_REQUIRES(mutex_);
  base::Status publish() WEIR_REQUIRES(mutex_);
  base::Status put_in_place() WEIR_REQUIRES(mutex_);
  // No runtime is open, and the last one has no summary: puts what others have written in place, or gives the file up.
  // Its part goes when it is `is_empty`. `why` is returned, with what has become of the file.
  base::Status settle(base::Status why, bool is_empty) WEIR_REQUIRES(mutex_);

  const std::string path_;
  base::Mutex mutex_;
  std::unique_ptr<platform::PartFile> file_ WEIR_GUARDED_BY(mutex_);
  std::vector<IndexEntry> index_ WEIR_GUARDED_BY(mutex_);  // of all that have begun
  std::uint64_t sequence_ WEIR_GUARDED_BY(mutex_) = 0;     // of the next chunk
  int open_ WEIR_GUARDED_BY(mutex_) = 0;                   // runtimes that have not ended
  int ended_ WEIR_GUARDED_BY(mutex_) = 0;                  // runtimes with a summary

  // What was in it when it was put in place the last time.
  struct Whole {
    std::uint64_t bytes = 0, sequence = 0;
    std::size_t runtimes = 0;
    int ended = 0;
  };
  Whole whole_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::trace
