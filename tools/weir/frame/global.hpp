// SPDX-License-Identifier: Apache-2.0

// What every verb gets: the options of the runtime, and the only way to standard output.
//
// With --json, standard output carries exactly one JSON array, printed when the verb has returned, and none when it has
// failed before it had anything to say; print() then does nothing. Without it, add() does nothing. So a verb calls both
// and never asks. One thread only.
#pragma once

#include <fmt/core.h>

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guide.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include "weir/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}

namespace weir::tool {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they are written

struct Global {
  Global();
  Global(const Global&) = delete;
  Global& operator=(const Global&) = delete;
  ~Global();

  Options options;           // the defaults, then the environment, then the command line
  bool json = false;         // --json was given
  bool keeps_traces = true;  // options.trace is the user's, not only for a report
  std::string trace_as;      // what is made of options.trace in the end (converted_trace.hpp); "": it stays

  // Text for people, on standard output: whole lines, which are folded at spaces where the terminal is narrower.
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!json) write(fold(fmt::format(format, std::forward<Arguments>(arguments)...), terminal_limit()));
  }

  // The same for the title of what follows.
  template <class... Arguments>
  void print_heading(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!json)
      write(style().heading(fold(fmt::format(format, std::forward<Arguments>(arguments)...), terminal_limit())));
  }

  // Text for programs other than JSON (a completion script), on standard output.
  static void write(std::string_view text);

  // One object of the JSON array. Who makes one includes json.hpp.
  void add(Json object);

  // Shows `text` (less than a line) in place of the last one while a long run goes on; "" takes it away. Only when
  // standard error is a terminal, and --json is absent.
  void progress(std::string_view text) const;
  bool shows_progress() const;
  // Of the line of progress, at most.
  static std::size_t progress_columns();

  // The columns of standard output: COLUMNS, else the terminal's, else 80; never less than 20.
  int columns() const;

  // How to set off what matters in what is printed.
  static Style style();

  // The command line, without the name of the program.
  std::vector<std::string> words;
  // Of a verb that takes a program: what follows it.
  std::vector<std::string> rest;
  // The signal that has ended the program which the verb ran, and that is to end this one; 0: none.
  int ended_by = 0;
  // Of a verb that looks for something: an empty array says that there is none, whatever the exit status is.
  bool may_find_nothing = false;

  // Of the frame; not for verbs.
  std::unique_ptr<Json> objects;                               // an array
  std::vector<std::pair<std::string, std::string>> overrides;  // option name and value, from the command line
  std::map<const CLI::App*, Entry> entries;
};

}  // namespace weir::tool
