// SPDX-License-Identifier: Apache-2.0

// TraceReader: what a trace file holds, as typed records; for tools, not for the runtime.
//
// open() looks at every chunk and refuses a damaged file with the place of the damage, so that what is read afterwards
// is what was written. A file that ends early, because its program runs still, or was killed, is read as far as it is
// whole. Memory: names, and a window of the file. One thread for each Cursor; a reader that is open is read-only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "trace/format.hpp"
#include "trace/recording.hpp"

namespace weir::trace {

class TraceSource;

// What is not events, of one runtime.
struct RuntimeInfo {
  std::uint16_t number = 0;  // from 1
  ClockPair opened, compared;
  bool ended = false;  // the summary is there
  Summary summary;
  Settings settings;        // none in files of earlier versions of Weir
  std::uint64_t lost = 0;   // events that are not in the file
  std::uint64_t units = 0;  // that are
  std::vector<Definition> tracks, blocks, tiers;
  std::vector<Definition> groups;                        // of PEs, in the order of the file
  std::unordered_map<std::uint64_t, std::string> texts;  // by what events mean them by

  // The name in an event of has_name(); null: none.
  const std::string* name_in(const Event& event) const;
};

struct Chunk {
  std::uint64_t at = 0;  // bytes from the start of the file
  ChunkKind kind = ChunkKind::end;
  std::uint16_t runtime = 0;
  std::uint32_t track = 0, pass = 0;
  std::string_view bytes;        // valid until the next one is read
  std::span<const Event> units;  // the same, of kind units
};

// Goes through a file from chunk to chunk.
class ChunkCursor {
 public:
  // True: there is one. False: there is no more. bad_input where the file is damaged, io_error.
  base::Result<bool> next(Chunk& chunk);
  // Behind the last chunk that was read.
  std::uint64_t at() const noexcept { return at_; }

 private:
  friend class TraceReader;
  ChunkCursor(std::shared_ptr<TraceSource> source, std::uint64_t end);
  base::Result<bool> next_head(ChunkHead& head);

  std::shared_ptr<TraceSource> source_;
  std::vector<std::uint64_t> window_;  // words, so that units lie at their alignment
  std::uint64_t window_at_ = 0, window_bytes_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t end_;
  std::uint64_t sequence_ = 0;

  base::Result<std::string_view> bytes(std::uint64_t count);
  base::Status damaged(const std::string& how) const;
};

class TraceReader {
 public:
  // not_found; bad_input when it is no trace, or a damaged one; io_error.
  static base::Result<TraceReader> open(const std::string& path);
  // A file's contents, and its name for messages.
  static base::Result<TraceReader> of(std::string contents, const std::string& name);

  // Its program has not ended, or was killed, or this is not all of the file.
  bool ends_early() const noexcept { return ends_early_; }
  // From number 1 on.
  const std::vector<RuntimeInfo>& runtimes() const noexcept { return runtimes_; }
  // Nanoseconds since the file's first runtime was opened.
  TimeScale scale(const RuntimeInfo& runtime) const noexcept;
  const std::string& name() const noexcept { return name_; }

  ChunkCursor chunks() const;

 private:
  TraceReader(std::shared_ptr<TraceSource> source, std::string name);
  base::Status look_through();
  base::Status take(const Chunk& chunk, bool& ended);
  base::Status define(const Chunk& chunk, RuntimeInfo& runtime);

  std::shared_ptr<TraceSource> source_;
  std::string name_;
  std::uint64_t end_ = 0;  // of the last whole chunk, bytes
  bool ends_early_ = false;
  std::vector<RuntimeInfo> runtimes_;
};

}  // namespace weir::trace
