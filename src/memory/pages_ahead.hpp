// SPDX-License-Identifier: Apache-2.0

// PagesAhead: the pages that a backing has beyond those that its arena counts as its own.
//
// One thread has the system clear pages that will be wanted; whoever grows the arena, under the lock of its owner,
// finds them there and waits for no kernel. Both ask the system, one at a time, and no more of it than it has to spare.
// Owned by the arena. docs/protocols/pages.md
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "memory/backing.hpp"

namespace weir::memory {

class PagesAhead {
 public:
  // `room`: how many bytes the system has to spare at the moment; any thread.
  PagesAhead(Backing& backing, std::function<std::size_t()> room) : backing_(backing), room_(std::move(room)) {}

  // ---- By the thread that prepares ----
  // Range by range, each from the end of the last one on, or from what the arena had when it was thought of. Waits for
  // the kernel. What the arena has by now stays as it is. A range that the system refuses is the last one.
  void prepare(std::size_t offset, std::size_t bytes) noexcept;

  // ---- By whoever grows the arena ----
  // Returns how many bytes from `begin` on, the end of what the arena has, have pages: `most`, or `least` or more of
  // that. Where they were not prepared, waits for the range that is being, and for the kernel. Fails with no_space
  // when there are no `least`; those that were prepared stay.
  base::Result<std::size_t> take(std::size_t begin, std::size_t least, std::size_t most);
  // The arena stays as it is: what was prepared from there on goes back to the system, and no more is.
  void give_back_from(std::size_t begin) noexcept;

 private:
  std::size_t ready_from(std::size_t begin) const noexcept;
  base::Result<std::size_t> ask(std::size_t begin, std::size_t least, std::size_t most) WEIR_REQUIRES(asking_);
  base::Status populate(std::size_t begin, std::size_t end) WEIR_REQUIRES(asking_);
  bool try_prepare(std::size_t begin, std::size_t end) WEIR_REQUIRES(asking_);

  Backing& backing_;
  const std::function<std::size_t()> room_;
  base::Mutex asking_;
  // Up to here there are pages, if the arena does not end behind it. Written under `asking_`; published to whoever
  // takes them.
  std::atomic<std::size_t> end_{0};
  std::size_t populated_ WEIR_GUARDED_BY(asking_) = 0;  // up to here whoever grows has asked
  bool closed_ WEIR_GUARDED_BY(asking_) = false;
};

}  // namespace weir::memory
