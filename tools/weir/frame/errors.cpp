// SPDX-License-Identifier: Apache-2.0

#include "errors.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "base/nearest.hpp"

namespace weir::tool {

namespace {

std::string listed(const std::vector<std::string>& words, std::string_view last = "or") {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} {} {}", fmt::join(words.begin(), std::prev(words.end()), ", "), last, words.back());
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
  if (!owners.empty() && verb.path == "weir") return fmt::format("{} comes after the verb: weir VERB {}", name, name);
  if (!owners.empty())
    return fmt::format("{} is an option of {}, not of {}", name, listed(owners, "and"), verb.label());
  return fmt::format("unknown option {}{}", name, see_help(verb));
}

std::string unknown_word(const std::string& word, const VerbText& verb) {
  if (verb.verbs.empty()) return fmt::format("{}: unexpected argument {}{}", verb.label(), word, see_help(verb));
  const std::vector<std::string> names = verb_names(verb);
  const std::string meant = base::suggestion(word, names);
  const std::string below = verb.path == "weir" ? word : verb.label() + " " + word;
  return fmt::format("unknown verb {}{}", below, meant.empty() ? "; allowed is " + listed(names) : meant);
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

// "--variant: abc not in {serial,openmp}", "--size: Value 0 not in range 1 to 10", "--array: xb unit not recognized.
// ..."
std::string explain_validation(const std::string& message) {
  const auto said = halves(message, ": ");
  if (!said) return message;
  if (const auto range = halves(said->after, " not in range "); range && range->before.starts_with("Value ")) {
    return fmt::format("{}={}: allowed is {}", said->before, range->before.substr(6), range_text(range->after));
  }
  if (const auto choice = halves(said->after, " not in {")) {
    const std::vector<std::string> choices = choices_in(message);
    return fmt::format("{}={}: allowed is {}{}", said->before, choice->before, listed(choices),
                       base::suggestion(choice->before, choices));
  }
  if (const auto unit = halves(said->after, " unit not recognized")) {
    return fmt::format("{}: unknown unit {}; allowed is B, KB, MB, GB, KiB, MiB or GiB", said->before, unit->before);
  }
  return message;
}

// "--input: 1 required MACHINE missing"
std::string explain_mismatch(const std::string& message) {
  const std::size_t colon = message.find(": ");
  return message.ends_with(" missing") && colon != std::string::npos ? message.substr(0, colon) + " needs a value"
                                                                     : message;
}

}  // namespace

std::string explain(const CLI::ParseError& error, const CLI::App& chosen, const Global& global) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return explain_extra(chosen, global);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return explain_conversion(message);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return explain_validation(message);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return explain_mismatch(message);
  return message;
}

std::string missing_verb(const VerbText& verb) {
  const std::string what = verb.path == "weir" ? "no verb given" : verb.label() + " needs more";
  return fmt::format("{}; allowed is {}{}", what, listed(verb_names(verb)), see_help(verb));
}

}  // namespace weir::tool
