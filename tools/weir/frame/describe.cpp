// SPDX-License-Identifier: Apache-2.0

#include "describe.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/joined.hpp"
#include "runtime/options.hpp"
#include "text.hpp"

namespace weir::tool {

namespace {

std::string path_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? "weir" : path_of(*parent) + " " + app.get_name();
}

// What a value is called: "TEXT:{a,b}" of CLI11 is a|b, its types are in capitals, and limits are in the help text.
std::string value_of(const CLI::Option& option, const std::vector<std::string>& choices) {
  if (option.get_items_expected_max() == 0) return "";
  if (!choices.empty()) return base::joined(choices, "|");
  const std::string type = option.get_type_name();
  const std::string name = type.substr(0, type.find(':'));
  return name == "INT" || name == "UINT" || name == "FLOAT" ? "N" : name;
}

std::vector<std::string> offered_in(const std::string& type) {
  const std::size_t at = type.find(kOffers), end = type.find('>', at);
  if (at == std::string::npos || end == std::string::npos) return {};
  const std::size_t begin = at + kOffers.size();
  return CLI::detail::split(type.substr(begin, end - begin), ',');
}

void add_runtime_notes(OptionText& text) {
  for (const runtime::OptionInfo& info : runtime::option_table()) {
    if (text.names.front() != "--" + runtime::dashed(info.name)) continue;
    if (info.is_number()) text.notes.push_back(info.allowed());
    if (!info.initial.empty()) text.notes.push_back("default " + info.initial);
    text.notes.push_back(runtime::variable(info.name));
    text.choices = info.choices;
  }
}

void add_notes(OptionText& text, const CLI::Option& option) {
  if (option.get_required()) text.notes.emplace_back("required");
  const std::string initial = option.get_default_str();
  const bool says_default = text.help.find("default") != std::string::npos;
  const bool is_empty = initial.empty() || initial == "[]" || initial == "{}";  // a list as CLI11 2.3 and 2.4 write it
  if (text.value.empty() || is_empty || says_default) return;
  text.notes.push_back("default " + initial);
}

OptionText describe_option(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.positional = text.names.empty();
  if (text.positional) text.names.push_back(option.get_name(true));
  text.required = option.get_required();
  text.help = option.get_description();
  text.choices = choices_in(option.get_type_name());
  text.value = value_of(option, text.choices);
  text.of_runtime = option.get_group() == kRuntimeGroup;
  if (text.of_runtime) {
    add_runtime_notes(text);
  } else {
    add_notes(text, option);
  }
  text.offered = text.choices.empty() ? offered_in(option.get_type_name()) : text.choices;
  text.is_list = option.get_delimiter() == ',' || option.get_type_name().starts_with("LIST");
  return text;
}

// --json and --help last, in every verb.
int rank(const OptionText& option) {
  if (option.names.back() == "--help") return 2;
  return option.names.back() == "--json" || option.names.back() == "--version" ? 1 : 0;
}

}  // namespace

bool OptionText::takes_file() const {
  for (const char* const kind : {"FILE", "PATH", "FOLDER", "MACHINE", "DESCRIPTION"})
    if (value.find(kind) != std::string::npos) return true;
  return false;
}

std::string OptionText::title() const {
  const std::string all = base::joined(names, ", ");
  if (positional) return capitals(all);
  return value.empty() ? all : all + " " + value;
}

std::string VerbText::label() const { return path == "weir" ? path : path.substr(5); }

std::string VerbText::usage() const {
  const std::string below = verbs.empty() ? "" : path + " VERB [OPTION...]";
  if (!runs) return below;
  std::string text = path + " [OPTION...]";
  for (const OptionText& option : options) {
    if (!option.positional) continue;
    const bool needed = option.required || takes_program;
    text += fmt::format(fmt::runtime(needed ? " {}" : " [{}]"), option.title());
  }
  if (takes_program) text += " [ARGUMENT...]";
  return below.empty() ? text : text + ", or " + below;
}

bool VerbText::takes_file() const {
  return takes_program || std::any_of(options.begin(), options.end(), [](const OptionText& option) {
           return option.positional && option.takes_file();
         });
}

std::vector<std::string> VerbText::words() const {
  std::vector<std::string> words;
  for (const VerbText& verb : verbs) words.push_back(verb.guide.name);
  for (const OptionText& option : options) {
    const auto& offered = option.positional ? option.choices : option.names;
    words.insert(words.end(), offered.begin(), offered.end());
  }
  return words;
}

bool VerbText::has_runtime_options() const {
  return std::any_of(options.begin(), options.end(), [](const OptionText& option) { return option.of_runtime; });
}

VerbText describe(const CLI::App& app, const Global& global) {
  const Entry& entry = global.entries.at(&app);
  VerbText text;
  text.app = &app;
  text.path = path_of(app);
  text.guide = entry.guide;
  text.runs = static_cast<bool>(entry.run);
  text.takes_program = entry.takes_program;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) text.options.push_back(describe_option(*option));
  }
  std::stable_sort(text.options.begin(), text.options.end(),
                   [](const OptionText& a, const OptionText& b) { return rank(a) < rank(b); });
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!global.entries.at(below).hidden) text.verbs.push_back(describe(*below, global));
  }
  return text;
}

std::vector<const VerbText*> flatten(const VerbText& verb) {
  std::vector<const VerbText*> all{&verb};
  for (const VerbText& below : verb.verbs) {
    const auto more = flatten(below);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<std::string> choices_in(const std::string& text) {
  const std::size_t open = text.find('{');
  const std::size_t close = text.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(text.substr(open + 1, close - open - 1), ',');
}

}  // namespace weir::tool
