// SPDX-License-Identifier: Apache-2.0

// Frames: what a worker's thread executes, from the outermost on: outside of tasks, a task, what runs on top of it.
//
// Part of the worker, whose thread changes them; any thread may look (docs/protocols/gates.md).
#pragma once

#include <cstdint>
#include <utility>

#include "base/shown.hpp"
#include "sched/scope.hpp"

namespace weir::sched {

struct Task;

// A task, the stolen half of a fork_join() (task null), or nothing (the thread is outside of tasks, task null and outer
// null). The worker's for ever: a frame is used again by what runs at its depth.
struct Frame {
  base::Shown<Task*> task = nullptr;
  base::Shown<Scope*> children = nullptr;  // opened at the first spawn; null again when the frame is left
  // Condition::subject() while it runs others in the meantime; 0: it does not wait.
  base::Shown<std::uintptr_t> waits_for = 0;
  Frame* outer = nullptr;
  base::Shown<Frame*> inner = nullptr;  // of what runs on top of it; null: none ever has
};

class Frames {
 public:
  Frames() noexcept : innermost_(&root_) {}
  ~Frames() {
    delete root_.children;
    for (Frame* frame = root_.inner; frame != nullptr;) delete std::exchange(frame, static_cast<Frame*>(frame->inner));
  }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  // ---- The worker's thread ----
  Frame& innermost() noexcept { return *innermost_; }
  bool is_in_task() const noexcept { return innermost_ != &root_; }
  const Frame& root() const noexcept { return root_; }
  Frame& enter(Task* task) noexcept {
    Frame* frame = innermost_->inner;
    if (frame == nullptr) [[unlikely]]
      frame = &add();
    frame->task = task;
    innermost_ = frame;
    return *frame;
  }
  void leave(const Frame& frame) noexcept { innermost_ = frame.outer; }

  // ---- Any thread ----
  // Calls f(const Frame&) from the outermost on; each may be another one by then.
  template <class F>
  void for_each(F&& f) const {
    const Frame* const last = innermost_.seen();
    for (const Frame* frame = &root_; frame != nullptr; frame = frame->inner.seen()) {
      f(*frame);
      if (frame == last) return;
    }
  }
  // In a task that does not wait.
  bool run_task() const noexcept {
    const Frame* const frame = innermost_.seen();
    return frame->task.seen() != nullptr && frame->waits_for.seen() == 0;
  }

 private:
  [[gnu::noinline]] Frame& add() noexcept {
    auto* const frame = new Frame;  // no memory for it: the end, as for the stack that it stands for
    frame->outer = innermost_;
    innermost_->inner = frame;
    return *frame;
  }

  base::Shown<Frame*> innermost_;
  Frame root_;
};

}  // namespace weir::sched
