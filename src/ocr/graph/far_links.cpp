// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/far_links.hpp"

#include "ocr/graph/awaited.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr {

namespace {

struct Claim {
  Guid edt, source;
  std::uint32_t slot = 0;
  std::uint8_t mode = 0;
};

Slot& slot_at(std::uint64_t address) noexcept { return *reinterpret_cast<Slot*>(address); }

// A link from what the GUID is of here, or will be, when it is a label. 0 or an error code: the link is given up.
u8 add_link(Local& local, Guid source, Node link, std::uint32_t output) {
  if (source.kind() == Kind::block && is_unmade(source) && try_await_object(source, link, output)) return 0;
  // One that may be made, and is not to be waited for, is there.
  if (source.kind() == Kind::block && (block_exists(source) || may_be_made(source))) {
    NodeList alone;
    append(alone, link);
    notify(local, alone, source);
    return 0;
  }
  const u8 code = add_dependent_or_await(local, source, link, output);
  if (code != 0) local.links.give(link_of(link));
  return code;
}

}  // namespace

u8 link_to_far_slot(Local& local, Guid event, const FarSlot& slot, std::uint32_t output) {
  return add_link(local, event, make_link(local, target_of(slot), static_cast<std::uint32_t>(slot.home)), output);
}

u8 depend_far(Local& local, Guid event, std::uint32_t output, Guid edt, std::uint32_t slot, std::uint8_t mode) {
  const Rank home = home_of(edt);
  const Answer claimed = Mail::running()->ask(home, Say::claim_slot, Writer().put(Claim{edt, event, slot, mode}));
  if (claimed.code != 0) return claimed.code;
  const auto address = Reader(claimed.body).get<std::uint64_t>();
  const u8 code = link_to_far_slot(local, event, {home, address}, output);
  if (code != 0) static_cast<void>(ask_or_post(home, Say::give_up_slot, Writer().put(address)));
  return code;
}

// ---- Asked by another rank ----

Answer answer_satisfy(Local& local, Reader& body) {
  const auto wanted = body.get<Satisfaction>();
  if (wanted.is_passed_on) {
    const u8 code = pass_to_event(local, wanted.target, wanted.slot, wanted.block);
    if (code != 0) tell_lost(wanted.target, wanted.slot, code);
    return {code};
  }
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
  edt->body().await(slot, wanted.source);
  return {0, Writer().put(reinterpret_cast<std::uint64_t>(&slot)).take()};
}

Answer answer_give_up_slot(Reader& body) {
  // Relaxed: the message that claimed it came before this one.
  slot_at(body.get<std::uint64_t>()).state.store(SlotState::open, std::memory_order_relaxed);
  return {};
}

Answer answer_link(Local& local, Reader& body) {
  const auto wanted = body.get<NewLink>();
  return {add_link(local, wanted.event, make_link(local, wanted.target, wanted.slot), wanted.output)};
}

}  // namespace weir::ocr
