// SPDX-License-Identifier: Apache-2.0

// What the help, the manual, the completion and the error messages know of a verb, read from CLI11 in one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "global.hpp"

namespace weir::tool {

// The group of the options that add_runtime_options() adds.
inline constexpr const char* kRuntimeGroup = "Options of the runtime";

// In the text of an option's type: what is behind it, up to a >, are words that the completion is to offer.
inline constexpr std::string_view kOffers = "offers<";

struct OptionText {
  std::vector<std::string> names;  // "-h", "--help"; of a positional argument its one name
  std::string value;               // how its value is called: "FILE"; "" for a flag
  std::string help;
  std::vector<std::string> notes;    // "default 50", "0 to 1000000 us", "WEIR_PARK_AFTER"
  std::vector<std::string> choices;  // the only values there are; may be empty
  std::vector<std::string> offered;  // for the completion: choices, or some of the values that there are
  bool is_list = false;              // several values with commas between them
  bool of_runtime = false;
  bool positional = false;
  bool required = false;

  bool takes_file() const;    // for the completion
  std::string title() const;  // "-h, --help", "--input FILE", "SHELL"
};

struct VerbText {
  const CLI::App* app = nullptr;
  std::string path;  // "weir run seismic"
  Guide guide;
  bool runs = false;
  bool takes_program = false;
  std::vector<OptionText> options;
  std::vector<VerbText> verbs;

  std::string label() const;               // "run seismic"; of the program "weir"
  std::string usage() const;               // "weir topo [OPTION...]"
  bool takes_file() const;                 // as an argument, for the completion
  std::vector<std::string> words() const;  // names of verbs and options: what can be typed next
  bool has_runtime_options() const;
};

// The verb and all below it, without what is hidden.
VerbText describe(const CLI::App& app, const Global& global);

// The same, and after it all below: `weir`, `weir topo`, `weir run`, `weir run seismic` ...
std::vector<const VerbText*> flatten(const VerbText& verb);

// The values in "TEXT:{a,b,c}", which is how CLI11 writes what CLI::IsMember allows.
std::vector<std::string> choices_in(const std::string& text);

}  // namespace weir::tool
