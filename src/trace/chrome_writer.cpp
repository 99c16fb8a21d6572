// SPDX-License-Identifier: Apache-2.0

#include "trace/chrome_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "platform/clock.hpp"
#include "platform/idle_priority.hpp"
#include "platform/signals_blocked.hpp"

namespace weir::trace {

namespace {

constexpr std::size_t kBatch = std::size_t{1} << 14;  // units, 2 MB of text
constexpr unsigned kMostThreads = 8;                  // more only wait for the disk
constexpr std::uint64_t kPause = 20'000'000;          // ns; the clocks are compared over as long a time, too

}  // namespace

ChromeWriter::ChromeWriter(Spool& spool, platform::PartFile& to, int runtime, const ClockPair& opened,
                           std::uint64_t origin_ns)
    : spool_(spool), to_(to), runtime_(runtime), opened_(opened), origin_ns_(origin_ns) {
  const platform::SignalsBlocked blocked;
  ahead_ = std::thread([this] { write_ahead(); });
}

ChromeWriter::~ChromeWriter() { stop_ahead(); }

// ---- While the program runs ----

void ChromeWriter::write_ahead() noexcept {
  platform::run_when_idle();
  Batch batch;
  while (wait_ahead(kPause)) {
    while (!stop_.load() && write_batch(batch)) {
    }
  }
}

// False: to stop.
bool ChromeWriter::wait_ahead(std::uint64_t ns) noexcept {
  std::unique_lock lock(stop_mutex_);
  return !stopped_.wait_for(lock, std::chrono::nanoseconds(ns), [&] { return stop_.load(); });
}

void ChromeWriter::stop_ahead() noexcept {
  if (!ahead_.joinable()) return;
  platform::run_as_usual(ahead_.native_handle());
  {
    const std::lock_guard lock(stop_mutex_);
    stop_.store(true);
  }
  stopped_.notify_one();
  ahead_.join();
}

// ---- Batches, by one thread or several ----

// False when there is none.
bool ChromeWriter::write_batch(Batch& batch) {
  std::unique_lock lock(mutex_);
  if (!status_ || !take(batch)) return false;
  const std::uint64_t mine = taken_++, read = read_;
  lock.unlock();
  batch.text.clear();
  for (const Line& line : batch.lines) write_line(batch.text, runtime_, line);
  lock.lock();
  turn_.wait(lock, [&] { return written_ == mine; });
  if (status_) {
    lock.unlock();
    base::Status written = to_.append(batch.text.text());
    lock.lock();
    status_ = std::move(written);
  }
  ++written_;
  if (read / kForgetEvery != (read - batch.units.size()) / kForgetEvery) spool_.forget(read);
  turn_.notify_all();
  return true;
}

// Reads and resolves what is next.
bool ChromeWriter::take(Batch& batch) {
  const std::uint64_t there = spool_.readable();
  if (there == read_) return false;
  if (resolver_ == nullptr) {
    resolver_ = std::make_unique<ChromeResolver>(runtime_, TimeScale(opened_, ClockPair::now(), origin_ns_));
  }
  batch.units.resize(std::min<std::uint64_t>(there - read_, kBatch));
  status_ = spool_.read(read_, batch.units);
  if (!status_) return false;
  read_ += batch.units.size();
  batch.lines.clear();
  resolver_->resolve(batch.units, batch.lines);
  return true;
}

// ---- At the end ----

base::Result<std::string> ChromeWriter::finish(const Summary& summary, std::uint64_t lost) {
  stop_ahead();
  write_rest();
  if (!status_) return std::move(status_);
  if (resolver_ == nullptr) {
    resolver_ = std::make_unique<ChromeResolver>(runtime_, TimeScale(opened_, ClockPair::now(), origin_ns_));
  }
  return describe(summary, lost);
}

void ChromeWriter::write_rest() {
  const std::size_t left = (spool_.readable() - read_ + kBatch - 1) / kBatch;
  const std::size_t useful = std::min<std::size_t>({left, std::thread::hardware_concurrency(), kMostThreads});
  const auto write = [this] {
    Batch batch;
    while (write_batch(batch)) {
    }
  };
  const platform::SignalsBlocked blocked;
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < useful; ++i) others.emplace_back(write);
  write();
  for (std::thread& thread : others) thread.join();
}

std::string ChromeWriter::describe(const Summary& s, std::uint64_t lost) const {
  const TimeScale& scale = resolver_->scale();
  std::string text = fmt::format(
      "{{\"runtime\":{},\"workers\":{},\"machine\":{},\"policy\":{},\"memory_gb_per_s\":{},\"start_us\":{:.3f},\"end_"
      "us\":{:.3f},\"lost_"
      "events\":{}",
      runtime_, s.workers, json_string(s.machine), json_string(s.policy), s.memory_gb_per_s,
      static_cast<double>(scale.ns(s.start)) / 1e3, static_cast<double>(scale.ns(s.end)) / 1e3, lost);
  const auto list = [&text](std::string_view key, const auto& items, auto&& describe_one, std::string_view brackets) {
    text += fmt::format(",\"{}\":{}", key, brackets[0]);
    const char* separator = "";
    for (const auto& item : items) {
      text += separator;
      text += describe_one(item);
      separator = ",";
    }
    text += brackets[1];
  };
  list(
      "counters", s.counters, [](const auto& c) { return fmt::format("\"{}\":{}", c.first, c.second); }, "{}");
  list(
      "tiers", s.tiers,
      [](const TierInfo& t) {
        return fmt::format("{{\"name\":{},\"budget_bytes\":{},\"read_gb_per_s\":{},\"write_gb_per_s\":{}}}",
                           json_string(t.name), t.budget, t.read_gb_per_s, t.write_gb_per_s);
      },
      "[]");
  list(
      "tracks", resolver_->tracks(),
      [](const ChromeResolver::Track& t) {
        return fmt::format("{{\"name\":{},\"worker\":{},\"domain\":{}}}", t.name, t.worker, t.domain);
      },
      "[]");
  list(
      "links", resolver_->links(),
      [this](const auto& link) {
        return fmt::format("{{\"from\":{},\"to\":{},\"bytes\":{},\"moves\":{}}}", resolver_->tier(link.first >> 4),
                           resolver_->tier(link.first & 15), link.second.bytes, link.second.moves);
      },
      "[]");
  list(
      "blocks", resolver_->blocks(),
      [](const ChromeResolver::Block& b) { return fmt::format("{{\"name\":{},\"bytes\":{}}}", *b.name, b.bytes); },
      "[]");
  text += '}';
  return text;
}

}  // namespace weir::trace
