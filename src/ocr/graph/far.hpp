// SPDX-License-Identifier: Apache-2.0

// Events and slots of other ranks: what is asked of their home.
//
// A dependence is where its event is: the event's home has a link to the slot, wherever that is, and sends the block's
// GUID there when the event fires. A slot that is linked so is known by its address, which stays while it waits. Any
// thread that has a Local; functions that wait do not where the thread performs what others ask
// (Mail::is_performing()).
#pragma once

#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

// Where the slot of an EDT of another rank is.
struct FarSlot {
  Rank home{};
  std::uint64_t address = 0;
};
// As the target of a link, whose slot is then the rank.
inline constexpr std::uint64_t kFarSlotBit = std::uint64_t{1} << 63;
inline Guid target_of(const FarSlot& slot) noexcept { return {kFarSlotBit | slot.address}; }
inline bool is_far_slot(const Link& link) noexcept { return (link.target.bits & kFarSlotBit) != 0; }
inline FarSlot far_slot_of(const Link& link) noexcept { return {Rank{link.slot}, link.target.bits & ~kFarSlotBit}; }

// What goes to an event's home: a link to an event, or to the slot of a rank.
struct NewLink {
  Guid event, target;
  std::uint32_t slot = 0, output = 0;
};
// To the home of an event, or of an EDT with a slot that has no source yet and gets that mode.
struct Satisfaction {
  Guid target, block;
  std::uint32_t slot = 0;
  std::uint8_t mode = 0;
  bool is_passed_on = false;  // pass_to_event()
};
struct LinkedSatisfaction {
  std::uint64_t address = 0;  // of the slot
  Guid block;
};

// The values follow.
struct Contribution {
  Guid event;
  std::uint32_t contributor = 0;
  bool has_values = false;
};

struct WantedEvent {
  Guid label;
  EventType type{};
  std::uint16_t properties = 0;
  bool has_params = false;
  ocrEventParams_t params{};
};

// What is there under a GUID at a moment.
struct Sight {
  Kind kind = Kind::none;            // none: nothing
  EventType type = EventType::once;  // of an event
  bool is_satisfied = false;         // that event; a channel: it has something for the next dependence
  std::uint64_t contribution = 0;    // bytes of one to a collective event
};
// Waits for the answer's code; or posts it, and returns 0.
u8 ask_or_post(Rank to, Say what, const Writer& body);

// 0 or an error code.
u8 satisfy_far(Guid target, std::uint32_t slot, Guid block, std::uint8_t mode);
u8 pass_to_far_event(Guid event, std::uint32_t slot, Guid block);
// The slot of a link's target, which was linked to an event here.
void satisfy_far_slot(const FarSlot& slot, Guid block);
// A dependence from an event of another rank to the node, a slot or a link.
u8 link_far(Local& local, Guid event, Node node, std::uint32_t output);
// Not on the thread that performs what others ask.
Sight see_far(Guid object);
// As contribute().
u8 contribute_far(Guid event, const void* values, std::uint32_t contributor);
// An event under a label of another rank: as create_event().
u8 create_far_event(Local& local, Guid label, EventType type, std::uint16_t properties, const void* params);
// An event, an EDT, a template or a map.
u8 destroy_far(Guid object);

}  // namespace weir::ocr
