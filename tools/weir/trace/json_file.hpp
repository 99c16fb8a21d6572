// SPDX-License-Identifier: Apache-2.0

// A trace as one file of JSON, for Perfetto and chrome://tracing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "names.hpp"

namespace weir::tool::convert {

// Into `path`, which exists or can be made. io_error; bad_input when the trace is damaged meanwhile.
base::Status write_json(const TraceReader& reader, const std::string& path);

// One of several traces that become one file.
struct JsonSource {
  const TraceReader* reader = nullptr;
  std::string name;            // of the runtime that is the PE: "PE 3"
  std::size_t pe_runtime = 0;  // which of them
  std::int64_t shift_ns = 0;   // added to its times, which begin at 0
};
// An arrow from a slice of the PE of one source to a slice of that of another.
struct JsonFlow {
  struct End {
    std::size_t source = 0;
    std::uint32_t track = 0;
    std::int64_t ns = 0;  // a moment in the slice, of the time that all sources have in common
  };
  End from, to;
  std::string_view name;
};
// A process for each runtime of each of them, and behind them the arrows. The same errors.
base::Status write_json(std::span<const JsonSource> sources, std::span<const JsonFlow> flows, const std::string& path);

}  // namespace weir::tool::convert
