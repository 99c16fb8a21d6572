// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/joined.hpp"
#include "ocr/image/gone.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/pause/everywhere.hpp"
#include "ocr/program/pause_api.hpp"
#include "ocr/program/program.hpp"
#include "platform/clock.hpp"
#include "platform/start_thread.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

using base::Code;
using base::Result;
using base::Status;
using checkpoint::Course;

constexpr u8 kRefused = 1, kNotRestored = 2;  // exit codes
constexpr auto kLook = std::chrono::microseconds(100);
constexpr int kUnsettledLooks = 2000;  // after which EDTs run again

// By the time of day, so that no other run's checkpoint has it.
std::uint64_t turn_after(std::uint64_t turn) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::max(turn + 1, static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count()));
}

// What may be otherwise when the next one is due.
Status later(const char* why) { return {Code::lost, why}; }
constexpr const char* kPaused = "an EDT has paused the program";

thread_local constinit bool is_checkpoints_thread = false;

}  // namespace

Result<std::unique_ptr<Checkpoints>> Checkpoints::open(const Course::Settings& settings, Program& program) {
  Result<std::unique_ptr<Course>> course = Course::open(settings);
  if (!course) return course.status();
  return std::unique_ptr<Checkpoints>(new Checkpoints(settings, std::move(*course), program));
}

Checkpoints::Checkpoints(const Course::Settings& settings, std::unique_ptr<Course> course, Program& program)
    : every_s_(settings.every_s), course_(std::move(course)), program_(program), orders_(program) {}

Checkpoints::~Checkpoints() { stop(); }

void Checkpoints::stop() noexcept {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  orders_.stop();
  if (thread_.joinable()) thread_.join();
}

void Checkpoints::begin(Tiers& tiers) {
  tiers_ = &tiers;
  if (is_spread() && leads()) others_ = std::make_unique<Others>(*Mail::running(), [this] { return stops(); });
  if (!course_->writes()) return;
  try {
    thread_ = platform::start_thread("weir checkpoint", [this] { run(); });
  } catch (const std::system_error& error) {
    refuse(error.what());
  }
}

Answer Checkpoints::answer(Reader body) {
  const auto ask = body.get<CheckpointAsk>();
  if (ask == CheckpointAsk::step) return orders_.answer(body);
  if (ask == CheckpointAsk::find_gone) return answer_find_gone(body);
  const base::Lock lock(mutex_);
  return slots_ == nullptr ? Answer{OCR_ECANCELED} : answer_find_slots(*slots_, body);
}

// ---- Going on ----

Status Checkpoints::restore(Local& local, Restoration::Agree agree) {
  Halt none_begins(local.program);
  static_cast<void>(none_begins.look());
  Restoration restoration(local, course_->pasts(), std::move(agree), [this](const KnownSlots* slots) {
    const base::Lock lock(mutex_);
    slots_ = slots;
  });
  Status status = restoration.run();
  if (status) {
    course_->end_restart();
    return status;
  }
  none_begins.end_unbegun(kNotRestored);  // some are ready, perhaps
  return status;
}

// ---- Writing ----

bool Checkpoints::is_this_thread() noexcept { return is_checkpoints_thread; }

// What it does is no work of the program's.
void Checkpoints::run() {
  is_checkpoints_thread = true;
  const std::uint64_t since = trace::Track::now();
  leads() ? lead() : obey();
  const Local* const local = known_local();
  if (local != nullptr && local->worker->track() != nullptr) local->worker->track()->search(since);
}

void Checkpoints::lead() {
  constexpr auto kMost = std::chrono::milliseconds(100);
  const auto interval = every_s_ == 0 ? std::chrono::milliseconds(1) : kMost;
  for (;;) {
    {
      base::Lock lock(mutex_);
      if (!stop_) lock.wait_for(wake_, interval);
      if (stop_) return;
    }
    if (program_.shutting_down()) return;
    if (is_time()) make();
  }
}

bool Checkpoints::stops() {
  const base::Lock lock(mutex_);
  return stop_ || program_.shutting_down();
}

bool Checkpoints::leads() noexcept { return homes().here == 0; }

// What this rank waits for now, for a checkpoint.
bool Checkpoints::is_over() { return leads() ? stops() : orders_.is_over(); }

Stillness Checkpoints::stillness() const {
  return {true, program_.progress().ended, is_spread() ? Mail::running()->traffic() : Traffic{}};
}

// None: the program ends.
std::optional<std::uint64_t> Checkpoints::ended_everywhere() {
  const std::uint64_t here = program_.progress().ended;
  if (others_ == nullptr) return here;
  const std::optional<std::uint64_t> elsewhere = others_->ended();
  return elsewhere ? std::optional(here + *elsewhere) : std::nullopt;
}

// Also always means: after an EDT has ended.
bool Checkpoints::is_time() {
  if (!course_->is_due()) return false;
  if (every_s_ != 0) return true;
  const std::optional<std::uint64_t> ended = ended_everywhere();
  return ended && *ended != ended_;
}

void Checkpoints::refuse(const std::string& why) {
  std::fflush(stdout);
  std::fprintf(stderr,
               "weir: ocr: no checkpoint can be made of this program: %s; or run it without --checkpoint "
               "(WEIR_CHECKPOINT)\n",
               why.c_str());
  program_.shut_down(kRefused);
}

