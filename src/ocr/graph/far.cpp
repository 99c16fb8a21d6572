// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/far.hpp"

#include "ocr/graph/event.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/objects/edt_table.hpp"

namespace weir::ocr {

namespace {

// What goes to another rank, as the messages have it.
struct Satisfaction {
  Guid target, block;
  std::uint32_t slot = 0;
  std::uint8_t mode = 0;
};
struct LinkedSatisfaction {
  std::uint64_t address = 0;
  Guid block;
};
struct Claim {
  Guid edt, source;
  std::uint32_t slot = 0;
  std::uint8_t mode = 0;
};
// To an event, or a slot that waits on rank `slot` (is_far_slot()).
struct NewLink {
  Guid event, target;
  std::uint32_t slot = 0, output = 0;
};

u8 ask(Rank to, Say what, const Writer& body) {
  Mail& mail = *Mail::running();
  if (!Mail::is_performing()) return mail.ask(to, what, body).code;
  mail.post(to, what, body);
  return 0;
}

Slot& slot_at(std::uint64_t address) noexcept { return *reinterpret_cast<Slot*>(address); }

Guid target_of(const FarSlot& slot) noexcept { return {kFarSlotBit | slot.address}; }

Node make_far_link(Local& local, const FarSlot& slot) {
  return make_link(local, target_of(slot), static_cast<std::uint32_t>(slot.home));
}

}  // namespace

u8 satisfy_far(Guid target, std::uint32_t slot, Guid block, std::uint8_t mode) {
  return ask(home_of(target), Say::satisfy, Writer().put(Satisfaction{target, block, slot, mode}));
}

void satisfy_far_slot(const FarSlot& slot, Guid block) {
  Mail::running()->post(slot.home, Say::satisfy_linked, Writer().put(LinkedSatisfaction{slot.address, block}));
}

u8 link_far(Local& local, Guid event, Node node, std::uint32_t output) {
  NewLink wanted{event, {}, 0, output};
  if (is_link(node)) {
    wanted.target = link_of(node).target;
    wanted.slot = link_of(node).slot;
  } else {
    wanted.target = target_of({{}, reinterpret_cast<std::uint64_t>(&slot_of(node))});
    wanted.slot = homes().here;
  }
  const u8 code = ask(home_of(event), Say::link, Writer().put(wanted));
  if (code == 0 && is_link(node)) local.links.give(link_of(node));
  return code;
}

u8 link_to_far_slot(Local& local, Guid event, const FarSlot& slot, std::uint32_t output) {
  const Node link = make_far_link(local, slot);
  const u8 code = add_dependent(local, event, link, output);
  if (code != 0) local.links.give(link_of(link));
  return code;
}

u8 depend_far(Local& local, Guid event, std::uint32_t output, Guid edt, std::uint32_t slot, std::uint8_t mode) {
  const Rank home = home_of(edt);
  const Answer claimed = Mail::running()->ask(home, Say::claim_slot, Writer().put(Claim{edt, event, slot, mode}));
  if (claimed.code != 0) return claimed.code;
  const auto address = Reader(claimed.body).get<std::uint64_t>();
  const u8 code = link_to_far_slot(local, event, {home, address}, output);
  if (code != 0) static_cast<void>(ask(home, Say::give_up_slot, Writer().put(address)));
  return code;
}

u8 destroy_far(Guid object) { return ask(home_of(object), Say::destroy, Writer().put(object)); }

// ---- Asked by another rank ----

Answer answer_satisfy(Local& local, Reader& body) {
  const auto wanted = body.get<Satisfaction>();
  if (wanted.target.kind() == Kind::event) return {satisfy_event(local, wanted.target, wanted.slot, wanted.block)};
  return {satisfy_slot(local, wanted.target, wanted.slot, wanted.block, wanted.mode)};
}

Answer answer_satisfy_linked(Local& local, Reader& body) {
  const auto wanted = body.get<LinkedSatisfaction>();
  satisfy(local, slot_at(wanted.address), wanted.block);
  return {};
}

Answer answer_claim_slot(Reader& body) {
  const auto wanted = body.get<Claim>();
  Edt* const edt = find_edt(wanted.edt);
  if (edt == nullptr || wanted.slot >= edt->depc()) return {OCR_EINVAL};
  Slot& slot = edt->body().slots()[wanted.slot];
  if (!try_claim(slot)) return {OCR_EPERM};
  slot.mode = wanted.mode;
  edt->body().depv()[wanted.slot].guid = to_c(wanted.source);
  return {0, Writer().put(reinterpret_cast<std::uint64_t>(&slot)).take()};
}

Answer answer_give_up_slot(Reader& body) {
  slot_at(body.get<std::uint64_t>()).state.store(SlotState::open, std::memory_order_relaxed);
  return {};
}

Answer answer_link(Local& local, Reader& body) {
  const auto wanted = body.get<NewLink>();
  const Node link = make_link(local, wanted.target, wanted.slot);
  const u8 code = add_dependent(local, wanted.event, link, wanted.output);
  if (code != 0) local.links.give(link_of(link));
  return {code};
}

}  // namespace weir::ocr
