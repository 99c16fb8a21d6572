// SPDX-License-Identifier: Apache-2.0

#include "shmem/observe/recording.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "base/joined.hpp"
#include "shmem/world/world.hpp"
#include "trace/job_process.hpp"
#include "trace/recorder.hpp"

namespace weir::shmem {

namespace {

constexpr std::uint32_t kHeapGathering = 1, kFirstGathering = 16;

// Never destroyed: threads may call until the process ends.
struct Recording {
  std::mutex mutex;
  std::unique_ptr<trace::Recorder> recorder;
  trace::Settings settings;
  std::string asked, path;  // what WEIR_TRACE was when the program set it, and the file that came of it
  int starts = 0;           // with that value of WEIR_TRACE
  std::uint64_t start = 0;
  int threads = 0;
  pid_t process = 0;  // a forked child has no thread that writes
  Gathering heap;
};
Recording& recording() {
  static auto* const made = new Recording;
  return *made;
}
// Of the recording, from 1; changes at its begin and at its end, under the mutex: who sees another one than before asks
// for a track (docs/protocols/shmem-trace.md).
std::atomic<unsigned> switch_count{0};

// "PEs 0, 2, 4"; of many the first ones.
std::string list_of(std::span<const int> pes) {
  constexpr std::size_t kMost = 16;
  if (static_cast<int>(pes.size()) == world().n_pes) return "all PEs";
  const std::span<const int> shown = pes.first(std::min(pes.size(), kMost));
  return fmt::format("PEs {}{}", base::joined(shown, ", "), shown.size() < pes.size() ? ", ..." : "");
}

// FNV-1a over the bytes of the words.
std::uint32_t hash(std::span<const std::uint64_t> words) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint64_t word : words) {
    for (int i = 0; i < 8; ++i) hash = (hash ^ (word >> 8 * i & 0xff)) * 0x100000001b3;
  }
  const auto folded = static_cast<std::uint32_t>(hash ^ hash >> 32);
  return folded < kFirstGathering ? folded + kFirstGathering : folded;
}

// "t.weir", and of the second start of the library "t.start2.weir", so that the first one's trace stays. The name may
// have this PE's number already, which then comes last again.
std::string file_of_start(const std::string& file, int start) {
  if (start == 1) return file;
  const std::filesystem::path path(file);
  std::filesystem::path stem = path.stem();
  std::string end = path.extension().string();
  if (const std::string of_pe = fmt::format(".{}", world().my_pe); stem.extension() == of_pe) {
    stem.replace_extension();
    end = of_pe + end;
  }
  return (path.parent_path() / fmt::format("{}.start{}{}", stem.string(), start, end)).string();
}

// Runtimes of this process write to the same file.
void choose_file(Recording& r) {
  const World& w = world();
  const std::string now = std::getenv("WEIR_TRACE");
  if (now != r.path) {
    r.asked = now;
    r.starts = 0;
  }
  r.path = file_of_start(r.asked, ++r.starts);
  if (w.n_pes > 1) r.path = trace::file_of_rank(r.path, static_cast<std::uint32_t>(w.my_pe));
  if (r.path != now) setenv("WEIR_TRACE", r.path.c_str(), 1);
}

trace::Summary summary_of(const Recording& r) {
  trace::Summary summary;
  summary.workers = r.threads;
  summary.start = r.start;
  summary.end = trace::Track::now();
  summary.machine = fmt::format("PE {} of {} on {}", world().my_pe, world().n_pes, trace::host_name());
  summary.settings = r.settings;
  return summary;
}

}  // namespace

bool is_recording_wanted() noexcept {
  const char* const asked = std::getenv("WEIR_TRACE");
  return asked != nullptr && *asked != '\0';
}

void open_recording(const std::string& job) {
  World& w = world();
  if (!w.is_traced) return;
  Recording& r = recording();
  choose_file(r);
  auto opened = trace::Recorder::open(r.path);
  check(opened.status());
  r.recorder = std::move(*opened);
  r.start = trace::Track::now();
  r.threads = 0;
  r.process = getpid();
  r.settings = {{"pe", std::to_string(w.my_pe)},
                {"pes", std::to_string(w.n_pes)},
                {"host", trace::host_name()},
                {"job", job},
                {"clock_offset_ns", "0"}};
  check(r.recorder->note(r.settings));
  r.heap = {kHeapGathering, 0};
  r.recorder->add_group(kHeapGathering, static_cast<std::uint64_t>(w.n_pes), "all PEs");
  {
    const std::lock_guard lock(r.mutex);
    switch_count.fetch_add(1, std::memory_order_release);  // RECORD-1: the recorder is there
  }
  w.before_end = close_recording;
}

void note_clock_offset(std::int64_t ns) {
  Recording& r = recording();
  if (r.recorder == nullptr || ns == 0) return;
  r.settings.back().second = std::to_string(ns);
  check(r.recorder->note(r.settings));
}

void close_recording() noexcept {
  Recording& r = recording();
  const std::unique_lock lock(r.mutex, std::try_to_lock);
  if (!lock || r.recorder == nullptr || r.process != getpid()) return;
  switch_count.fetch_add(1, std::memory_order_release);  // RECORD-1: before the rings are emptied for the last time
  const base::Status status = r.recorder->close(summary_of(r));
  // Threads that are in a call hold its tracks.
  static_cast<void>(r.recorder.release());
  if (!status) std::fprintf(stderr, "weir: PE %d: %s\n", world().my_pe, status.message.c_str());
}

Gathering gathering_of(std::span<const std::uint64_t> key, std::span<const int> pes) {
  Recording& r = recording();
  const std::lock_guard lock(r.mutex);
  if (r.recorder == nullptr) return {};
  const Gathering made{hash(key), 0};
  r.recorder->add_group(made.number, pes.size(), list_of(pes));
  return made;
}

Gathering& heap_gathering() noexcept { return recording().heap; }

unsigned recording_number() noexcept {
  return switch_count.load(std::memory_order_acquire);  // RECORD-1: who sees an end records nothing more
}

ThreadTrack add_thread() noexcept {
  Recording& r = recording();
  const std::lock_guard lock(r.mutex);
  const unsigned now = switch_count.load(std::memory_order_relaxed);  // it changes under the mutex only
  if (r.recorder == nullptr) return {nullptr, now};
  const int index = r.threads++;
  const std::string name =
      index == 0 ? fmt::format("PE {}", world().my_pe) : fmt::format("PE {} thread {}", world().my_pe, index + 1);
  return {r.recorder->add_track({name, index, -1}), now};
}

}  // namespace weir::shmem
