// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/course.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "platform/clock.hpp"
#include "platform/held_at_fork.hpp"

namespace weir::checkpoint {

using base::Code;
using base::Result;
using base::Status;

namespace {

std::string program_name() { return program_invocation_short_name; }

std::string described(const char* task) {
  return task != nullptr && *task != 0 ? fmt::format("task {:?}", task) : "a task without a name";
}

// By folder, whether it is to go on from there, and rank.
using Counted = std::tuple<std::string, bool, std::uint32_t>;
// How many courses the process has opened.
struct Opened {
  base::Mutex mutex;
  std::map<Counted, std::uint32_t> counts WEIR_GUARDED_BY(mutex);
};
Opened& opened() {
  static base::Forever<Opened> all;  // a runtime may be made during static destruction
  return all.value;
}

[[maybe_unused]] const bool kOpenedAtFork = platform::hold_at_fork([]() -> base::Mutex& { return opened().mutex; });

// The same however it is spelt, and whether or not it is there already.
std::string counted_folder(const Course::Settings& settings) {
  const std::string& path = settings.restart.empty() ? settings.folder : settings.restart;
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (!error) whole = std::filesystem::weakly_canonical(whole, error);
  if (error) return path;
  return (whole.has_filename() ? whole : whole.parent_path()).string();
}

}  // namespace

Course::Course(const Settings& settings, std::uint32_t number)
    : settings_(settings), number_(number), clock_ns_(platform::now_ns()) {
  submission_.note_runtime(number);
}

// One that fails is not counted.
Result<std::unique_ptr<Course>> Course::open(const Settings& settings) {
  const base::Lock lock(opened().mutex);
  std::uint32_t& count = opened().counts[Counted(counted_folder(settings), !settings.restart.empty(), settings.rank)];
  std::unique_ptr<Course> course(new Course(settings, count + 1));
  if (Status status = course->open_folders(); !status) return status;
  ++count;
  return course;
}

Status Course::open_folders() {
  if (!settings_.restart.empty())
    if (Status status = open_past(); !status) return status;
  if (settings_.folder.empty() || settings_.rank != 0) return Status::success();
  Result<Folder> folder = Folder::open(settings_.folder);
  if (!folder) return folder.status();
  folder_.emplace(std::move(*folder));
  return Status::success();
}

Status Course::open_past() {
  if (settings_.each_its_own) {
    auto each = Past::open_each(settings_.restart, {settings_.rank, settings_.ranks});
    if (!each) return each.status();
    pasts_ = std::move(*each);
  } else {
    auto whole = Past::open(settings_.restart);
    if (!whole) return whole.status();
    pasts_.push_back(std::move(*whole));
  }
  const Record& record = past().record();
  if (record.program != program_name()) {
    return {Code::bad_input,
            fmt::format("{}: it was written by {}, and this is {}", past().path(), record.program, program_name())};
  }
  if (!variables_.decode(record.variables))
    return {Code::bad_input, fmt::format("{}: its variables cannot be read", past().path())};
  if (record.runtime != number_ && !settings_.each_its_own) pass_over();
  return Status::success();
}

void Course::pass_over() noexcept {
  const std::uint32_t its = past().record().runtime;
  is_before_past_ = number_ < its;
  if (number_ == 1 && settings_.rank == 0) {
    std::fprintf(stderr,
                 "weir: %s is of runtime %u that the program makes: those before it run from their beginning, and "
                 "write no checkpoints\n",
                 past().path().c_str(), its);
  }
  pasts_.clear();
  variables_ = Variables();
}

void Course::note_named_task(std::string_view name) noexcept { submission_.note_task(name); }

void Course::note_written(const char* task, const Region& memory) {
  if (!possible_ || memory.rows == 0 || memory.row_bytes == 0) return;
  const std::size_t bytes = memory.row_bytes + (memory.rows - 1) * (memory.rows == 1 ? 0 : memory.stride_bytes);
  if (variables_.covers(memory.base, bytes)) return;
  refuse(fmt::format(
      "{} writes {} bytes of the program at {}, which are neither in a block nor kept: a program that goes on from a "
      "checkpoint would not have them. Keep the variable with weir::Keep, or make it a weir::Block",
      described(task), bytes, fmt::ptr(memory.base)));
}

void Course::note_skipped_reader(const char* task) {
  if (skipped_readers_++ == 0) first_reader_ = described(task);
}

void Course::note_given_back(const std::string& block, const void* first, std::size_t bytes) {
  if (!possible_ || variables_.covers(first, bytes)) return;
  refuse(fmt::format(
      "block {:?} has ended, which had adopted {} bytes of the program at {}, and tasks have written it: a program "
      "that goes on from a checkpoint would not have them. Let the block live until the last checkpoint, or keep the "
      "memory with weir::Keep",
      block, bytes, fmt::ptr(first)));
}

void Course::note_failure(const std::string& what) {
  refuse(
      fmt::format("before wait {} a task has thrown {:?}, and the program has gone on: one that goes on from a "
                  "checkpoint skips the task, and no wait throws. Catch it in the task, and say in a variable that "
                  "is kept (weir::Keep) that there was one",
                  submission_.now().point + 1, what));
}

void Course::refuse(std::string why) {
  if (possible_) possible_ = {Code::unsupported, "no checkpoint can be made of this program: " + std::move(why)};
}

// ---- On the way to where the past ends ----

Status Course::compare(const Submission::Mark& now) const {
  const Record& record = pasts_.front()->record();
  const bool is_last = now.point == record.at.point;
  const bool is_marked = next_mark_ < record.marks.size() && record.marks[next_mark_].point == now.point;
  const Submission::Mark& then = is_last ? record.at : is_marked ? record.marks[next_mark_] : now;
  if (then == now) return Status::success();
  const Submission::Mark before = next_mark_ > 0 ? record.marks[next_mark_ - 1] : Submission::Mark{};
  const std::uint64_t spawned = now.tasks - before.tasks, had = then.tasks - before.tasks;
  const std::string what = spawned != had
                               ? fmt::format("this run has spawned {} tasks there, and that one {}", spawned, had)
                               : fmt::format("both have spawned {} tasks there, of other names or footprints", spawned);
  return {Code::bad_input,
          fmt::format("{}: up to wait {} this run does what the one did that wrote it, and before wait {} no more: {}. "
                      "What decides which tasks are spawned has to be the same: arguments, input, variables that are "
                      "kept (weir::Keep)",
                      pasts_.front()->path(), before.point, now.point, what)};
}

Result<Course::Next> Course::arrive() {
  const Submission::Mark& now = submission_.note_point();
  if (!restarting()) {
    if (writes()) note_values();
    return Next::go_on;
  }
  if (followed_) followed_ = follow_past();
  if (!followed_) return followed_;
  return now.point == past().record().at.point ? Next::restore : Next::go_on;
}

void Course::note_values() {
  variables_.note_values(submission_.now().point);
  const std::string large = variables_.large_log();
  if (!large.empty() && settings_.rank == 0) std::fprintf(stderr, "weir: %s\n", large.c_str());
}

Status Course::follow_past() {
  const Submission::Mark& now = submission_.now();
  if (Status status = compare(now); !status) return status;
  const Record& record = past().record();
  if (next_mark_ < record.marks.size() && record.marks[next_mark_].point == now.point) ++next_mark_;
  return variables_.restore_values(now.point);
}

void Course::note_unrestored(const std::string& why) {
  if (restarting() && followed_) followed_ = {Code::bad_input, why};
}

void Course::end_restart() noexcept {
  if (skipped_readers_ > 0 && settings_.rank == 0) {
    std::fprintf(
        stderr,
        "weir: of the tasks that were skipped %llu name nothing that they write, the first is %s: what they have "
        "printed, sent or written to memory that they do not name is not done again\n",
        static_cast<unsigned long long>(skipped_readers_), first_reader_.c_str());
  }
  pasts_.clear();
  restart_clock();
}

// ---- Writing ----

void Course::restart_clock() noexcept { clock_ns_ = platform::now_ns(); }

bool Course::is_due() const noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  return writes() && platform::now_ns() - clock_ns_ >= static_cast<std::uint64_t>(settings_.every_s) * kSecond;
}

