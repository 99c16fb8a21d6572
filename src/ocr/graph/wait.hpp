// SPDX-License-Identifier: Apache-2.0

// Threads that wait for an event, or for a label's object: how they wait, and how they are woken.
#pragma once

#include <memory>

#include "ocr/graph/local.hpp"
#include "ocr/observe/waits.hpp"

namespace weir::ocr {

// A waiter of the calling thread, counted as waiting from now on. Throws std::bad_alloc.
std::unique_ptr<EventWaiter> make_waiter(Local& local);
// Waits, while others run EDTs, until the waiter is done or the program ends. False: it does, and the waiter is kept
// until forget_left_waiters(), since the event knows it. `of`: what reports say that it waits for.
bool wait_for(Local& local, std::unique_ptr<EventWaiter>& waiter, const WaitedFor& of);
// What the waiter waits for has come. Any thread.
void wake(EventWaiter& waiter, Guid block) noexcept;
// No thread knows any event any more.
void forget_left_waiters() noexcept;

}  // namespace weir::ocr
