// SPDX-License-Identifier: Apache-2.0

// Events of the types once, idempotent, sticky, latch and counted, and how dependents are notified.
#include "ocr/graph/event.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ocr/graph/awaited.hpp"
#include "ocr/graph/channel.hpp"
#include "ocr/graph/collective.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/graph/params.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/graph/wait.hpp"
#include "ocr/objects/label.hpp"
#include "ocr/observe/checking.hpp"
#include "ocr/observe/complain.hpp"

namespace weir::ocr {

// Whether there has ever been a collective event in this process; relaxed: see check_slot().
constinit std::atomic<bool> detail::has_collective{false};

namespace {

void notify_one(Local& local, Node node, Guid block) {
  switch (node & kNodeMask) {
    case kLinkNode: {
      Link& link = link_of(node);
      link.block = block;
      if (checking::active()) [[unlikely]]
        checking::keep_cause(link);
      append(local.work, node);
      return;
    }
    case kWaiterNode: return wake(waiter_of(node), block);
    default: satisfy(local, slot_of(node), block);
  }
}

// What satisfying a locked event leads to; it is unlocked when this returns, and may be gone.
struct Fired {
  u8 code = 0;
  NodeList nodes;
  Guid block;
};

// The event fires and is destroyed.
Fired fire_and_die(Local& local, Event& event, Guid block) noexcept {
  const Fired fired{0, std::exchange(event.dependents, {}), block};
  retire(local, events(), local.events, event);
  return fired;
}

Fired fire_and_stay(Event& event, Guid block) noexcept {
  event.fired = true;
  event.payload = block;
  const Fired fired{0, std::exchange(event.dependents, {}), block};
  event.word.unlock();
  return fired;
}

Fired refuse(Event& event, u8 code) noexcept {
  event.word.unlock();
  return {code, {}, {}};
}

Fired satisfy_latch(Local& local, Event& event, std::uint32_t slot) noexcept {
  if (slot > OCR_EVENT_LATCH_INCR_SLOT) return refuse(event, OCR_EINVAL);
  slot == OCR_EVENT_LATCH_INCR_SLOT ? ++event.count : --event.count;
  if (event.count == 0) return fire_and_die(local, event, {});
  return refuse(event, 0);
}

Fired satisfy_channel(Event& event, Guid block) {
  const std::unique_lock lock(event.word, std::adopt_lock);
  Node ready = 0;
  const u8 code = channel_satisfied(event, block, ready);
  return {code, {ready, ready}, block};
}

Fired satisfy_locked(Local& local, Event& event, std::uint32_t slot, Guid block) {
  if (event.type == EventType::latch) return satisfy_latch(local, event, slot);
  if (slot != 0) return refuse(event, OCR_EINVAL);
  switch (event.type) {
    case EventType::once:
      if (event.fired) return refuse(event, OCR_EINVAL);  // as if it were gone
      return event.kept ? fire_and_stay(event, block) : fire_and_die(local, event, block);
    case EventType::channel: return satisfy_channel(event, block);
    case EventType::counted:
      if (!event.fired && event.count == 0) return fire_and_die(local, event, block);
      [[fallthrough]];
    case EventType::sticky: return event.fired ? refuse(event, OCR_EPERM) : fire_and_stay(event, block);
    case EventType::idem: return event.fired ? refuse(event, 0) : fire_and_stay(event, block);
    default: return refuse(event, OCR_EINVAL);  // a collective event takes values, not blocks
  }
}

// A dependence comes to a locked event that is neither channel nor collective. True: it has fired, `block` is set.
bool add_locked(Local& local, Event& event, Node node, Guid& block) noexcept {
  const bool last = event.type == EventType::counted && event.count != 0 && --event.count == 0;
  if (!event.fired) {
    append(event.dependents, node);
    event.word.unlock();
    return false;
  }
  block = event.payload;
  if (last)
    retire(local, events(), local.events, event);
  else
    event.word.unlock();
  return true;
}

// The generation of a channel that the next satisfaction is of, before it comes.
std::uint64_t next_satisfied(const Event& event) noexcept {
  return event.type == EventType::channel ? event.channel->met + event.channel->satisfied.size() : 0;
}
// The generation that a dependence is of which finds itself satisfied.
std::uint64_t next_dependent(const Event& event, std::uint32_t output) noexcept {
  if (event.type == EventType::channel) return event.channel->met;
  if (event.type != EventType::collective || output >= event.collective->contributors) return 0;
  return event.collective->dependent[output];
}

void note_satisfied(const Local& local, Guid event, std::uint64_t generation, Guid block) {
  checking::satisfied(event, generation);
  checking::used(local, block);
}

bool valid_block(Guid guid) noexcept { return guid.is_null() || may_be_block(guid); }

}  // namespace

Node make_link(Local& local, Guid target, std::uint32_t slot) {
  Link& link = local.links.take();
  link = {0, target, slot, {}};
  if (checking::active()) [[unlikely]]
    checking::needed_by(link);
  return link_node(link);
}

void notify(Local& local, NodeList nodes, Guid block) {
  while (nodes.first != 0) notify_one(local, pop_front(nodes), block);
  if (local.notifying) return;  // the loop below goes on with what was added
  local.notifying = true;
  while (local.work.first != 0) {
    Link& link = link_of(pop_front(local.work));
    const Link copy = link;
    const checking::Because cause(link);
    local.links.give(link);
    if (is_far_slot(copy)) [[unlikely]]
      satisfy_far_slot(far_slot_of(copy), copy.block);
    else if (const u8 code = pass_to_event(local, copy.target, copy.slot, copy.block)) [[unlikely]]
      tell_lost(copy.target, copy.slot, code);
  }
  local.notifying = false;
}

// ---- Life ----

namespace {

// What an event has besides the common fields. False: the parameters have no meaning.
struct Extra {
  std::uint64_t count = 0;
  std::unique_ptr<Channel> channel;
  std::unique_ptr<Collective> collective;
};
bool make_extra(EventType type, const void* params, Extra& extra) {
  switch (type) {
    case EventType::latch:
      if (params != nullptr) extra.count = latch_counter(params);
      return true;
    case EventType::counted:
      if (params != nullptr) extra.count = counted_dependences(params);
      return extra.count != 0;
    case EventType::channel: return (extra.channel = make_channel(params)) != nullptr;
    case EventType::collective: return (extra.collective = make_collective(params)) != nullptr;
    default: return true;
  }
}

// An event with the common fields, locked until event_made(). 0 or a code.
[[gnu::always_inline]] inline u8 make_event(Local& local, Guid& guid, EventType type, std::uint16_t properties,
                                            Event*& event) {
  if (const u8 code = make_object(local, events(), local.events, Kind::event, properties, guid, event)) return code;
  event->type = type;
  event->fired = false;
  event->kept = false;
  event->own = false;
  event->dependents = {};
  event->count = 0;
  event->maker = local.maker();
  return 0;
}

// Of an event that is locked and new, so that nothing has satisfied it: the node becomes a dependent. 0 or a code.
u8 add_to_new(Event& event, Node node, std::uint32_t output) {
  Guid block;
  if (event.type == EventType::collective) {
    bool ready = false;
    return collective_dependent(event, node, output, ready, block);
  }
  if (output != 0) return OCR_EINVAL;
  if (event.type == EventType::channel) {
    Node ready = 0;
    return channel_dependent(event, node, ready, block);
  }
  if (event.type == EventType::counted && event.count != 0) --event.count;
  append(event.dependents, node);
  return 0;
}

// A dependence from a label that the object made under it cannot have. A slot is satisfied by nothing, and standard
// error says so.
void refuse_awaiting(Local& local, Node node, Guid label) {
  if (is_link(node)) return local.links.give(link_of(node));
  Slot& slot = slot_of(node);
  complain(Edt::of(slot), "depends on the event of a label that has no room for it, or no such output", label);
  satisfy(local, slot, {});
}

// What has waited for the label depends on its event before anything can find and satisfy that.
[[gnu::noinline]] void labelled_event_made(Local& local, Event& event, Guid label) {
  std::vector<Awaiting> refused;
  if (are_labels_awaited()) {
    std::unique_lock lock(event.word, std::adopt_lock);
    refused = take_awaiting(label);
    std::erase_if(refused, [&](const Awaiting& each) { return add_to_new(event, each.node, each.output) == 0; });
    lock.release();
  }
  object_made(local, event, label);
  for (const Awaiting& each : refused) refuse_awaiting(local, each.node, label);
}

// From here on others find the event.
[[gnu::always_inline]] inline void event_made(Local& local, Event& event, Guid guid) {
  if (guid.is_label()) [[unlikely]]
    return labelled_event_made(local, event, guid);
  object_made(local, event, guid);
}

// make_event() has given that code: a label's event may be another rank's to make, or be there already.
[[gnu::noinline]] u8 make_elsewhere(Local& local, Guid& guid, EventType type, std::uint16_t properties,
                                    const void* params, u8 code) {
  // All contributors may make the event that they share, each for its own policy domain: here that is one.
  const bool shared = type == EventType::collective && (properties & GUID_PROP_CHECK) == GUID_PROP_IS_LABELED;
  if (code == OCR_EINVAL && is_far(guid)) return create_far_event(local, guid, type, properties, params);
  return code == OCR_EGUIDEXISTS && shared ? 0 : code;
}

[[gnu::noinline]] u8 create_with_extra(Local& local, Guid& guid, EventType type, std::uint16_t properties,
                                       const void* params) {
  Extra extra;
  if (!make_extra(type, params, extra)) return OCR_EINVAL;
  if (type == EventType::collective) detail::has_collective.store(true, std::memory_order_relaxed);  // check_slot()
  Event* event = nullptr;
  if (const u8 code = make_event(local, guid, type, properties, event))
    return make_elsewhere(local, guid, type, properties, params, code);
  event->count = extra.count;
  if (extra.channel != nullptr) event->channel = extra.channel.release();
  if (extra.collective != nullptr) event->collective = extra.collective.release();
  event_made(local, *event, guid);
  return 0;
}

}  // namespace

u8 create_event(Local& local, Guid& guid, EventType type, std::uint16_t properties, const void* params) {
  if (type >= EventType::latch) return create_with_extra(local, guid, type, properties, params);
  Event* event = nullptr;
  if (const u8 code = make_event(local, guid, type, properties, event)) [[unlikely]]
    return make_elsewhere(local, guid, type, properties, params, code);
  event_made(local, *event, guid);
  return 0;
}

u8 create_own_event(Local& local, Guid& guid, std::uint16_t properties) {
  Event* event = nullptr;
  if (const u8 code = make_event(local, guid, EventType::once, properties, event)) return code;
  event->own = true;
  object_made(local, *event, guid);
  return 0;
}

namespace {

void free_dependents(Local& local, NodeList nodes) noexcept {
  while (nodes.first != 0) {
    const Node node = pop_front(nodes);
    if (is_link(node)) local.links.give(link_of(node));
    // Relaxed: a report alone reads it.
    if (is_waiter(node)) waiter_of(node).is_lost.store(true, std::memory_order_relaxed);
  }
}

// It is locked, and its GUID about to be dead.
[[gnu::noinline]] void free_event(Local& local, Event& event) noexcept {
  free_dependents(local, event.dependents);
  if (event.type == EventType::collective)
    for (const Generation& generation : event.collective->generations)
      for (const NodeList& nodes : generation.dependents) free_dependents(local, nodes);
  free_extra(event);
}

}  // namespace

void free_extra(Event& event) noexcept {
  event.dependents = {};
  if (event.type == EventType::channel) delete event.channel;
  if (event.type == EventType::collective) delete event.collective;
}

u8 destroy_event(Local& local, Guid guid) {
  Event* const event = lock_object(events(), Kind::event, guid);
  if (event == nullptr) return is_far(Kind::event, guid) ? destroy_far(guid) : OCR_EINVAL;
  if (event->dependents.first != 0 || event->type >= EventType::channel) free_event(local, *event);
  if (event->kept)
    event->word.kill_and_unlock(Kind::event);  // forget_outputs() gives it up
  else
    retire(local, events(), local.events, *event);
  return 0;
}

namespace {

void forget(Local& local, Event* first) {
  while (first != nullptr) {
    Event& event = *std::exchange(first, first->next_kept);
    event.word.lock_held();
    event.kept = false;
    if (event.word.alive() && !event.fired) {
      event.word.unlock();
      continue;
    }
    retire(local, events(), local.events, event);
  }
}

}  // namespace

void keep_output(Local& local, Run& run, Guid output) {
  constexpr std::uint16_t kMost = 512;
  if (run.kept_count == kMost) [[unlikely]] {
    forget(local, std::exchange(run.kept_before, std::exchange(run.kept, nullptr)));
    run.kept_count = 0;
  }
  Event& event = *events().find(output.index());
  event.kept = true;
  event.next_kept = std::exchange(run.kept, &event);
  ++run.kept_count;
}

void forget_outputs(Local& local, Run& run) {
  forget(local, run.kept);
  forget(local, run.kept_before);
}

// ---- Both sides ----

u8 check_slot_slow(Guid guid, std::uint32_t slot) noexcept {
  Event* const event = lock_object(events(), Kind::event, guid);
  if (event == nullptr) return is_far(guid) ? u8{0} : u8{OCR_EINVAL};
  const EventType type = event->type;
  event->word.unlock();
  if (type == EventType::collective) return OCR_EPERM;
  const std::uint32_t last = type == EventType::latch ? std::uint32_t{OCR_EVENT_LATCH_INCR_SLOT} : 0;
  return slot > last ? OCR_EINVAL : 0;
}

// It is locked.
[[gnu::always_inline]] static inline u8 satisfy_found(Local& local, Event& event, Guid guid, std::uint32_t slot,
                                                      Guid block) {
  const std::uint64_t generation = checking::active() ? next_satisfied(event) : 0;
  if (checking::active() && !event.fired) [[unlikely]]
    note_satisfied(local, guid, generation, block);
  const Fired fired = satisfy_locked(local, event, slot, block);
  const checking::Because cause(guid, generation);
  if (fired.nodes.first != 0) notify(local, fired.nodes, fired.block);
  return fired.code;
}

u8 satisfy_event(Local& local, Guid guid, std::uint32_t slot, Guid block) {
  if (!valid_block(block)) return OCR_EINVAL;
  Event* const event = lock_object(events(), Kind::event, guid);
  if (event == nullptr) return is_far(guid) ? satisfy_far(guid, slot, block, DB_DEFAULT_MODE) : OCR_EINVAL;
  return satisfy_found(local, *event, guid, slot, block);
}

u8 pass_to_event(Local& local, Guid guid, std::uint32_t slot, Guid block) {
  Event* const event = lock_object(events(), Kind::event, guid);
  if (event == nullptr) return is_far(guid) ? pass_to_far_event(guid, slot, block) : OCR_EINVAL;
  return satisfy_found(local, *event, guid, slot, block);
}

void tell_lost(Guid event, std::uint32_t slot, u8 code) noexcept {
  // Relaxed: of a flood from one event the first line says all; two threads may each say one.
  static std::atomic<std::uint64_t> last{0};
  if (!event_exists(event) || last.exchange(event.bits, std::memory_order_relaxed) == event.bits) return;
  if (code == OCR_EPERM)
    complain(
        "a dependence leads to an event that is satisfied already, or a channel that is full, and what it brings is "
        "lost",
        event);
  else if (check_slot_slow(event, slot) != 0)
    complain("a dependence leads to a slot that the event does not have, or to one that takes no data block", event);
}

// The output event has refused what the EDT returned.
[[gnu::noinline]] static void output_refused(Local& local, const Edt& edt, Guid returned, u8 code) {
  const Guid output = edt.output();
  if (code == OCR_EPERM)
    return complain_once(edt,
                         "returned to an event that is satisfied already, or a channel that is full, and what it "
                         "returned is lost",
                         output);
  if (code != OCR_EINVAL) return;
  const bool is_elsewhere = is_far(output);
  const Sight far = is_elsewhere ? see_far(output) : Sight{};
  const bool is_gone = is_elsewhere ? far.kind == Kind::none : !event_exists(output);
  if (is_gone) return;
  const bool takes_none = is_elsewhere ? far.type == EventType::collective : check_slot_slow(output, 0) == OCR_EPERM;
  if (takes_none) return complain_once(edt, "has a collective event as its output, which takes no data block", output);
  if (returned.is_null() || may_be_block(returned)) return;
  if (is_unmade(returned)) {
    const Node link = make_link(local, output, 0);
    if (try_await_object(returned, link, 0)) return;
    local.links.give(link_of(link));
    static_cast<void>(pass_to_event(local, output, 0, returned));
    return;
  }
  complain(edt, "returned what is neither a data block nor an event", returned);
  static_cast<void>(satisfy_event(local, output, 0, {}));
}

static void satisfy_output(Local& local, const Edt& edt) {
  const Guid output = edt.output();
  Guid returned = edt.body().returned;
  if (returned.kind() == Kind::event) {
    const Node link = make_link(local, output, 0);
    if (add_dependent_or_await(local, returned, link) == 0) return;
    local.links.give(link_of(link));
    complain(edt, "returned an event that does not exist", returned);
    returned = {};
  }
  if (const u8 code = satisfy_event(local, output, 0, returned)) output_refused(local, edt, returned, code);
}

void forward_output(Local& local, const Edt& edt) {
  const bool outer = std::exchange(local.forwards_output, true);
  satisfy_output(local, edt);
  local.forwards_output = outer;
}

// It is locked.
[[gnu::always_inline]] static inline u8 add_to_found(Local& local, Event& event, Guid guid, Node node,
                                                     std::uint32_t output) {
  Guid block;
  bool ready = false;
  u8 code = 0;
  if (output != 0 && event.type != EventType::collective) {
    event.word.unlock();
    return OCR_EINVAL;
  }
  const std::uint64_t generation = checking::active() ? next_dependent(event, output) : 0;
  if (event.type == EventType::channel) {
    Node waiting = 0;
    code = channel_dependent(event, node, waiting, block);
    ready = waiting != 0;
    event.word.unlock();
  } else if (event.type == EventType::collective) {
    const std::unique_lock lock(event.word, std::adopt_lock);
    code = collective_dependent(event, node, output, ready, block);
  } else {
    ready = add_locked(local, event, node, block);
  }
  if (ready) {
    const checking::Because cause(guid, generation);
    NodeList alone;
    append(alone, node);
    notify(local, alone, block);
  }
  return code;
}

// No event was found.
[[gnu::noinline]] static u8 add_to_other(Local& local, Guid guid, Node node, std::uint32_t output) {
  return is_far(guid) ? link_far(local, guid, node, output) : OCR_EINVAL;
}

u8 add_dependent(Local& local, Guid guid, Node node, std::uint32_t output) {
  Event* const event = lock_object(events(), Kind::event, guid);
  return event == nullptr ? add_to_other(local, guid, node, output) : add_to_found(local, *event, guid, node, output);
}

// An event that was there, and is gone when it is to be locked, is as one that was gone before.
u8 add_dependent_or_await(Local& local, Guid guid, Node node, std::uint32_t output) {
  for (;;) {
    if (is_unmade(guid) && try_await_object(guid, node, output)) return 0;
    if (Event* const event = lock_object(events(), Kind::event, guid))
      return add_to_found(local, *event, guid, node, output);
    if (guid.kind() != Kind::event || !may_be_made(guid)) return add_to_other(local, guid, node, output);
  }
}

}  // namespace weir::ocr
