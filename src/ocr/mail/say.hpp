// SPDX-License-Identifier: Apache-2.0

// Say: what a message between ranks is about. What follows it, the code that sends it defines; ranks/postman.cpp names
// who answers it.
#pragma once

#include <cstdint>

#include "trace/rank_events.hpp"

namespace weir::ocr {

enum class Say : std::uint8_t {
  answer,          // to what was asked
  create_edt,      // an EDT on the rank that its hint names
  satisfy,         // an event, or a slot of an EDT, which has no source
  satisfy_linked,  // a slot that is linked to an event of the sender
  claim_slot,      // a slot is to have a source on another rank
  give_up_slot,    // that source does not exist
  link,            // a dependence from an event of the receiver to a slot or an event elsewhere
  destroy,         // an event, an EDT, a data block, a template or a map
  see,             // what there is under a GUID
  create_event,    // an event under a label of the receiver
  watch_label,     // an event of the sender is to be satisfied when a label's object is given up
  unwatch_label,   // that event is gone
  contribute,      // to a collective event
  set_hint,        // of an object
  get_hint,
  fetch_map,        // what a range or map of labels says
  set_default_map,  // of labels
  forget_map,       // it is destroyed
  create_block,     // a data block on the rank that its hint names
  use_heap,         // memory inside a data block of the receiver
  borrow,           // a data block for an EDT of the sender
  lent,             // a copy of it, or that there is none
  taken,            // the copy that was to be read where the block is
  give_back,        // what an EDT has written to its copy
  is_back,          // what was to be read where the copy is
  fetched,          // to the rank itself: what was to be read elsewhere is here
  ask_for_edts,     // the sender has nothing to run
  fetch_template,   // what a template says
  forget_template,  // it is destroyed
  look,             // does the receiver stand still?
  report,           // what waits there is to be printed
  checkpoint,       // a step of a checkpoint, or of going on from one
  pause,            // EDTs of all ranks stop for one of them, which asks what there is (pause/everywhere.hpp)
  end,              // the program ends
  stopped,          // the sender's EDTs have ended, and it asks for nothing any more
};

// It changes nothing of the program: ranks that only say so stand still.
constexpr bool is_control(Say what) noexcept {
  return what == Say::look || what == Say::report || what == Say::ask_for_edts || what == Say::checkpoint ||
         what == Say::pause;
}

// What a trace and a report call it.
constexpr trace::RankRequest request_of(Say what) noexcept {
  switch (what) {
    case Say::create_edt: return trace::RankRequest::create_edt;
    case Say::create_event: return trace::RankRequest::create_event;
    case Say::create_block: return trace::RankRequest::create_block;
    case Say::satisfy:
    case Say::satisfy_linked: return trace::RankRequest::satisfy;
    case Say::claim_slot:
    case Say::give_up_slot:
    case Say::link: return trace::RankRequest::depend;
    case Say::destroy: return trace::RankRequest::destroy;
    case Say::see:
    case Say::get_hint:
    case Say::watch_label:
    case Say::unwatch_label:
    case Say::fetch_map:
    case Say::fetch_template: return trace::RankRequest::look_up;
    case Say::contribute: return trace::RankRequest::contribute;
    case Say::use_heap:
    case Say::borrow:
    case Say::lent:
    case Say::taken:
    case Say::give_back:
    case Say::is_back:
    case Say::fetched: return trace::RankRequest::use_block;
    default: return trace::RankRequest::other;
  }
}

}  // namespace weir::ocr
