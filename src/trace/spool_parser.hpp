// SPDX-License-Identifier: Apache-2.0

// SpoolParser: from the units of a spool, in order, to the definitions and events in them.
//
// Whoever wants them has define(definition), next_pass() (the drainer has gone round once more) and
// event(track, event). One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "trace/event.hpp"
#include "trace/spool.hpp"

namespace weir::trace {

class SpoolParser {
 public:
  // Units that follow those before; a text or a chunk may be cut anywhere.
  template <class To>
  void parse(std::span<const Event> units, To& to) {
    for (const Event& unit : units) {
      if (text_left_ > 0) {
        const std::size_t part = std::min(text_left_, sizeof(Event));
        definition_.name.append(reinterpret_cast<const char*>(&unit), part);
        text_left_ -= part;
        if (text_left_ == 0) to.define(definition_);
      } else if (events_left_ > 0) {
        --events_left_;
        to.event(track_, unit);
      } else if (unit.kind() == Kind::text) {
        definition_ = {static_cast<Named>(unit.small()), unit.id, {}, unit.start, unit.duration};
        text_left_ = unit.value();
        if (text_left_ == 0) to.define(definition_);
      } else {
        events_left_ = unit.value();
        track_ = static_cast<std::uint32_t>(unit.id);
        if (unit.start != pass_) to.next_pass();
        pass_ = unit.start;
      }
    }
  }

 private:
  std::uint64_t events_left_ = 0;  // of a chunk
  std::uint32_t track_ = 0;        // whose
  std::uint64_t pass_ = 0;
  Definition definition_;
  std::size_t text_left_ = 0;  // of its name
};

}  // namespace weir::trace
