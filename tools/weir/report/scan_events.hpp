// SPDX-License-Identifier: Apache-2.0

// Goes through the JSON of a trace without keeping it: each event as a flat struct, the rest as a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace weir::tool::report {

// An event of "traceEvents", with the members of its "args".
struct ScannedEvent {
  enum Field : std::uint8_t {
    ph,
    cat,
    name,
    pid,
    tid,
    ts,
    dur,
    id,
    task,
    items,
    bytes,
    cancelled,
    from,
    to,
    block,
    distance,
    tasks,
    victim,
    had_by,
    wanted,
    row,  // "name" in the args of a row's
    kFields
  };

  std::string texts[kFields];                // of those that are texts
  double numbers[kFields] = {};              // of those that are numbers; below 2^53 all are exact
  std::uint32_t is_text = 0, is_number = 0;  // bits: what is there, by Field

  bool has(Field field) const noexcept { return ((is_text | is_number) >> field & 1) != 0; }
  // std::runtime_error when there is none.
  const std::string& text(Field field) const;
  double number(Field field) const;
  // std::runtime_error when it is no whole number from 0 to 2^53.
  std::uint64_t count(Field field) const;
};

struct Scanned {
  nlohmann::json rest;  // the other members of the outermost object; null when the text ends early
  // Where it ends early, among the events: the rest of it cannot be read. 0: it does not.
  std::size_t cut_at = 0;
};

// Calls `on_event` for each event, in order. std::runtime_error when it is no JSON, and where that shows before the
// first event; what `on_event` throws.
Scanned scan_events(std::string_view json, const std::function<void(const ScannedEvent&)>& on_event);

}  // namespace weir::tool::report
