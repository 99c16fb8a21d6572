// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/far.hpp"

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

u8 destroy_far(Guid object) { return ask_or_post(home_of(object), Say::destroy, Writer().put(object)); }

}  // namespace weir::ocr
