// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/far.hpp"

#include <cstring>

#include "ocr/graph/params.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr {

u8 ask_or_post(Rank to, Say what, const Writer& body) {
  Mail& mail = *Mail::running();
  if (!Mail::is_performing()) return mail.ask(to, what, body).code;
  mail.post(to, what, body);
  return 0;
}

u8 satisfy_far(Guid target, std::uint32_t slot, Guid block, std::uint8_t mode) {
  return ask_or_post(home_of(target), Say::satisfy, Writer().put(Satisfaction{target, block, slot, mode}));
}

u8 pass_to_far_event(Guid event, std::uint32_t slot, Guid block) {
  return ask_or_post(home_of(event), Say::satisfy, Writer().put(Satisfaction{event, block, slot, 0, true}));
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
  const u8 code = ask_or_post(home_of(event), Say::link, Writer().put(wanted));
  if (code == 0 && is_link(node)) local.links.give(link_of(node));
  return code;
}

Sight see_far(Guid object) {
  const Answer answer = Mail::running()->ask(home_of(object), Say::see, Writer().put(object));
  return answer.code == 0 ? Reader(answer.body).get<Sight>() : Sight{};
}

namespace {

// Of a program's own, which may know fewer types of parameters than the library, and then has a smaller union.
std::size_t params_size(EventType type) noexcept {
  switch (type) {
    case EventType::latch: return sizeof(ocrEventLatchParams_t);
    case EventType::counted: return sizeof(ocrEventCounterParams_t);
    case EventType::channel: return sizeof(ocrEventParams_t::EVENT_CHANNEL);
    case EventType::collective: return sizeof(ocrEventParams_t::EVENT_COLLECTIVE);
    default: return 0;
  }
}

}  // namespace

u8 contribute_far(Guid event, const void* values, std::uint32_t contributor) {
  Writer body;
  body.put(Contribution{event, contributor, values != nullptr});
  if (values != nullptr) {
    const Sight sight = see_far(event);
    if (sight.kind != Kind::event || sight.type != EventType::collective) return OCR_EINVAL;
    body.put_bytes({static_cast<const std::byte*>(values), sight.contribution});
  }
  return ask_or_post(home_of(event), Say::contribute, body);
}

u8 create_far_event(Local& local, Guid label, EventType type, std::uint16_t properties, const void* params) {
  WantedEvent wanted{label, type, for_one_try(properties), params != nullptr, {}};
  if (params != nullptr) std::memcpy(static_cast<void*>(&wanted.params), params, params_size(type));
  u8 code = 0;
  const u8 waited = wait_for_label(local, label, properties, [&] {
    code = ask_or_post(home_of(label), Say::create_event, Writer().put(wanted));
    return code != OCR_EGUIDEXISTS;
  });
  return waited != 0 ? waited : code;
}

u8 destroy_far(Guid object) { return ask_or_post(home_of(object), Say::destroy, Writer().put(object)); }

}  // namespace weir::ocr
