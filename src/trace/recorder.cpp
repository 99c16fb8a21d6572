// SPDX-License-Identifier: Apache-2.0

#include "trace/recorder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "platform/signals_blocked.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {

namespace {

// A ring of 65536 events lasts for 16 ms at four million events a second (docs/tuning.md#trace-ring).
constexpr auto kDrainPeriod = std::chrono::milliseconds(1);

}  // namespace

base::Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path) {
  base::Result<std::shared_ptr<TraceFile>> file = TraceFile::open(path);
  if (!file) return file.status();
  base::Result<platform::ScratchFile> spool = platform::ScratchFile::create_for((*file)->spool_path());
  if (!spool) return base::Status{spool.status().code, fmt::format("trace {}", spool.status().message)};
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(*file), std::move(*spool)));
  base::Result<std::unique_ptr<TracePart>> part = recorder->file_->begin(recorder->spool_, recorder->opened_);
  if (!part) return part.status();
  recorder->part_ = std::move(*part);
  return recorder;
}

Recorder::Recorder(std::shared_ptr<TraceFile> file, platform::ScratchFile spool)
    : file_(std::move(file)), spool_(std::move(spool)) {
  const platform::SignalsBlocked blocked;
  drainer_ = std::thread([this] { drain_until_stopped(); });
}

Recorder::~Recorder() { stop(); }

void Recorder::stop() noexcept {
  if (!drainer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_one();
  drainer_.join();
}

Track* Recorder::add_track(TrackInfo info) {
  const std::lock_guard lock(mutex_);
  new_.push_back({Named::track, tracks_.size(), info.name, static_cast<std::uint64_t>(info.worker),
                  static_cast<std::uint64_t>(info.domain)});
  return &tracks_.emplace_back(std::move(info));
}

std::uint64_t Recorder::add_block(std::string_view name, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  new_.push_back({Named::block, blocks_, std::string(name), bytes, 0});
  return blocks_++;
}

void Recorder::add_tier(std::string_view name) {
  const std::lock_guard lock(mutex_);
  new_.push_back({Named::tier, tiers_++, std::string(name), 0, 0});
}

void Recorder::drain_until_stopped() noexcept {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    stopped_.wait_for(lock, kDrainPeriod, [&] { return stop_; });
    lock.unlock();
    while (drain()) {
    }
    lock.lock();
  }
}

// True when some ring was more than a quarter full.
//
// What an event means by number was added before the event was recorded: so the rings are looked at first, then what
// is new is written, then the events.
bool Recorder::drain() noexcept {
  ++pass_;
  readable_.clear();
  for (Track* const track : drained_) readable_.push_back(track->ring().readable());
  {
    const std::lock_guard lock(mutex_);
    defined_.swap(new_);
    while (drained_.size() < tracks_.size()) drained_.push_back(&tracks_[drained_.size()]);
  }
  for (const Definition& definition : defined_) {
    if (spool_status_) spool_status_ = spool_.append(definition);
  }
  defined_.clear();
  bool busy = false;
  for (std::size_t i = 0; i < readable_.size(); ++i) {
    const std::span<const Event> events = readable_[i];
    if (events.empty()) continue;
    busy = busy || events.size() > Ring::kCapacity / 4;
    if (spool_status_) spool_status_ = spool_.append(i, pass_, events);
    if (!spool_status_) unwritten_ += events.size();
    drained_[i]->ring().consume(events.size());
  }
  return busy;
}

base::Status Recorder::close(const Summary& summary) {
  stop();
  for (bool more = true; more;) {  // tracks that are new, and both halves of each ring
    more = drained_.size() < tracks_.size();
    drain();
    for (Track& track : tracks_) more = more || !track.ring().readable().empty();
  }
  std::uint64_t lost = unwritten_;
  for (const Track& track : tracks_) lost += track.ring().dropped();
  if (lost != 0) {
    std::fprintf(stderr, "weir: trace %s: %llu events were lost%s%s; what it adds up to is too little\n",
                 file_->path().c_str(), static_cast<unsigned long long>(lost), unwritten_ != 0 ? ": " : "",
                 unwritten_ != 0 ? spool_status_.message.c_str() : ", faster than they could be written");
  }
  return part_->finish(summary, lost);
}

}  // namespace weir::trace
