// SPDX-License-Identifier: Apache-2.0

#include "runtime/checkpointing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

#include "base/hooks.hpp"
#include "check/hooks.hpp"
#include "checkpoint/pieces.hpp"
#include "runtime/value_or_throw.hpp"
#include "runtime/watch.hpp"
#include "sched/worker.hpp"
#include "weir/block.hpp"
#include "weir/error.hpp"
#include "weir/keep.hpp"

namespace weir::runtime {

using checkpoint::Contents;
using checkpoint::Course;
using checkpoint::ImageItem;
using checkpoint::ImageWriter;

namespace {

constexpr const char* kHalvesSpawn =
    "tasks are spawned within fork_join() or a loop of weir/parallel.hpp, in a part that another thread has taken, so "
    "their place in the order of the program is another one each time: spawn them in an ordinary loop";

// Calls f(run) for each part of a block that lies in one piece; `at`: where the block is.
template <class F>
void for_each_run(const data::Block& block, std::byte* at, const F& f) {
  if (at != block.program) return f(std::span(at, block.bytes));
  const detail::BlockLayout& layout = block.layout;
  for (std::size_t i = 0; i < layout.counts[0]; ++i) {
    for (std::size_t j = 0; j < layout.counts[1]; ++j)
      f(std::span(at + i * layout.strides[0] + j * layout.strides[1], layout.run_bytes));
  }
}

// From the first byte of adopted memory to the last.
std::size_t span_of(const detail::BlockLayout& layout) noexcept {
  return (layout.counts[0] - 1) * layout.strides[0] + (layout.counts[1] - 1) * layout.strides[1] + layout.run_bytes;
}

// Runs one behind the other in the file, in pieces; short ones are gathered.
class RunWriter {
 public:
  RunWriter(ImageWriter& to, std::size_t item) noexcept : to_(to), item_(item) {}

  void add(std::span<const std::byte> run) {
    if (gathered_.empty() && run.size() >= checkpoint::kPieceBytes / 4) return put_all(run);
    for (; !run.empty(); run = run.subspan(std::min(run.size(), checkpoint::kPieceBytes - gathered_.size()))) {
      if (gathered_.size() == checkpoint::kPieceBytes) flush();
      const auto part = run.first(std::min(run.size(), checkpoint::kPieceBytes - gathered_.size()));
      gathered_.insert(gathered_.end(), part.begin(), part.end());
      if (part.size() == run.size()) break;
    }
  }
  void flush() {
    put(gathered_);
    gathered_.clear();
  }

 private:
  void put_all(std::span<const std::byte> run) {
    checkpoint::for_each_piece(run, [this](std::size_t, std::span<const std::byte> piece) { put(piece); });
  }
  void put(std::span<const std::byte> piece) {
    to_.write(item_, done_, piece);
    done_ += piece.size();
  }

  ImageWriter& to_;
  const std::size_t item_;
  std::size_t done_ = 0;
  std::vector<std::byte> gathered_;
};

void write_block(ImageWriter& to, std::size_t item, const data::Block& block, const std::byte* at) {
  RunWriter writer(to, item);
  for_each_run(block, const_cast<std::byte*>(at), [&](std::span<std::byte> run) { writer.add(run); });
  writer.flush();
}

void read_block(const Contents& from, const data::Block& block, std::byte* at) {
  checkpoint::OpenContents contents = value_or_throw(from.open());
  for_each_run(block, at, [&](std::span<std::byte> run) { ok_or_throw(contents.read(run)); });
  ok_or_throw(contents.check());
}

// What is spawned during its life is not the program's.
class Own {
 public:
  explicit Own(bool& flag) noexcept : flag_(flag) { flag_ = true; }
  ~Own() { flag_ = false; }
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;

