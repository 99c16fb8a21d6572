// SPDX-License-Identifier: Apache-2.0

#include "errors.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <span>

#include "base/joined.hpp"
#include "base/nearest.hpp"

namespace weir::tool {

namespace {

std::string listed(const std::vector<std::string>& words, std::string_view last = "or") {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} {} {}", base::joined(std::span(words).first(words.size() - 1), ", "), last, words.back());
}

std::vector<std::string> verb_names(const VerbText& verb) {
  std::vector<std::string> names;
  for (const VerbText& below : verb.verbs) names.push_back(below.guide.name);
  return names;
}

std::vector<std::string> option_names(const VerbText& verb) {
  std::vector<std::string> names;
  for (const OptionText& option : verb.options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string see_help(const VerbText& verb) { return fmt::format("; see {} --help", verb.path); }

// An option that `verb` does not have: meant otherwise, or one of another verb.
std::string unknown_option(const std::string& given, const VerbText& verb, const VerbText& program) {
  const std::string name = given.substr(0, given.find('='));
  const std::string meant = base::suggestion(name, option_names(verb));
  if (!meant.empty()) return fmt::format("unknown option {}{}", name, meant);
  std::vector<std::string> owners;
  for (const VerbText* other : flatten(program)) {
    if (has(option_names(*other), name)) owners.push_back(other->label());
  }
  if (!owners.empty() && verb.path == "weir") return fmt::format("{} needs a verb: weir VERB {}", name, name);
  if (!owners.empty())
    return fmt::format("{} is an option of {}, not of {}", name, listed(owners, "and"), verb.label());
  return fmt::format("unknown option {}{}", name, see_help(verb));
}

std::string unknown_word(const std::string& word, const VerbText& verb) {
  if (!verb.verbs.empty()) return unknown_verb(word, verb);
  return fmt::format("{}: unexpected argument {}{}", verb.label(), word, see_help(verb));
}

// CLI11 keeps what it could not place in the verb that was being read.
std::string explain_extra(const CLI::App& chosen, const Global& global) {
  const CLI::App* place = &chosen;
  while (place->remaining().empty() && place->get_parent() != nullptr) place = place->get_parent();
  const CLI::App* program = &chosen;
  while (program->get_parent() != nullptr) program = program->get_parent();
  const std::string word = place->remaining().front();
  const VerbText verb = describe(*place, global);
  return word.starts_with("-") ? unknown_option(word, verb, describe(*program, global)) : unknown_word(word, verb);
}

// "Could not convert: --size = abc"
std::string explain_conversion(std::string message) {
  const std::string prefix = "Could not convert: ";
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  if (const std::size_t equals = message.find(" = "); equals != std::string::npos) message.replace(equals, 3, "=");
  return message + ": a number is needed";
}

// "--size: Value 0" and " not in range": what is before and after the words, or nothing when they are not there.
struct Halves {
  std::string before, after;
};

std::optional<Halves> halves(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return std::nullopt;
  return Halves{text.substr(0, at), text.substr(at + words.size())};
}

// "1 to 10" of CLI11 2.3, "[1 - 10]" of 2.4.
std::string range_text(std::string range) {
  if (!range.starts_with('[')) return range;
  range = range.substr(1, range.size() - 2);
  const std::size_t middle = range.find(" - ");
  return range.substr(0, middle) + " to " + range.substr(middle + 3);
}

// "--variant: abc not in {serial,openmp}", "--size: Value 0 not in range 1 to 10".
std::string explain_validation(const std::string& message) {
  const auto said = halves(message, ": ");
  if (!said) return message;
  if (said->after.ends_with(kNotDecimal)) return fmt::format("{}={}", said->before, said->after);
  if (const auto range = halves(said->after, " not in range "); range && range->before.starts_with("Value ")) {
    return fmt::format("{}={}: allowed is {}", said->before, range->before.substr(6), range_text(range->after));
  }
  if (const auto choice = halves(said->after, " not in {")) {
    const std::vector<std::string> choices = choices_in(message);
    return fmt::format("{}={}: allowed is {}{}", said->before, choice->before, listed(choices),
                       base::suggestion(choice->before, choices));
  }
  return message;
}

// "json was given a disallowed flag override"
std::string explain_flag_value(const std::string& message) {
  const auto flag = halves(message, " was given a disallowed flag override");
  if (!flag) return message;
  return fmt::format("{}{} takes no value", flag->before.size() == 1 ? "-" : "--", flag->before);
}

// "--input: 1 required MACHINE missing"
std::string explain_mismatch(const std::string& message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) return explain_flag_value(message);
  return message.ends_with(" missing") && colon != std::string::npos ? message.substr(0, colon) + " needs a value"
                                                                     : message;
}

// "file is required"
std::string explain_required(const VerbText& verb, const std::string& message) {
  for (const OptionText& option : verb.options) {
    if (!option.required || !message.starts_with(option.names.front())) continue;
    const std::string what = option.positional ? option.title() : option.names.back();
    const auto example = std::find_if(verb.guide.examples.begin(), verb.guide.examples.end(),
                                      [&](const Example& each) { return each.command.starts_with(verb.path + " "); });
    const std::string as_in = example == verb.guide.examples.end() ? "" : ", as in " + example->command;
    return fmt::format("{} needs a {} ({}){}{}", verb.label(), what, option.help, as_in, see_help(verb));
  }
  return message;
}

// "--size excludes --paper"
std::string explain_excluded(const std::string& message) {
  const auto pair = halves(message, " excludes ");
  return pair ? fmt::format("{} and {} exclude each other: give one of them", pair->before, pair->after) : message;
}

}  // namespace

std::string unknown_verb(const std::string& word, const VerbText& verb) {
  const std::vector<std::string> names = verb_names(verb);
  const std::string meant = base::suggestion(word, names);
  const std::string below = verb.path == "weir" ? word : verb.label() + " " + word;
  const std::string allowed = names.empty() ? see_help(verb) : "; allowed is " + listed(names);
  return fmt::format("unknown verb {}{}", below, meant.empty() ? allowed : meant);
}

std::string empty_value(const VerbText& verb) {
  for (const OptionText& option : verb.options) {
    const std::string name = option.positional ? option.title() : option.names.back();
    const CLI::Option* const given = verb.app->get_option_no_throw(option.names.back());
    if (given == nullptr || given->count() == 0 || option.of_runtime) continue;
    for (const std::string& value : given->results()) {
      if (value.empty() && given->get_items_expected_max() != 0)
        return fmt::format("{} is empty: it needs a value", name);
    }
  }
  return "";
}

std::string explain(const CLI::ParseError& error, const CLI::App& chosen, const Global& global) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return explain_extra(chosen, global);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return explain_conversion(message);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return explain_validation(message);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return explain_mismatch(message);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return explain_required(describe(chosen, global), message);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return explain_excluded(message);
  return message;
}

std::string missing_verb(const VerbText& verb) {
  const std::string what = verb.path == "weir" ? "no verb given" : verb.label() + " needs more";
  return fmt::format("{}; allowed is {}{}", what, listed(verb_names(verb)), see_help(verb));
}

}  // namespace weir::tool
