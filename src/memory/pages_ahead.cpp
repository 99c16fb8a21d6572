// SPDX-License-Identifier: Apache-2.0

#include "memory/pages_ahead.hpp"

#include <algorithm>
#include <new>

#include "base/check.hpp"

namespace weir::memory {

void PagesAhead::prepare(std::size_t offset, std::size_t bytes) noexcept {
  const base::Lock lock(asking_);
  const std::size_t begin = std::max(offset, populated_), end = offset + bytes;
  if (closed_ || begin >= end) return;
  // Relaxed: it is written under the mutex.
  WEIR_CHECK(begin >= end_.load(std::memory_order_relaxed), "pages are prepared in the order of their offsets");
  try {
    closed_ = !try_prepare(begin, end);
  } catch (const std::bad_alloc&) {  // for what the system says of its limits
    closed_ = true;
  }
}

// One that was refused leaves a gap, over which no later range may reach.
bool PagesAhead::try_prepare(std::size_t begin, std::size_t end) {
  if (room_() < end - begin) return false;
  if (!backing_.prepare(begin, end - begin)) {
    backing_.release(begin, end - begin);  // some pages may have come, and are nobody's
    return false;
  }
  // PAGES-1: release; the pages are there for whoever sees it. Pairs with ready_from().
  end_.store(end, std::memory_order_release);
  return true;
}

// PAGES-1: acquire; pairs with try_prepare(). An earlier end is right, too: the rest is asked for.
std::size_t PagesAhead::ready_from(std::size_t begin) const noexcept {
  return std::max(end_.load(std::memory_order_acquire), begin) - begin;
}

base::Result<std::size_t> PagesAhead::take(std::size_t begin, std::size_t least, std::size_t most) {
  if (const std::size_t ready = ready_from(begin); ready >= least) return std::min(ready, most);
  const base::Lock lock(asking_);
  return ask(begin, least, most);
}

// What is prepared is in use already, and no limit has to be asked for it.
base::Result<std::size_t> PagesAhead::ask(std::size_t begin, std::size_t least, std::size_t most) {
  const std::size_t ready = ready_from(begin);
  if (ready >= least) return std::min(ready, most);
  const std::size_t step = std::min(most, ready + std::min(most, room_()));
  if (step < least) return base::Status{base::Code::no_space, ""};
  base::Status status = populate(begin, begin + step);
  if (status) return step;
  if (step > least) status = populate(begin, begin + least);
  if (!status) return status;
  return least;
}

base::Status PagesAhead::populate(std::size_t begin, std::size_t end) {
  const std::size_t missing = begin + ready_from(begin);
  base::Status status = missing < end ? backing_.populate(missing, end - missing) : base::Status::success();
  if (status) populated_ = end;
  return status;
}

void PagesAhead::give_back_from(std::size_t begin) noexcept {
  const base::Lock lock(asking_);
  closed_ = true;
  // Relaxed: it is written under the mutex, and whoever grows the arena alone reads it without.
  const std::size_t prepared = end_.load(std::memory_order_relaxed);
  if (prepared <= begin) return;
  backing_.release(begin, prepared - begin);
  end_.store(begin, std::memory_order_relaxed);
}

}  // namespace weir::memory
