// SPDX-License-Identifier: Apache-2.0

// Waiting for labels: dependences from objects that are not made yet, and threads that wait until a label's object is
// made, or given up. Any thread.
//
// LABEL-1  who waits enters itself, heavy_barrier(), and looks at the object once more; who makes or gives up an object
//          of a label does so, light_barrier(), and reads how many wait. One of the two sees the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "ocr/objects/event.hpp"
#include "ocr/objects/guid.hpp"
#include "platform/barrier.hpp"

namespace weir::ocr {

struct Local;

namespace detail {
extern constinit std::atomic<std::uint64_t> label_waits;  // LABEL-1
void label_made_slow(Local& local, Guid label);
void label_left_slow(Guid label) noexcept;
}  // namespace detail

// A label of an event or a data block, in a range that was not destroyed, that has no object now.
bool is_unmade(Guid label) noexcept;

// The node, a slot's or a link's, becomes a dependent of the label's object when that is made. False: it is there
// already. `output`: as for add_dependent(). Throws std::bad_alloc.
[[nodiscard]] bool try_await_object(Guid label, Node node, std::uint32_t output);

// The object of the label has been made; its lock was given up.
inline void label_made(Local& local, Guid label) {
  platform::light_barrier();  // LABEL-1
  if (detail::label_waits.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::label_made_slow(local, label);
}
// It has been given up: another may be made.
inline void label_left(Guid label) noexcept {
  platform::light_barrier();  // LABEL-1
  if (detail::label_waits.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::label_left_slow(label);
}

// A thread that looks at a label's object again whenever one is made or given up. Make one, look, then wait().
class LabelWait {
 public:
  // Throws std::bad_alloc.
  LabelWait(Local& local, Guid label);
  ~LabelWait();
  LabelWait(const LabelWait&) = delete;
  LabelWait& operator=(const LabelWait&) = delete;
  // Once. False: the program ends.
  [[nodiscard]] bool wait();

 private:
  void leave() noexcept;

  const Guid label_;
  const bool in_edt_;
  EventWaiter* const entered_;
  std::unique_ptr<EventWaiter> waiter_;  // null: the System keeps it, since the program ends
};

// For who explains: calls f with the label and the node of each that waits for an object.
void for_each_awaited(const std::function<void(Guid label, Node node)>& f);
// The runtime is gone, and all that waited.
void forget_label_waits() noexcept;

}  // namespace weir::ocr
