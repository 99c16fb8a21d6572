#include "trace/recorder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "platform/signals_blocked.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {

namespace {

// A ring of 65536 events lasts for 16 ms at four million events a second (docs/tuning.md#trace-ring).
constexpr auto kPause = std::chrono::milliseconds(1);

std::span<const std::byte> bytes_of(std::span<const Event> events) noexcept { return std::as_bytes(events); }

}  // namespace

base::Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path) {
  base::Result<std::shared_ptr<TraceFile>> file = TraceFile::open(path);
  if (!file) return file.status();
  base::Result<platform::ScratchFile> spool = platform::ScratchFile::create_for((*file)->spool_path());
  if (!spool) return spool.status();
  return std::unique_ptr<Recorder>(new Recorder(std::move(*file), std::move(*spool)));
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
  return &tracks_.emplace_back(std::move(info));
}

std::uint64_t Recorder::add_block(std::string_view name, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  blocks_.push_back({std::string(name), bytes});
  return blocks_.size() - 1;
}

void Recorder::drain_until_stopped() noexcept {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    stopped_.wait_for(lock, kPause, [&] { return stop_; });
    lock.unlock();
    while (drain()) {
    }
    lock.lock();
  }
}

// True when some ring was more than a quarter full.
bool Recorder::drain() noexcept {
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    count = tracks_.size();
  }
  bool busy = false;
  for (std::size_t i = 0; i < count; ++i) {
    Track* track = nullptr;
    {
      const std::lock_guard lock(mutex_);
      track = &tracks_[i];
    }
    const std::span<const Event> events = track->ring().readable();
    if (events.empty()) continue;
    busy = busy || events.size() > Ring::kCapacity / 4;
    const Event head{0, 0, i, Event::pack(Kind::chunk, events.size())};
    if (spool_status_) spool_status_ = spool_.append(bytes_of({&head, 1}));
    if (spool_status_) spool_status_ = spool_.append(bytes_of(events));
    if (!spool_status_) unwritten_ += events.size();
    track->ring().consume(events.size());
  }
  return busy;
}

base::Status Recorder::close(const Summary& summary) {
  stop();
  for (bool more = true; more;) {  // both halves of each ring
    more = false;
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
  const auto spool = spool_.map();
  if (!spool) return spool.status();
  const std::span events(reinterpret_cast<const Event*>(spool->data()), spool->size() / sizeof(Event));
  const Recording recording{events, tracks_, blocks_, summary, opened_, ClockPair::now(), lost};
  return file_->add(recording);
}

}  // namespace weir::trace
