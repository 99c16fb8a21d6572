// SPDX-License-Identifier: Apache-2.0

#include "arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

namespace weir::tool {

namespace {

std::vector<const CLI::App*> verbs_below(const CLI::App& verb) {
  return verb.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* find_below(const CLI::App& verb, const std::string& name) {
  for (const CLI::App* below : verbs_below(verb)) {
    if (below->get_name() == name) return below;
  }
  return nullptr;
}

// The option of that name of the verb, or of one below it, whose own verb may still come; null: there is none.
const CLI::Option* find_option(const CLI::App& verb, const std::string& name) {
  if (const CLI::Option* const own = verb.get_option_no_throw(name)) return own;
  for (const CLI::App* below : verbs_below(verb)) {
    if (const CLI::Option* const found = find_option(*below, name)) return found;
  }
  return nullptr;
}

bool is_list(const CLI::Option& option) {
  return option.get_delimiter() == ',' || option.get_type_name().starts_with("LIST");
}

bool lacks_an_element(const std::string& list) {
  return list.starts_with(",") || list.ends_with(",") || list.find(",,") != std::string::npos;
}

// `option` is null where there is none of that name.
std::string mistake_in(const std::string& name, const CLI::Option* option, const std::string& value) {
  if (option == nullptr || !is_list(*option) || !lacks_an_element(value)) return "";
  return fmt::format("{}={}: a list needs a value before and behind each comma", name, value);
}

class Arranger {
 public:
  Arranger(const CLI::App& app, const Global& global) : app_(app), verb_(&app), global_(global) {}

  Arguments arrange(std::vector<std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!verbs_end_ && word == "--") {
        verbs_end_ = true;
        behind_.push_back(word);
      } else if (!verbs_end_ && word.starts_with("-")) {
        i += option(word, i + 1 < words.size() ? &words[i + 1] : nullptr);
      } else if (const CLI::App* const below = verbs_end_ ? nullptr : find_below(*verb_, word)) {
        verb_ = below;
        verbs_.push_back(word);
      } else {
        behind_.push_back(word);
        if (!global_.entries.at(verb_).takes_program) continue;
        result_.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
        break;
      }
    }
    result_.ours = std::move(verbs_);
    result_.ours.insert(result_.ours.end(), behind_.begin(), behind_.end());
    return std::move(result_);
  }

 private:
  // -n=2, of which CLI11 would take =2 for the value.
  bool is_short_with_equals(const std::string& word) const {
    if (word.size() < 4 || word[1] == '-' || word[2] != '=') return false;
    const CLI::Option* const known = find_option(*verb_, word.substr(0, 2));
    return known != nullptr && known->get_items_expected_max() != 0;
  }

  // Returns how many of the words behind it are its value.
  std::size_t option(const std::string& word, const std::string* next) {
    if (is_short_with_equals(word)) {
      const std::string value = word.substr(3);
      option(word.substr(0, 2), &value);
      return 0;
    }
    const std::size_t equals = word.find('=');
    const bool has_value = equals != std::string::npos;
    const CLI::Option* const known = find_option(*verb_, word.substr(0, equals));
    const bool takes_next = !has_value && known != nullptr && known->get_items_expected_max() != 0 && next != nullptr;
    if (has_value && equals == word.size() - 1 && result_.mistake.empty())
      result_.mistake = fmt::format("{} needs a value behind it", word);
    if (result_.mistake.empty() && (has_value || takes_next))
      result_.mistake = mistake_in(word.substr(0, equals), known, takes_next ? *next : word.substr(equals + 1));
    // What the program alone has (--version) needs no verb.
    const bool is_programs = app_.get_option_no_throw(word) != nullptr && word == "--version";
    std::vector<std::string>& to = is_programs ? verbs_ : behind_;
    to.push_back(word);
    if (takes_next) to.push_back(*next);
    return takes_next ? 1 : 0;
  }

  const CLI::App& app_;
  const CLI::App* verb_;
  const Global& global_;
  bool verbs_end_ = false;           // behind --
  std::vector<std::string> verbs_;   // their names, outermost first
  std::vector<std::string> behind_;  // what comes behind the innermost
  Arguments result_;
};

}  // namespace

Arguments arrange(int argc, const char* const* argv, const CLI::App& app, const Global& global) {
  return Arranger(app, global).arrange(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}

}  // namespace weir::tool
