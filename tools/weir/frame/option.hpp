// SPDX-License-Identifier: Apache-2.0

// The options of a verb, as its file adds them: a thin layer over CLI11.
//
// CLI11 costs five seconds for each file that includes it, so only the frame does: verbs see its classes as names, and
// say what they need by the functions here. An option lives as long as its verb; an Option names it and can be copied.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
class Option;
}  // namespace CLI

namespace weir::tool {

class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  // How its value is called in help and errors: "FILE".
  Option& type_name(const std::string& name);
  Option& required();
  // What the help says is the default, where it is not what the variable holds now.
  Option& default_str(const std::string& text);
  // Several values with commas between them.
  Option& comma_separated();
  Option& excludes(const Option& other);

  // Words that the completion is to offer: some of the values that are allowed.
  Option& offers(const std::vector<std::string>& words);

  // What values are allowed; others are wrong usage, in an error that lists what is allowed.
  Option& among(const std::vector<std::string>& choices);
  Option& positive();
  // Both ends included.
  Option& between(double least, double most);
  template <std::integral Number>
  Option& between(Number least, Number most) {
    return between_integers(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
  }

 private:
  Option& between_integers(std::int64_t least, std::int64_t most);

  CLI::Option* option_;
};

// Adds an option, `name` with dashes, or an argument, `name` without. `value` holds the default and is changed when the
// command line is read; it must live as long as the verb. Value: std::string, int, std::int64_t, std::uint64_t, double,
// or a vector of std::string or int.
template <class Value>
Option add_option(CLI::App& verb, const std::string& name, Value& value, const std::string& help);

Option add_flag(CLI::App& verb, const std::string& name, bool& value, const std::string& help);

void remove_option(CLI::App& verb, const std::string& name);

std::string name_of(const CLI::App& verb);
// The names of the verbs below this one.
std::vector<std::string> names_below(const CLI::App& verb);

}  // namespace weir::tool