 private:
  bool& flag_;
};

}  // namespace

std::unique_ptr<Checkpointing> Checkpointing::open(Runtime& runtime, State& state, const Options& options) {
  if (options.checkpoint.empty() && options.restart.empty()) return nullptr;
  if (!base::kHooks)
    throw Error("this Weir was built with -DWEIR_HOOKS=OFF, for measuring: it makes no checkpoints; build it without");
  if (check::active())
    throw Error("weir check watches a whole run: leave out checkpoints (WEIR_CHECKPOINT, WEIR_RESTART)");
  const Course::Settings settings{options.checkpoint, options.checkpoint_every, options.restart};
  std::unique_ptr<Course> course = value_or_throw(Course::open(settings));
  // Points are counted from 1; an image of an OCR program is at none.
  if (course->restarting() && course->past().record().at.point == 0)
    throw Error(course->past().path() + ": it is a checkpoint of an OCR program, and this is none");
  return std::make_unique<Checkpointing>(runtime, state, std::move(course));
}

Checkpointing::Checkpointing(Runtime& runtime, State& state, std::unique_ptr<Course> course)
    : runtime_(runtime), state_(state), course_(std::move(course)) {
  state_.restarts = course_->restarting();
  // Relaxed: threads that spawn in this runtime have got it from this one, after its constructor.
  if (state_.restarts) any_restarts_.store(true, std::memory_order_relaxed);
}

Checkpointing::~Checkpointing() {
  if (std::uncaught_exceptions() == 0) course_->report_end();
}

// ---- What the program spawns ----

// A scope outside of tasks is its thread's own, and those of other threads are never skipped.
bool Checkpointing::skips(const SpawnScope& scope) const noexcept {
  return scope.parent() == nullptr && is_in_order(*scope.owner()) && !own_ && course_->restarting();
}

void Checkpointing::note_out_of_order(const sched::Worker& worker) noexcept {
  // Relaxed: a checkpoint that misses it is of a moment before that thread spawned.
  (worker.is_guest() ? others_spawn_ : halves_spawn_).store(true, std::memory_order_relaxed);
}

void Checkpointing::note_skipped(const char* task, std::span<const Access> footprint) noexcept {
  if (std::none_of(footprint.begin(), footprint.end(), [](const Access& item) { return writes(item.mode); }))
    course_->note_skipped_reader(task);
}

// The rest of a footprint from its first item on that is memory of the program.
void Checkpointing::note_items(const char* task, std::span<const Access> items) noexcept {
  for (const Access& item : items) {
    if (item.is_block()) {
      checkpoint::Submission::Items blocks = course_->note_items();
      note_block(blocks, item);
      continue;
    }
    course_->note_item(item.region.row_bytes * item.region.rows, static_cast<unsigned>(item.mode));
    if (writes(item.mode)) course_->note_written(task, item.region);
  }
}

// One that was made in a task, and has ended in one, is of what that task does.
void Checkpointing::note_end(const data::Block& block) noexcept {
  if (block.program == nullptr || !block.written_outside) return;
  if (is_outside(state_)) return course_->note_given_back(block.name, block.program, span_of(block.layout));
  // Relaxed: as others_spawn_.
  if (block.made != 0) others_end_.store(true, std::memory_order_relaxed);
}

// ---- At a wait ----

std::vector<data::Block*> Checkpointing::blocks() const {
  std::vector<data::Block*> all = state_.blocks->live_blocks();
  std::sort(all.begin(), all.end(), [](const auto* one, const auto* other) { return one->made < other->made; });
  return all;
}

void Checkpointing::note_failure(const std::exception_ptr& failure) {
  if (!own_) course_->note_failure(text_of(failure));
}

void Checkpointing::at_wait(bool asked) {
  if (own_) return;
  const Own own(own_);
  // Relaxed: the half has been joined, unless it is of another thread.
  if (course_->restarting() && halves_spawn_.load(std::memory_order_relaxed)) course_->note_unrestored(kHalvesSpawn);
  if (value_or_throw(course_->arrive()) == Course::Next::restore) {
    try {
      return restore();
    } catch (...) {
      course_->note_unrestored(text_of(std::current_exception()));
      throw;
    }
  }
  if (!course_->restarting() && course_->writes() && (asked || course_->is_due())) write();
}

void Checkpointing::restore() {
  for (data::Block* const block : blocks()) {
    const Contents from = value_or_throw(course_->past().claim(block->made, block->name, block->bytes));
    runtime_.spawn(name("restart"), detail::block_item<Mode::out, std::byte>(block),
                   [from, block](std::span<std::byte> bytes) { read_block(from, *block, bytes.data()); });
  }
  ok_or_throw(course_->past().check_all_claimed());
  runtime_.wait();
  course_->end_restart();
  state_.restarts = false;
}

void Checkpointing::write() {
  // Relaxed: tasks of threads that spawn at the same time are in no checkpoint anyway.
  if (others_spawn_.load(std::memory_order_relaxed))
    course_->refuse("other threads than the one that made the runtime spawn tasks outside of tasks");
  if (halves_spawn_.load(std::memory_order_relaxed)) course_->refuse(kHalvesSpawn);  // Relaxed: as above.
  if (others_end_.load(std::memory_order_relaxed))                                   // Relaxed: as above.
    course_->refuse("a block of adopted memory has ended in a task, or in another thread, after tasks have written it");
  const std::vector<data::Block*> blocks = this->blocks();
  if (!blocks.empty() && blocks.front()->made == 0)
    course_->refuse(
        fmt::format("block {:?} was made in a task, or by another thread than the one that made the runtime",
                    blocks.front()->name));
  ok_or_throw(course_->possible());
  base::Status status = course_->begin();
  if (status) status = write_image(blocks);
  if (status) status = course_->publish();
  course_->restart_clock();
  if (!status) course_->give_up(status);
}

base::Status Checkpointing::write_image(const std::vector<data::Block*>& blocks) {
  std::vector<ImageItem> items;
  items.reserve(blocks.size());
  for (const data::Block* const block : blocks) items.push_back({block->made, block->bytes, block->name});
  base::Result<std::unique_ptr<ImageWriter>> opened = course_->open_image(std::move(items));
  if (!opened) return opened.status();
  ImageWriter& image = **opened;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    data::Block* const block = blocks[i];
    runtime_.spawn(
        name("checkpoint"), detail::block_item<Mode::in, const std::byte>(block),
        [&image, i, block](std::span<const std::byte> bytes) { write_block(image, i, *block, bytes.data()); });
  }
  runtime_.wait();
  return course_->finish_image(image);
}

}  // namespace weir::runtime

namespace weir {

bool Runtime::is_restarting() const noexcept { return state_->restarts; }

namespace detail {

checkpoint::Variables* kept_variables(Runtime& runtime) {
  RuntimeAccess::State& state = *RuntimeAccess::state(runtime);
  if (state.checkpointing == nullptr) return nullptr;
  if (!runtime::is_outside(state))
    throw Error("weir::Keep is made in a task, or by another thread than the one that made the runtime");
  return &state.checkpointing->variables();
}

std::size_t keep(checkpoint::Variables* variables, const char* name, void* memory, std::size_t bytes, Padding padding) {
  return runtime::value_or_throw(variables->keep(name != nullptr ? name : "", memory, bytes, padding));
}
void end_keep(checkpoint::Variables* variables, std::size_t number) noexcept { variables->forget(number); }

}  // namespace detail

}  // namespace weir
