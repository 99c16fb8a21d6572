// SPDX-License-Identifier: Apache-2.0

// Tasks as their creator sees them: attributes given to spawn(), and the handle it returns.
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weir/detail/spawn.hpp"

namespace weir {

// A task that was spawned, and its result of type R when R is not void.
//
// A Handle<void> is two words and costs nothing to drop; it stays valid, as "finished", after the task's memory was
// used again. A Handle<R> shares ownership of the result. Any thread may hold, copy and wait for one, as long as the
// runtime lives. A default-made handle refers to no task and counts as finished.
template <class R = void>
class Handle {
 public:
  Handle() = default;
  Handle(const Handle& other) noexcept : ref_(other.ref_), result_(other.result_) {
    if (result_ != nullptr) result_->retain();
  }
  Handle(Handle&& other) noexcept : ref_(other.ref_), result_(std::exchange(other.result_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(ref_, other.ref_);
    std::swap(result_, other.result_);
    return *this;
  }
  ~Handle() {
    if (result_ != nullptr) result_->release();
  }

  // True once the task and all its children have ended, were cancelled, or failed. Never blocks.
  bool finished() const noexcept { return detail::is_finished(ref_); }

  // Waits as wait(handle) does, and throws as it does, then gives the result. The reference is valid while a handle to
  // the task exists. Throws what the task has thrown, on any thread and each time, also when wait() has thrown it;
  // and weir::Error when there is no result for another reason: the task was cancelled, or skipped after a restart.
  R& get() const {
    detail::wait_for(ref_);
    return detail::result_or_throw(result_);
  }

 private:
  friend struct detail::HandleAccess;
  Handle(detail::TaskRef ref, detail::ResultCell<R>* result) noexcept : ref_(ref), result_(result) {}

  detail::TaskRef ref_;
  detail::ResultCell<R>* result_ = nullptr;
};

template <>
class Handle<void> {
 public:
  Handle() = default;
  template <class R>
  Handle(const Handle<R>& other) noexcept;  // forgets the result

  // As above.
  bool finished() const noexcept { return detail::is_finished(ref_); }

 private:
  friend struct detail::HandleAccess;
  explicit Handle(detail::TaskRef ref) noexcept : ref_(ref) {}

  detail::TaskRef ref_;
};

namespace detail {
struct HandleAccess {
  template <class R>
  static TaskRef ref(const Handle<R>& handle) noexcept {
    return handle.ref_;
  }
  static Handle<void> make(TaskRef ref) noexcept { return Handle<void>(ref); }
  template <class R>
  static Handle<R> make(TaskRef ref, ResultCell<R>* cell) noexcept {
    return Handle<R>(ref, cell);
  }
};
}  // namespace detail

namespace detail {
template <class T>
struct ResultOfHandle {};
template <class R>
struct ResultOfHandle<Handle<R>> {
  using Result = R;
};
// Of a range of Handle<R>: R.
template <class Range>
using ResultOfHandles =
    typename ResultOfHandle<std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>>::Result;
template <class Range>
concept HandleRange = requires(const Range& range) {
  typename ResultOfHandles<Range>;
  std::size(range);
};
}  // namespace detail

template <class R>
Handle<void>::Handle(const Handle<R>& other) noexcept : ref_(detail::HandleAccess::ref(other)) {}

// Attributes of a task, given to spawn() before the callable, in any order, in addition to the footprint.

// A name for messages, traces and reports. The text must live as long as the runtime: use a literal.
inline detail::Name name(const char* text) noexcept { return {text}; }

// Urgent tasks are taken before all others in their domain, background tasks when nothing else is ready there.
// A priority orders ready tasks; it never overrides a dependence and never interrupts a running task.
enum class Priority : std::uint8_t { normal, urgent, background };

// Runs the task in this domain: the index of one of Runtime::domain_count() domains. Binding under policy numa, a
// preference that a thief may overrule under near and flat. spawn() throws weir::Error when there is no such domain.
inline detail::OnDomain on_domain(int index) noexcept {
  return {index != -1 ? index : detail::kNoSuchDomain};  // -1 is what a task has that asks for none
}

// The task starts after `handle`'s task has finished, in addition to what its footprint says. Any handle of this
// runtime.
template <class R>
detail::After after(const Handle<R>& handle) noexcept {
  return {detail::HandleAccess::ref(handle)};
}
// After all tasks of a contiguous range of handles, as a std::vector<Handle<R>>, which is read while spawn() runs.
template <detail::HandleRange Range>
auto after(const Range& handles) noexcept {
  return detail::AfterRange<detail::ResultOfHandles<Range>>{{std::data(handles), std::size(handles)}};
}

}  // namespace weir
