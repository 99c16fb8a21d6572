// SPDX-License-Identifier: Apache-2.0

// The option table as data, and the conversion of text to options: what the environment, the command line, the manual
// and the completion are made from. The table itself is include/weir/options.def.
//
// Pure but for environment(); any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "weir/options.hpp"

namespace weir::runtime {

using OptionField = std::variant<int Options::*, std::string Options::*, Policy Options::*, Bind Options::*,
                                 Allocation Options::*, Strategy Options::*, Evict Options::*, Chains Options::*,
                                 Overflow Options::*, Io Options::*, Explain Options::*, IslandMemory Options::*>;

struct OptionInfo {
  std::string name;                  // of the field: "park_after"
  std::string initial;               // the default as text; "" for an empty text
  std::vector<std::string> choices;  // of an enumeration, in its order; else empty
  long least = 0, most = 0;          // of an int, both allowed
  std::string unit;                  // "us", or "" when it has none
  std::string help;
  OptionField field;

  bool is_number() const { return std::holds_alternative<int Options::*>(field); }
  std::string allowed() const;  // for people: "0 to 1024 us", "near, numa or flat", "any text"
};

// Every option, in the order of the table.
std::span<const OptionInfo> option_table();

// "park_after" -> "park-after", "WEIR_PARK_AFTER".
std::string dashed(std::string_view name);
std::string variable(std::string_view name);

// Changes one option. bad_option when there is no such name, or when the value cannot be converted or is not allowed;
// the message starts with `said`, which is how the user wrote the name (--workers, WEIR_WORKERS), and the value.
base::Status set_option(Options& options, std::string_view name, std::string_view value, std::string_view said);

// The value of an option as set_option() reads it.
std::string option_text(const Options& options, const OptionInfo& info);

// That each number is one that the table allows, and node numbers are such: a program may have filled in any.
base::Status check_numbers(const Options& options);

// WEIR_TRACE, for options that were not read from the environment and name no trace: what can be seen of a program must
// not depend on where it has its options from.
void heed_trace_variable(Options& options);

// The WEIR_* variables of this process: name, value. Not safe against a concurrent setenv().
std::vector<std::pair<std::string, std::string>> environment();

// The defaults, changed by `variables`, whose names start with WEIR_. bad_option for a name that is nearly one of the
// table, and as set_option(). Other names are not ours: environment modules and package managers set WEIR_ROOT,
// WEIR_VERSION and the like.
base::Result<Options> options_from(std::span<const std::pair<std::string, std::string>> variables);

}  // namespace weir::runtime
