// SPDX-License-Identifier: Apache-2.0

#include "island/runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>

#include "island/footprint.hpp"
#include "island/step.hpp"
#include "platform/clock.hpp"

namespace weir::island {

namespace {

std::atomic<bool> the_worker{false};        // read by threads that a task has made
thread_local Runner* the_runner = nullptr;  // of the task that this thread runs

// A letter's bytes as the struct that was copied into them.
template <class T>
T read(std::span<const std::byte> bytes, std::size_t at) noexcept {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

void detail::submit_child(const Callable& callable, std::span<const Access> footprint, const char* name) {
  if (the_runner == nullptr) {
    throw Error(
        "weir::island::spawn() outside of a task on an island, or on a thread that it has made: the program's tasks "
        "are "
        "made by Master::spawn()");
  }
  the_runner->spawn(callable, footprint, name, __builtin_return_address(0));
}

bool in_worker() noexcept { return the_worker; }
void become_worker() noexcept { the_worker = true; }

Done Runner::run(std::span<const std::byte> letter, std::string& thrown) {
  Done done{};
  done.taken = platform::ticks();
  const auto head = read<TaskHead>(letter, 0);
  open(head, letter.subspan(sizeof head));
  for_each_line(Mode::in,
                [&](const void* data, std::size_t bytes) { invalidate(Step::footprint_fresh, memory_, data, bytes); });
  done.fresh = platform::ticks();
  call(head, done, thrown);
  done.ended = platform::ticks();
  for_each_line(Mode::out, [&](const void* data, std::size_t bytes) {
    write_back(Step::footprint_written, memory_, data, bytes);
  });
  if (!checked_.empty()) done.unwritten = memory_.find_unwritten(checked_.data(), checked_.size());
  done.written = platform::ticks();
  return done;
}

// Of the footprint, or only of what the task writes.
template <class F>
void Runner::for_each_line(Mode mode, F f) {
  if (!memory_.moves_lines()) return f(memory_.data(), kLine);
  for (const Access& access : footprint_)
    if (!writes(mode) || writes(access.mode)) for_each_run(access.region, f);
}

void Runner::call(const TaskHead& head, Done& done, std::string& thrown) {
  const bool before = the_worker.exchange(true);
  the_runner = this;
  thrown.clear();
  children_.clear();
  try {
    const detail::Invoke invoke = codes_.find(head.invoke);
    if (invoke == nullptr) {
      throw Error(
          fmt::format("its code is of the program or library with build id {}..., which process {} has not loaded: a "
                      "worker runs the same files as its master",
                      object_text(head.invoke.object), ::getpid()));
    }
    invoke(function_, footprint_.data());
  } catch (const std::exception& error) {
    done.failed = 1;
    thrown = error.what();
  } catch (...) {
    done.failed = 1;
    thrown = "an exception that is no std::exception";
  }
  the_worker = before;
  the_runner = nullptr;
  if (done.failed != 0) children_.clear();
  done.children_bytes = children_.bytes().size();
  thrown.resize(std::min(thrown.size(), kTextBytes));
  done.text_bytes = static_cast<std::uint32_t>(thrown.size());
}

// Footprint and callable out of the letter, or of where the letter says.
void Runner::open(const TaskHead& head, std::span<const std::byte> rest) {
  if (head.spilled != nullptr) {
    invalidate(Step::spilled_fresh, memory_, head.spilled, head.spilled_bytes);
    rest = {head.spilled, head.spilled_bytes};
  }
  footprint_.resize(head.items);
  for (std::uint32_t i = 0; i < head.items; ++i) {
    const auto item = read<Item>(rest, i * sizeof(Item));
    footprint_[i].region = item.region;
    footprint_[i].mode = static_cast<Mode>(item.mode);
  }
  const std::span<const std::byte> function = rest.subspan(head.items * sizeof(Item));
  if (head.function_bytes > small_.bytes.size()) {
    large_.resize(head.function_bytes / sizeof(Aligned) + 1);
    function_ = large_.data();
  } else {
    function_ = small_.bytes.data();
  }
  std::copy_n(function.data(), head.function_bytes, static_cast<std::byte*>(function_));
}

}  // namespace weir::island
