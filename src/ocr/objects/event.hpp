// SPDX-License-Identifier: Apache-2.0

// Event: a source of dependences. What its types do is in graph/event.cpp, channels and collective events in files of
// their own.
//
// Dependents are a list of nodes, oldest first: slots of EDTs, which lie in the EDT and cost nothing, links to other
// events, and waiting threads. A node is one word: its address, and in the low bits what it is. All fields are guarded
// by the lock in `word`; dependents are notified after it was given up.
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

class Program;
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

// A thread in ocrLegacyBlockProgress(). The thread that satisfies the event also counts it out of those that wait: it
// may take a while to notice. When the program ends before, the waiter stays, since the event knows it.
struct EventWaiter {
  EventWaiter(Program& p, sched::Worker* w, bool in) noexcept : program(p), worker(w), in_edt(in) {}

  Node next = 0;
  Guid block;
  Block* held = nullptr;  // that block, or a copy of it, in mode RW for the waiter (edts/look_into.hpp)
  Program& program;
  sched::Worker* const worker;
  const bool in_edt;
  const check::Cause* cause = nullptr;  // that it was satisfied, for the checker
  std::atomic<bool> done{false};        // WAKE-1: release where the event is satisfied, acquire by the waiter
  std::atomic<bool> is_lost{false};     // the event was destroyed, and nothing satisfies it; relaxed: for reports
};

struct NodeList {
  Node first = 0, last = 0;
};

struct Event {
  ObjectWord word;
  EventType type;
  bool fired;
  bool kept;  // once: it stays, fired or not, until the EDT ends whose Run knows it
  bool own;   // of the library: a thread waits by it for what is on another rank
  NodeList dependents;
  Guid payload;         // once fired
  std::uint64_t count;  // latch: increments less decrements, modulo 2^64; counted: dependences still to come
  const EdtKind* maker;
  union {
    Event* next_free;
    Event* next_kept;
    Channel* channel;
    Collective* collective;
  };
};
static_assert(sizeof(Event) <= 64);

inline Node slot_node(Slot& slot) noexcept { return reinterpret_cast<Node>(&slot) | kSlotNode; }
inline Node link_node(Link& link) noexcept { return reinterpret_cast<Node>(&link) | kLinkNode; }
inline Node waiter_node(EventWaiter& waiter) noexcept { return reinterpret_cast<Node>(&waiter) | kWaiterNode; }
inline bool is_slot(Node node) noexcept { return (node & kNodeMask) == kSlotNode; }
inline bool is_link(Node node) noexcept { return (node & kNodeMask) == kLinkNode; }
inline bool is_waiter(Node node) noexcept { return (node & kNodeMask) == kWaiterNode; }
// What a node is of that kind.
inline Slot& slot_of(Node node) noexcept { return *reinterpret_cast<Slot*>(node); }  // whose low bits are 0
inline Link& link_of(Node node) noexcept { return *reinterpret_cast<Link*>(node & ~kNodeMask); }
inline EventWaiter& waiter_of(Node node) noexcept { return *reinterpret_cast<EventWaiter*>(node & ~kNodeMask); }

inline Node& next_of(Node node) noexcept {
  switch (node & kNodeMask) {
    case kLinkNode: return link_of(node).next;
    case kWaiterNode: return waiter_of(node).next;
    default: return slot_of(node).value;
  }
}
inline void append(NodeList& list, Node node) noexcept {
  next_of(node) = 0;
  (list.first == 0 ? list.first : next_of(list.last)) = node;
  list.last = node;
}

// The list is not empty.
inline Node pop_front(NodeList& list) noexcept {
  const Node node = list.first;
  list.first = next_of(node);
  if (list.first == 0) list.last = 0;
  return node;
}

}  // namespace weir::ocr
