// SPDX-License-Identifier: Apache-2.0

// What events do: they are made, satisfied, and notify their dependents (objects/event.hpp).
//
// Any thread that has a Local, its own. All but the last functions return 0 or an error code.
#pragma once

#include <atomic>

#include "ocr/graph/local.hpp"

namespace weir::ocr {

namespace detail {
extern constinit std::atomic<bool> has_collective;
}  // namespace detail

u8 create_event(Local& local, Guid& guid, EventType type, std::uint16_t properties, const void* params);
// One of the library's, which fires once: no query of the program's shows it.
u8 create_own_event(Local& local, Guid& guid, std::uint16_t properties);
u8 destroy_event(Local& local, Guid guid);
u8 satisfy_event(Local& local, Guid event, std::uint32_t slot, Guid block);
// An event of this rank has refused, with that code, what a dependence brought: that is lost, and standard error says
// so. One that is gone needs it no more.
void tell_lost(Guid event, std::uint32_t slot, u8 code) noexcept;
// With what another event has brought. A block that was destroyed since is passed on: who acquires it gets none.
u8 pass_to_event(Local& local, Guid event, std::uint32_t slot, Guid block);
// Whether a block, or what another event brings, may go to that slot of events of this rank: only a latch has a second
// one, and a collective event takes none. 0 or a code.
u8 check_slot_slow(Guid event, std::uint32_t slot) noexcept;
inline u8 check_slot(Guid event, std::uint32_t slot) noexcept {
  // Relaxed: who knows of a collective event knows that it was made.
  const bool is_usual = slot == 0 && !detail::has_collective.load(std::memory_order_relaxed);
  return is_usual ? u8{0} : check_slot_slow(event, slot);
}
// The node becomes a dependent of the event's output, or is notified at once. `output`: of several, see collective.hpp.
u8 add_dependent(Local& local, Guid event, Node node, std::uint32_t output = 0);
// The same; where the event is that of a label and is not made, the node waits for the next one.
u8 add_dependent_or_await(Local& local, Guid event, Node node, std::uint32_t output = 0);

// The EDT's output event gets what the EDT returned: a block, an event that is to fire first, or nothing.
void forward_output(Local& local, const Edt& edt);
// The output event, not known to others yet, of an EDT without an open slot: that may have ended before the EDT that
// makes it, `run`, links anything to the event. So the event stays, satisfied, until `run` ends, or has made many more.
void keep_output(Local& local, Run& run, Guid output);
// `run` ends.
void forget_outputs(Local& local, Run& run);

// Notifies nodes, oldest first, and all that fires by it, without recursion.
void notify(Local& local, NodeList nodes, Guid block);
Node make_link(Local& local, Guid target, std::uint32_t slot);

// What an event has besides its own memory is given up. The dependents are not looked at: they went with the runtime.
void free_extra(Event& event) noexcept;

}  // namespace weir::ocr