ImageOf Course::image_of() const {
  return {submission_.now().point, submission_.now().hash, settings_.rank, settings_.ranks, variables_.checksum()};
}

Status Course::begin() { return folder_->begin(); }

Result<std::unique_ptr<ImageWriter>> Course::open_image(std::vector<ImageItem> items) const {
  const std::filesystem::path file = next_image(settings_.folder, settings_.rank);
  Result<std::unique_ptr<ImageWriter>> image = ImageWriter::create(file, std::move(items));
  std::error_code error;
  if (image || settings_.rank == 0 || std::filesystem::is_directory(file.parent_path(), error)) return image;
  return Status{
      Code::io_error,
      fmt::format("{}: rank 0 has made this folder, and this rank does not see it: give one that all ranks reach",
                  file.parent_path().string())};
}
Status Course::finish_image(ImageWriter& image) const { return image.finish(image_of()); }

Status Course::check_image(std::uint32_t rank) const {
  const std::string path = next_image(settings_.folder, rank);
  const auto image = ImageReader::open(path);
  if (!image) return image.status();
  const ImageOf own = image_of(), its = (*image)->of();
  if (its.point != own.point || its.hash != own.hash) {
    if (settings_.each_its_own) return {Code::bad_input, fmt::format("{}: it is a part of another checkpoint", path)};
    return {Code::unsupported,
            fmt::format("rank {} has spawned other tasks than rank 0 before wait {}", rank, own.point)};
  }
  if (its.variables == own.variables) return Status::success();
  return {Code::unsupported,
          fmt::format("variables that are kept have other values on rank {} than on rank 0 at wait {}: give them "
                      "the same on all ranks, or do not keep them",
                      rank, own.point)};
}

Status Course::publish() {
  for (std::uint32_t rank = 0; rank < settings_.ranks; ++rank)
    if (Status status = check_image(rank); !status) return status;
  return folder_->publish(
      {submission_.now(), settings_.ranks, submission_.marks(), variables_.encode(), program_name(), number_});
}

void Course::discard() noexcept {
  if (folder_) folder_->discard();
}

void Course::give_up(const Status& why) noexcept {
  discard();
  std::fprintf(stderr, "weir: no checkpoint was written: %s; the run goes on, and the last checkpoint stays\n",
               why.message.c_str());
}

void Course::report_end() const noexcept {
  if (!restarting() || settings_.rank != 0) return;
  if (!followed_) {
    std::fprintf(stderr,
                 "weir: the program has ended without going on from the checkpoint, and its tasks were skipped: %s\n",
                 followed_.message.c_str());
    return;
  }
  std::fprintf(stderr, "weir: the program has ended before wait %llu, where %s goes on: its tasks were skipped\n",
               static_cast<unsigned long long>(pasts_.front()->record().at.point), pasts_.front()->path().c_str());
}

}  // namespace weir::checkpoint
