// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/far_events.hpp"

#include <memory>

#include "ocr/graph/channel.hpp"
#include "ocr/graph/collective.hpp"
#include "ocr/graph/contribute.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/wait.hpp"
#include "ocr/objects/edt_table.hpp"

namespace weir::ocr {

Sight see_here(Guid object) noexcept {
  if (Event* const event = lock_object(events(), Kind::event, object)) {
    Sight sight{Kind::event, event->type, event->fired, 0};
    if (event->type == EventType::channel) sight.is_satisfied = !event->channel->satisfied.empty();
    if (event->type == EventType::collective) sight.contribution = event->collective->bytes();
    event->word.unlock();
    return sight;
  }
  if (find_object(blocks(), Kind::block, object) != nullptr) return {Kind::block};
  if (find_edt(object) != nullptr) return {Kind::edt};
  if (find_object(templates(), Kind::edt_template, object) != nullptr) return {Kind::edt_template};
  return {};
}

Sight see(Guid object) {
  const Sight here = see_here(object);
  if (here.kind != Kind::none || !is_far(object)) return here;
  return see_far(object);
}

// An event of this rank depends on that one, and the thread waits for it.
u8 wait_for_far(Local& local, Guid event, Guid& block) {
  Guid here;
  if (const u8 code = create_own_event(local, here, EVT_PROP_TAKES_ARG)) return code;
  const Node link = make_link(local, here, 0);
  std::unique_ptr<EventWaiter> waiter = make_waiter(local);
  static_cast<void>(add_dependent(local, here, waiter_node(*waiter)));  // it is new
  if (const u8 code = link_far(local, event, link, 0)) {
    local.links.give(link_of(link));
    static_cast<void>(destroy_event(local, here));
    local.program.count_waiting(waiter->in_edt, -1);
    return code;
  }
  if (!wait_for(local, waiter, {WaitedFor::What::event, event})) return OCR_ECANCELED;
  block = waiter->block;
  return 0;
}

// ---- Asked by another rank ----

Answer answer_see(Reader& body) { return {0, Writer().put(see_here(body.get<Guid>())).take()}; }

// The event may be another one than that whose size the sender has asked for.
Answer answer_contribute(Local& local, Reader& body) {
  const auto wanted = body.get<Contribution>();
  const std::span<const std::byte> values = body.rest();
  return {
      contribute(local, wanted.event, wanted.has_values ? values.data() : nullptr, wanted.contributor, values.size())};
}

Answer answer_create_event(Local& local, Reader& body) {
  auto wanted = body.get<WantedEvent>();
  return {
      create_event(local, wanted.label, wanted.type, wanted.properties, wanted.has_params ? &wanted.params : nullptr)};
}

}  // namespace weir::ocr
