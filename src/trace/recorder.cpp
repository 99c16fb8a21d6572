// SPDX-License-Identifier: Apache-2.0

#include "trace/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "platform/clock.hpp"
#include "platform/start_thread.hpp"
#include "trace/format.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {

namespace {

// A ring of 65536 events lasts for 16 ms at four million events a second (docs/tuning/trace.md#rings-of-events).
constexpr auto kDrainPeriod = std::chrono::milliseconds(1);
// Readers of a file that ends early know the scale of its clock from the last pair; the first comes at once.
constexpr std::uint64_t kClockPeriod = 20'000'000;  // ns

static_assert(Ring::kCapacity * sizeof(Event) <= kMostChunk);

// Those of `before` that `now` does not have, and behind them all of it.
Settings joined(const Settings& now, const Settings& before) {
  Settings all;
  for (const auto& old : before) {
    const auto same = [&](const auto& setting) { return setting.first == old.first; };
    if (std::none_of(now.begin(), now.end(), same)) all.push_back(old);
  }
  all.insert(all.end(), now.begin(), now.end());
  return all;
}

}  // namespace

base::Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path) {
  base::Result<std::shared_ptr<TraceFile>> file = TraceFile::open(path);
  if (!file) return file.status();
  const base::Result<std::uint16_t> runtime = (*file)->begin(ClockPair::now());
  if (!runtime) return runtime.status();
  try {
    return std::unique_ptr<Recorder>(new Recorder(*file, *runtime));
  } catch (const std::system_error& error) {
    base::Status refused{base::Code::no_space, fmt::format("{}: {}", path, error.what())};
    static_cast<void>((*file)->give_up(*runtime, refused));
    return refused;
  }
}

Recorder::Recorder(std::shared_ptr<TraceFile> file, std::uint16_t runtime) : file_(std::move(file)), runtime_(runtime) {
  drainer_ = platform::start_thread("weir trace", [this] { drain_until_stopped(); });
}

Recorder::~Recorder() {
  stop();
  if (!closed_) static_cast<void>(file_->give_up(runtime_, base::Status::success()));
}

void Recorder::stop() noexcept {
  if (!drainer_.joinable()) return;
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_one();
  drainer_.join();
}

Track* Recorder::add_track(TrackInfo info) {
  const base::Lock lock(mutex_);
  new_.push_back({Named::track, tracks_.size(), static_cast<std::uint64_t>(info.worker),
                  static_cast<std::uint64_t>(info.domain), info.name});
  return &tracks_.emplace_back(std::move(info));
}

std::uint64_t Recorder::add_block(std::string_view name, std::uint64_t bytes) {
  const base::Lock lock(mutex_);
  new_.push_back({Named::block, blocks_, bytes, 0, std::string(name)});
  return blocks_++;
}

void Recorder::add_tier(std::string_view name) {
  const base::Lock lock(mutex_);
  new_.push_back({Named::tier, tiers_++, 0, 0, std::string(name)});
}

void Recorder::add_group(std::uint64_t number, std::uint64_t members, std::string_view name) {
  const base::Lock lock(mutex_);
  new_.push_back({Named::group, number, members, 0, std::string(name)});
}

base::Status Recorder::note(const Settings& settings) {
  noted_ = joined(settings, noted_);
  Encoder text;
  encode(text, noted_);
  return file_->append(runtime_, ChunkKind::settings, text.bytes());
}

void Recorder::drain_until_stopped() noexcept {
  base::Lock lock(mutex_);
  while (!stop_) {
    lock.wait_for(stopped_, kDrainPeriod);
    lock.unlock();
    while (drain()) {
    }
    compare_clocks();
    lock.lock();
  }
}

void Recorder::compare_clocks() {
  if (!status_ || platform::now_ns() - compared_ns_ < kClockPeriod) return;
  const ClockPair now = ClockPair::now();
  compared_ns_ = now.ns;
  Encoder clock;
  clock << now.ticks << now.ns;
  status_ = file_->append(runtime_, ChunkKind::clock, clock.bytes());
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
    const base::Lock lock(mutex_);
    defined_.swap(new_);
    while (drained_.size() < tracks_.size()) drained_.push_back(&tracks_[drained_.size()]);
  }
  for (const std::span<const Event> events : readable_) find_names(events);
  write_definitions();
  bool busy = false;
  for (std::size_t i = 0; i < readable_.size(); ++i) {
    const std::span<const Event> events = readable_[i];
    if (events.empty()) continue;
    busy = busy || events.size() > Ring::kCapacity / 4;
    if (status_) {
      status_ = file_->append(runtime_, ChunkKind::units, as_text(std::as_bytes(events)), static_cast<std::uint32_t>(i),
                              pass_);
    }
    if (!status_) unwritten_ += events.size();
    drained_[i]->ring().consume(events.size());
  }
  return busy;
}

// Texts that events point to: they lie where they are as long as the runtime does.
void Recorder::find_names(std::span<const Event> events) {
  for (const Event& event : events) {
    if (!has_name(event.kind()) || event.value() == last_name_ || event.value() == 0) continue;
    last_name_ = event.value();
    if (!names_.insert(last_name_).second) continue;
    const auto* const text = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(last_name_));
    defined_.push_back({Named::text, last_name_, 0, 0, text});
  }
}

void Recorder::write_definitions() {
  constexpr std::size_t kEnough = kMostChunk / 4;
  Encoder names;
  const auto write = [&] {
    if (status_ && !names.bytes().empty()) status_ = file_->append(runtime_, ChunkKind::name, names.bytes());
    names = {};
  };
  for (const Definition& definition : defined_) {
    encode(names, definition);
    if (names.bytes().size() > kEnough) write();
  }
  write();
  defined_.clear();
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
                 unwritten_ != 0 ? status_.message.c_str() : ", faster than they could be written");
  }
  compared_ns_ = 0;
  compare_clocks();
  closed_ = true;
  if (!status_) return file_->give_up(runtime_, std::move(status_));
  Encoder settings, about;
  encode(settings, joined(summary.settings, noted_));
  if (base::Status status = file_->append(runtime_, ChunkKind::settings, settings.bytes()); !status)
    return file_->give_up(runtime_, std::move(status));
  encode(about, summary, lost);
  return file_->end(runtime_, about.bytes());
}

}  // namespace weir::trace
