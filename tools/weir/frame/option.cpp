// SPDX-License-Identifier: Apache-2.0

#include "option.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <type_traits>

#include "base/joined.hpp"
#include "describe.hpp"
#include "errors.hpp"

namespace weir::tool {

namespace {

// `allowed` as the error is to say it; CLI11's own checks of numbers with a fraction write six digits after the point.
template <class Allows>
CLI::Validator check_number(const std::string& allowed, Allows allows) {
  std::function<std::string(std::string&)> check = [allowed, allows](std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && allows(value)) return "";
    return fmt::format("Value {} not in range {}", text, allowed);
  };
  return {std::move(check), allowed};
}

// CLI11 takes 0x10 for 16, and 010 for 8.
std::string make_decimal(std::string& text) {
  const std::size_t digits = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const bool has_a_prefix = text.size() > digits + 1 && text[digits] == '0' &&
                            std::isalpha(static_cast<unsigned char>(text[digits + 1])) != 0;
  if (has_a_prefix) return fmt::format("{}{}", text, kNotDecimal);
  const bool is_whole = text.find_first_not_of("0123456789", digits) == std::string::npos;
  while (is_whole && text.size() > digits + 1 && text[digits] == '0') text.erase(digits, 1);
  return "";
}

template <class Value>
constexpr bool kIsNumber = std::is_arithmetic_v<Value> || std::is_same_v<Value, std::vector<int>>;

}  // namespace

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::default_str(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::comma_separated() {
  option_->delimiter(',');
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

// CLI11 keeps the text of what checks a value with the option, and describe() reads it there.
Option& Option::offers(const std::vector<std::string>& words) {
  const auto allow_all = [](std::string&) { return std::string(); };
  option_->check(CLI::Validator(allow_all, fmt::format("{}{}>", kOffers, base::joined(words, ","))));
  return *this;
}

Option& Option::among(const std::vector<std::string>& choices) {
  option_->check(CLI::IsMember(choices));
  return *this;
}

Option& Option::positive() {
  option_->check(check_number("more than 0", [](double value) { return value > 0; }));
  return *this;
}

Option& Option::between(double least, double most) {
  option_->check(check_number(fmt::format("{:g} to {:g}", least, most),
                              [least, most](double value) { return value >= least && value <= most; }));
  return *this;
}

Option& Option::between_integers(std::int64_t least, std::int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

template <class Value>
Option add_option(CLI::App& verb, const std::string& name, Value& value, const std::string& help) {
  CLI::Option& option = *verb.add_option(name, value, help);
  if constexpr (kIsNumber<Value>) option.transform(CLI::Validator(&make_decimal, ""));
  return Option(option);
}

template Option add_option(CLI::App&, const std::string&, std::string&, const std::string&);
template Option add_option(CLI::App&, const std::string&, int&, const std::string&);
template Option add_option(CLI::App&, const std::string&, std::int64_t&, const std::string&);
template Option add_option(CLI::App&, const std::string&, std::uint64_t&, const std::string&);
template Option add_option(CLI::App&, const std::string&, double&, const std::string&);
template Option add_option(CLI::App&, const std::string&, std::vector<std::string>&, const std::string&);
template Option add_option(CLI::App&, const std::string&, std::vector<int>&, const std::string&);

Option add_flag(CLI::App& verb, const std::string& name, bool& value, const std::string& help) {
  return Option(*verb.add_flag(name, value, help));
}

void remove_option(CLI::App& verb, const std::string& name) { verb.remove_option(verb.get_option(name)); }

std::string name_of(const CLI::App& verb) { return verb.get_name(); }

std::vector<std::string> names_below(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::App* below : verb.get_subcommands({})) names.push_back(below->get_name());
  return names;
}

}  // namespace weir::tool
