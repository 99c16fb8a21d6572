// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ocr/image/format.hpp"
#include "ocr/image/frontier.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/program/pause_api.hpp"
#include "ocr/program/program.hpp"
#include "platform/clock.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

using base::Code;
using base::Result;
using base::Status;
using checkpoint::Course;
using checkpoint::ImageItem;

constexpr u8 kRefused = 1, kNotRestored = 2;  // exit codes
constexpr auto kLook = std::chrono::microseconds(100);
constexpr int kUnsettledLooks = 2000;  // after which EDTs run again

// What may be otherwise when the next one is due.
Status later(const char* why) { return {Code::lost, why}; }

thread_local constinit bool is_checkpoints_thread = false;

}  // namespace

Result<std::unique_ptr<Checkpoints>> Checkpoints::open(const Course::Settings& settings) {
  Result<std::unique_ptr<Course>> course = Course::open(settings);
  if (!course) return course.status();
  return std::unique_ptr<Checkpoints>(new Checkpoints(settings, std::move(*course)));
}

Checkpoints::Checkpoints(const Course::Settings& settings, std::unique_ptr<Course> course)
    : every_s_(settings.every_s), course_(std::move(course)) {}

Checkpoints::~Checkpoints() { stop(); }

void Checkpoints::stop() noexcept {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Checkpoints::begin(Program& program, Tiers& tiers) {
  program_ = &program;
  tiers_ = &tiers;
  if (course_->writes()) thread_ = std::thread([this] { run(); });
}

// ---- Going on ----

Status Checkpoints::restore(Local& local) {
  Halt none_begins(local.program);
  static_cast<void>(none_begins.look());
  Status status = try_restore(local);
  if (status) {
    course_->end_restart();
    return status;
  }
  none_begins.end_unbegun(kNotRestored);  // some are ready, perhaps
  return status;
}

Status Checkpoints::try_restore(Local& local) {
  try {
    return restore_all(local);
  } catch (const std::bad_alloc&) {
    return {Code::no_space, fmt::format("{}: there is not enough memory for what it has: give the run what the one had "
                                        "which wrote it",
                                        course_->past().path())};
  }
}

Result<checkpoint::Contents> Checkpoints::claim(std::uint64_t key, const char* name, std::uint64_t& bytes) {
  checkpoint::Past& past = course_->past();
  const ImageItem* const item = past.find(key);
  if (item == nullptr || item->name != name)
    return Status{Code::bad_input, fmt::format("{}: it is a checkpoint of no OCR program", past.path())};
  return past.claim(key, name, bytes = item->bytes);
}

Status Checkpoints::restore_all(Local& local) {
  std::uint64_t frontier_bytes = 0, gathered_bytes = 0;
  const Result<checkpoint::Contents> frontier = claim(kFrontierKey, kFrontierName, frontier_bytes);
  if (!frontier) return frontier.status();
  const Result<checkpoint::Contents> gathered = claim(kGatheredKey, kGatheredName, gathered_bytes);
  if (!gathered) return gathered.status();
  std::string bytes(frontier_bytes, '\0');
  if (Status status = frontier->read_all(std::as_writable_bytes(std::span(bytes))); !status) return status;
  Result<std::unique_ptr<Revival>> revival = Revival::read(local, course_->past().path(), bytes);
  if (!revival) return revival.status();
  if (Status status = restore_blocks(**revival, *gathered, gathered_bytes); !status) return status;
  return (*revival)->finish();
}

Status Checkpoints::restore_blocks(Revival& revival, const checkpoint::Contents& gathered, std::uint64_t bytes) {
  Scattered small(gathered, bytes);
  Revival::PastBlock block{};
  for (;;) {
    const Result<bool> there = revival.next_block(block);
    if (!there) return there.status();
    if (!*there) return small.check();
    const std::span contents(block.data, block.bytes);
    Status status = is_gathered(block.bytes) ? small.take(contents) : restore_large(block);
    if (!status) return status;
    revival.end_block(block);
  }
}

Status Checkpoints::restore_large(const Revival::PastBlock& block) {
  const Result<checkpoint::Contents> contents =
      course_->past().claim(block.guid.bits, name_of_item(block.guid.bits), block.bytes);
  return contents ? contents->read_all(std::span(block.data, block.bytes)) : contents.status();
}

// ---- Writing ----

bool Checkpoints::is_this_thread() noexcept { return is_checkpoints_thread; }

// What it does is no work of the program's.
void Checkpoints::run() {
  is_checkpoints_thread = true;
  const std::uint64_t since = trace::Track::now();
  work();
  const Local* const local = known_local();
  if (local != nullptr && local->worker->track() != nullptr) local->worker->track()->search(since);
}

void Checkpoints::work() {
  constexpr auto kMost = std::chrono::milliseconds(100);
  const auto interval = every_s_ == 0 ? std::chrono::milliseconds(1) : kMost;
  for (;;) {
    {
      base::Lock lock(mutex_);
      if (!stop_) lock.wait_for(wake_, interval);
      if (stop_) return;
    }
    if (program_->shutting_down()) return;
    if (is_time()) make();
  }
}

bool Checkpoints::stops() {
  const base::Lock lock(mutex_);
  return stop_ || program_->shutting_down();
}

// Also always means: after an EDT has ended.
bool Checkpoints::is_time() { return course_->is_due() && (every_s_ != 0 || program_->progress().ended != ended_); }

void Checkpoints::refuse(const std::string& why) {
  std::fflush(stdout);
  std::fprintf(stderr,
               "weir: ocr: no checkpoint can be made of this program: %s; or run it without --checkpoint "
               "(WEIR_CHECKPOINT)\n",
               why.c_str());
  program_->shut_down(kRefused);
}

// Waits until the program stands still, or says why it does not.
Status Checkpoints::stand_still(Halt& halt) {
  for (int unsettled = 0; !stops();) {
    const Halt::State state = halt.look();
    if (state != Halt::State::edts_run && program_->has_blocked_edts())
      return later("an EDT waits within its function");
    switch (state) {
      case Halt::State::still: return Status::success();
      case Halt::State::edts_run: break;
      case Halt::State::others_pause: return later("an EDT has paused the program");
      case Halt::State::unsettled:
        if (++unsettled > kUnsettledLooks)
          return later("tasks of the C++ API that EDTs have begun, or another wait in an EDT, go on");
    }
    std::this_thread::sleep_for(kLook);
  }
  return later("the program ends");
}

Status Checkpoints::take(Image& image) {
  image.prepare(copied_pieces_);
  Halt halt(*program_);
  const std::uint64_t asked_ns = platform::now_ns();
  Status status = stand_still(halt);
  const std::uint64_t still_ns = platform::now_ns();
  if (status) status = check_program();
  if (status) status = image.take();
  ended_ = program_->progress().ended;
  halt.end();
  if (!status) return status;
  copied_pieces_ = image.copied_pieces();
  const std::uint64_t stood_ns = platform::now_ns() - still_ns;
  times_.settling_ns += still_ns - asked_ns;
  times_.still_ns += stood_ns;
  times_.longest_ns = std::max(times_.longest_ns, stood_ns);
  return status;
}

// While EDTs run again.
Status Checkpoints::write(Image& image) {
  const std::uint64_t start_ns = platform::now_ns();
  Status status = image.write();
  // Such a thread may have written to a block without holding it.
  if (status) status = check_threads();
  if (status) status = course_->publish();
  if (!status) return status;
  times_.made += 1;
  times_.written_ns += platform::now_ns() - start_ns;
  return status;
}

void Checkpoints::make() {
  Status status;
  try {
    Image image(*course_, *program_, tiers_->store(), ocr::local());
    status = take(image);
    if (status) status = write(image);
  } catch (const std::bad_alloc&) {
    status = {Code::no_space, "there is no memory for what it needs"};
  }
  if (stops()) return;
  course_->restart_clock();
  if (status.code == Code::unsupported) return refuse(status.message);
  // With a checkpoint after each EDT the reason would be printed again and again.
  if (!status && (every_s_ != 0 || status.message != std::exchange(said_, status.message))) course_->give_up(status);
}

Status Checkpoints::check_threads() const {
  return program_->has_guests() ? Status{Code::unsupported, "a thread of the program's own uses OCR"}
                                : Status::success();
}

Status Checkpoints::check_program() const {
  if (Status status = check_threads(); !status) return status;
  if (statics_.is_unknown()) {
    return {
        Code::unsupported,
        "it was stripped of its symbols, so whether it writes to variables with static storage, which no checkpoint "
        "has, cannot be seen: build it without stripping"};
  }
  std::vector<std::string> changed = statics_.changed();
  if (changed.empty()) return Status::success();
  constexpr std::size_t kMost = 4;
  const std::string more = changed.size() > kMost ? fmt::format(" and {} more", changed.size() - kMost) : "";
  changed.resize(std::min(changed.size(), kMost));
  return {Code::unsupported,
          fmt::format(
              "it has written to variables with static storage since it started ({}{}), which EDTs that go on would "
              "not find so: keep what they hold in data blocks or parameters",
              fmt::join(changed, ", "), more)};
}

}  // namespace weir::ocr