// Waits until this rank stands still, but for what messages bring about, or says why it does not. While messages come
// workers have something to do.
Status Checkpoints::stand_still(Halt& halt) {
  Traffic last;
  for (int unsettled = 0; !is_over();) {
    bool some_wait = program_.has_blocked_edts();
    const Halt::State state = halt.look();
    some_wait = some_wait || program_.has_blocked_edts();  // a message may end a wait
    if (state != Halt::State::edts_run && some_wait) return later("an EDT waits within its function");
    switch (state) {
      case Halt::State::still: return Status::success();
      case Halt::State::edts_run: break;
      case Halt::State::others_pause: return later(kPaused);
      case Halt::State::unsettled:
        const Traffic now = stillness().traffic;
        if (now == std::exchange(last, now) && ++unsettled > kUnsettledLooks)
          return later("tasks of the C++ API that EDTs have begun, or another wait in an EDT, go on");
    }
    std::this_thread::sleep_for(kLook);
  }
  return later("it is over");
}

Status Checkpoints::take_here(Image& image) {
  Status status = check_program();
  return status ? image.take() : status;
}

void Checkpoints::note_taken(const Image& image, std::uint64_t asked_ns, std::uint64_t still_ns) {
  copied_pieces_ = image.copied_pieces();
  const std::uint64_t stood_ns = platform::now_ns() - still_ns;
  times_.settling_ns += still_ns - asked_ns;
  times_.still_ns += stood_ns;
  times_.longest_ns = std::max(times_.longest_ns, stood_ns);
}

// On this rank alone while EDTs run again.
Status Checkpoints::write_here(Image& image) {
  const std::uint64_t start_ns = platform::now_ns();
  Status status = image.write();
  // Such a thread may have written to a block without holding it.
  if (status) status = check_threads();
  if (!status) return status;
  times_.made += 1;
  times_.written_ns += platform::now_ns() - start_ns;
  return status;
}

// ---- Of one rank, or as the one that leads ----

Status Checkpoints::take(Image& image) {
  std::optional<CheckpointTurn> turn;
  if (others_ != nullptr && !turn.emplace().has_it()) return later(kPaused);
  image.prepare(copied_pieces_);
  Halt halt(program_);
  const std::uint64_t asked_ns = platform::now_ns();
  if (others_ != nullptr) others_->begin_turn(turn_);
  Status status = stand_still(halt);
  if (status && others_ != nullptr) status = others_->wait_until_still([this] { return stillness(); });
  const std::uint64_t still_ns = platform::now_ns();
  ended_ = program_.progress().ended + (others_ == nullptr ? 0 : others_->last_ended());
  if (status && others_ != nullptr) others_->order(Step::take);
  if (status) status = take_here(image);
  if (status && others_ != nullptr) status = others_->wait_until_done();
  if (status && others_ != nullptr) others_->order(Step::write);
  halt.end();
  if (status) note_taken(image, asked_ns, still_ns);
  return status;
}

Status Checkpoints::write(Image& image) {
  Status status = write_here(image);
  if (status && others_ != nullptr) status = others_->wait_until_done();
  return status ? course_->publish() : status;
}

Status Checkpoints::try_make() {
  try {
    if (Status status = course_->begin(); !status) return status;
    course_->note_moment(turn_ = turn_after(turn_));
    Image image(*course_, program_, tiers_->store(), ocr::local());
    Status status = take(image);
    return status ? write(image) : status;
  } catch (const std::bad_alloc&) {
    return {Code::no_space, "there is no memory for what it needs"};
  }
}

void Checkpoints::make() {
  const Status status = try_make();
  if (others_ != nullptr) others_->order(Step::end);
  if (!status) course_->discard();
  if (stops()) return;
  course_->restart_clock();
  if (status.code == Code::unsupported) return refuse(status.message);
  // With a checkpoint after each EDT the reason would be printed again and again.
  if (!status && (every_s_ != 0 || status.message != std::exchange(said_, status.message))) course_->give_up(status);
}

// ---- As one that is led ----

void Checkpoints::obey() {
  while (orders_.wait_for_turn()) {
    try {
      obey_turn();
    } catch (const std::bad_alloc&) {
      orders_.fail({Code::no_space, "there is no memory for what it needs"});
    }
  }
}

void Checkpoints::obey_turn() {
  course_->note_moment(orders_.turn());
  Image image(*course_, program_, tiers_->store(), ocr::local());
  image.prepare(copied_pieces_);
  Halt halt(program_);
  const std::uint64_t asked_ns = platform::now_ns();
  if (!orders_.done(stand_still(halt))) return;
  const std::uint64_t still_ns = platform::now_ns();
  if (!orders_.done(take_here(image))) return;
  halt.end();
  note_taken(image, asked_ns, still_ns);
  static_cast<void>(orders_.done(write_here(image)));
}

// ---- What is refused ----

Status Checkpoints::check_threads() const {
  return program_.has_guests() ? Status{Code::unsupported, "a thread of the program's own uses OCR"}
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
              base::joined(changed, ", "), more)};
}

}  // namespace weir::ocr
