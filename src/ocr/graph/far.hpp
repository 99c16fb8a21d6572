// SPDX-License-Identifier: Apache-2.0

// Events and slots of other ranks: what is asked of their home, and what another rank asks of this one.
//
// A dependence is where its event is: the event's home has a link to the slot, wherever that is, and sends the block's GUID
// there when the event fires. A slot that is linked so is known by its address, which stays while it waits. Any thread that has a
// Local; functions that wait do not where the thread performs what others ask (Mail::is_performing()).
#pragma once

#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

// Where the slot of an EDT of another rank is, as the target of a link.
struct FarSlot {
  Rank home{};
  std::uint64_t address = 0;
};

// ---- Asked of the home. 0 or an error code ----

// An event's slot, or that of an EDT, which has no source yet and gets that mode. Waits until it is done, or posts it.
u8 satisfy_far(Guid target, std::uint32_t slot, Guid block, std::uint8_t mode);
// The slot of a link's target, which was linked to an event here.
void satisfy_far_slot(const FarSlot& slot, Guid block);
// A dependence from an event of another rank to the node, a slot or a link.
u8 link_far(Local& local, Guid event, Node node, std::uint32_t output);
// A dependence from an event, wherever it is, to a slot elsewhere that was claimed for it.
u8 link_to_far_slot(Local& local, Guid event, const FarSlot& slot, std::uint32_t output);
// A dependence from an event to the slot of an EDT elsewhere.
u8 depend_far(Local& local, Guid event, std::uint32_t output, Guid edt, std::uint32_t slot, std::uint8_t mode);
// An event, an EDT or a template.
u8 destroy_far(Guid object);

// ---- Links to slots elsewhere ----

inline constexpr std::uint64_t kFarSlotBit = std::uint64_t{1} << 63;  // in Link::target, whose slot is then the rank
inline bool is_far_slot(const Link& link) noexcept { return (link.target.bits & kFarSlotBit) != 0; }
inline FarSlot far_slot_of(const Link& link) noexcept {
  return {Rank{link.slot}, link.target.bits & ~kFarSlotBit};
}

// ---- Asked by another rank ----

Answer answer_satisfy(Local& local, Reader& body);
Answer answer_satisfy_linked(Local& local, Reader& body);
Answer answer_claim_slot(Reader& body);
Answer answer_give_up_slot(Reader& body);
Answer answer_link(Local& local, Reader& body);

}  // namespace weir::ocr
