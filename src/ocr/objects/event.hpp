// SPDX-License-Identifier: Apache-2.0

// Event: a source of dependences. What its types do is in event.cpp, channels and collective events in files of their
// own.
//
// Dependents are a list of nodes, oldest first: slots of EDTs, which lie in the EDT and cost nothing, links to other
// events, and waiting threads. A node is one word: its address, and in the low bits what it is. All fields are guarded
// by the lock in `word`; dependents are told after it was given up.
#pragma once

#include <atomic>
#include <cstdint>

#include "ocr/objects/edt.hpp"
#include "ocr/objects/guid.hpp"
#include "ocr/objects/object.hpp"

namespace weir::sched {
class Worker;
}

namespace weir::check {
class Cause;
}

namespace weir::ocr {

struct Local;
struct Channel;
struct Collective;

enum class EventType : std::uint8_t { none, once, idem, sticky, latch, counted, channel, collective };

using Node = std::uintptr_t;  // 0: none
inline constexpr Node kSlotNode = 0, kLinkNode = 1, kWaiterNode = 2, kNodeMask = 3;

// From an event to a slot of another.
struct Link {
  Node next;
  Guid target;
  std::uint32_t slot;
  Guid block;  // once the source has fired
};

// A thread in ocrLegacyBlockProgress(). Who satisfies the event also says that it waits no more: it may take a while to
// notice. When the program ends before, the waiter stays, since the event knows it.
struct EventWaiter {
  Node next = 0;
  Guid block;
  sched::Worker* worker = nullptr;
  bool in_edt = false;
  const check::Cause* cause = nullptr;  // that it was satisfied, for the checker
  std::atomic<bool> done{false};        // WAKE-1: release by who satisfies the event, acquire by the waiter
};

struct NodeList {
  Node first = 0, last = 0;
};

struct Event {
  ObjectWord word;
  EventType type;
  bool fired;
  bool kept;  // once: it stays, fired or not, until the EDT ends whose Run knows it
  NodeList dependents;
  Guid payload;        // once fired
  std::int64_t count;  // latch: increments less decrements; counted: dependences still to come
  const EdtKind* maker;
  union {
    Event* next_free;
    Event* next_kept;
    Channel* channel;
    Collective* collective;
  };
};
static_assert(sizeof(Event) <= 64);

// ---- For the other chapters. All return 0 or an error code. ----

u8 create_event(Local& local, Guid& guid, EventType type, std::uint16_t properties, const void* params);
u8 destroy_event(Local& local, Guid guid);
u8 satisfy_event(Local& local, Guid event, std::uint32_t slot, Guid block);
// The node becomes a dependent of the event's output, or is told at once. `output`: of several, see collective.hpp.
u8 add_dependent(Local& local, Guid event, Node node, std::uint32_t output = 0);
bool event_exists(Guid guid) noexcept;
// The EDT's output event gets what the EDT returned: a block, an event that is to fire first, or nothing.
void forward_output(Local& local, const Edt& edt);
// The output event, not known to others yet, of an EDT without an open slot: that may have ended before the EDT that
// makes it, `run`, links anything to the event. So the event stays, satisfied, until `run` ends, or has made many more.
void keep_output(Local& local, Run& run, Guid output);
// `run` ends.
void forget_outputs(Local& local, Run& run);

// What the waiter waits for has come.
void wake(EventWaiter& waiter, Guid block) noexcept;
// Tells nodes, oldest first, and all that fires by it, without recursion.
void tell(Local& local, NodeList nodes, Guid block);
Node link_node(Local& local, Guid target, std::uint32_t slot);
void free_link(Local& local, Link& link) noexcept;
inline Node slot_node(Slot& slot) noexcept { return reinterpret_cast<Node>(&slot) | kSlotNode; }
inline Node waiter_node(EventWaiter& waiter) noexcept { return reinterpret_cast<Node>(&waiter) | kWaiterNode; }

inline Node& next_of(Node node) noexcept {
  switch (node & kNodeMask) {
    case kLinkNode: return reinterpret_cast<Link*>(node & ~kNodeMask)->next;
    case kWaiterNode: return reinterpret_cast<EventWaiter*>(node & ~kNodeMask)->next;
    default: return reinterpret_cast<Slot*>(node)->value;
  }
}
void append(NodeList& list, Node node) noexcept;
Node pop_front(NodeList& list) noexcept;  // the list is not empty

// What an event has beside its own memory is given up; called once its GUID is dead.
void free_event(Local& local, Event& event) noexcept;
// The same, but the dependents are not looked at: they went with the runtime.
void free_extra(Event& event) noexcept;

}  // namespace weir::ocr
