// SPDX-License-Identifier: Apache-2.0

#include "runtime/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>

#include "base/joined.hpp"
#include "base/nearest.hpp"
#include "check/hooks.hpp"
#include "memory/node_numbers.hpp"
#include "platform/uncaught.hpp"
#include "weir/error.hpp"

extern "C" char** environ;

namespace weir {

Options Options::from_environment() {
  auto options = runtime::options_from(runtime::environment());
  if (!options) throw Error(options.status().message);
  return *std::move(options);
}

}  // namespace weir

namespace weir::runtime {

namespace {

using base::Code;
using base::Status;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// True when all of `text` is one whole number.
bool read_number(std::string_view text, long& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void read_limits(std::string_view allowed, long& least, long& most) {
  const std::size_t dots = allowed.find("..");
  const bool good = dots != std::string_view::npos && read_number(allowed.substr(0, dots), least) &&
                    read_number(allowed.substr(dots + 2), most);
  WEIR_CHECK(good, "options.def: an int needs its limits as least..most");
}

// A line of options.def.
struct Line {
  std::string_view name;
  OptionField field;
  std::string_view allowed, unit, help;
};

constexpr Line kLines[] = {
#define WEIR_OPTIONS(name, type, initial, allowed, unit, help) {#name, &Options::name, allowed, unit, help},
#include "weir/options.def"
#undef WEIR_OPTIONS
};

OptionInfo make_info(const Line& line) {
  OptionInfo info;
  info.name = line.name;
  info.unit = line.unit;
  info.help = line.help;
  info.field = line.field;
  if (info.is_number()) {
    read_limits(line.allowed, info.least, info.most);
  } else if (!line.allowed.empty()) {
    info.choices = split(line.allowed, '|');
  }
  info.initial = option_text(Options{}, info);
  return info;
}

std::vector<OptionInfo> make_table() {
  std::vector<OptionInfo> table;
  for (const Line& line : kLines) table.push_back(make_info(line));
  return table;
}

constexpr std::string_view kPrefix = "WEIR_";

std::vector<std::string> names(std::string (*spelled)(std::string_view)) {
  std::vector<std::string> result;
  for (const OptionInfo& info : option_table()) result.push_back(spelled(info.name));
  return result;
}

// Environment modules and package managers set such variables for every package: where it is, and which one it is.
bool describes_a_package(std::string_view name) {
  constexpr std::string_view kNames[] = {"ROOT",    "DIR",    "HOME",      "BASE",   "PREFIX",    "PATH",
                                         "VERSION", "SOURCE", "BIN",       "BINDIR", "BIN_DIR",   "BIN_PATH",
                                         "SHARE",   "MAN",    "CMAKE_DIR", "CONFIG", "PKGCONFIG", "MODULE"};
  name.remove_prefix(kPrefix.size());
  const bool is_folder = name.starts_with("LIB") || name.starts_with("INC");
  return is_folder || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// "; did you mean WEIR_WORKERS?"; "" when no variable of ours is near. The prefix that all have counts for nothing.
std::string meant_by(std::string_view name) {
  if (describes_a_package(name)) return "";
  const std::vector<std::string> known = names([](std::string_view option) { return std::string(option); });
  const std::string_view near = base::nearest(name.substr(kPrefix.size()), known);
  return near.empty() ? "" : "; did you mean " + variable(near) + "?";
}

Status refuse(const OptionInfo& info, std::string_view said, std::string_view value) {
  const bool is_fraction = info.is_number() && value.find('.') != value.npos;  // it may lie between the limits
  return {Code::bad_option, fmt::format("{}={}: allowed is {}{}{}", said, value, is_fraction ? "a whole number, " : "",
                                        info.allowed(), base::suggestion(value, info.choices))};
}

bool read(const OptionInfo& info, std::string_view text, int& to) {
  long value = 0;
  if (!read_number(text, value) || value < info.least || value > info.most) return false;
  to = static_cast<int>(value);
  return true;
}

bool read(const OptionInfo&, std::string_view text, std::string& to) {
  to = text;
  return true;
}

template <class Enumeration>
requires std::is_enum_v<Enumeration>
bool read(const OptionInfo& info, std::string_view text, Enumeration& to) {
  const auto found = std::find(info.choices.begin(), info.choices.end(), text);
  if (found == info.choices.end()) return false;
  to = static_cast<Enumeration>(found - info.choices.begin());
  return true;
}

// The value, as a number, when it is none that the option may have.
std::optional<int> number_beyond(const OptionInfo& info, int value) {
  return value < info.least || value > info.most ? std::optional(value) : std::nullopt;
}
std::optional<int> number_beyond(const OptionInfo&, const std::string&) { return std::nullopt; }
template <class Enumeration>
requires std::is_enum_v<Enumeration> std::optional<int> number_beyond(const OptionInfo& info, Enumeration value) {
  const auto number = static_cast<std::size_t>(value);
  return number >= info.choices.size() ? std::optional(static_cast<int>(number)) : std::nullopt;
}

std::string write(const OptionInfo&, int value) { return std::to_string(value); }
std::string write(const OptionInfo&, const std::string& value) { return value; }

template <class Enumeration>
requires std::is_enum_v<Enumeration> std::string write(const OptionInfo& info, Enumeration value) {
  return info.choices.at(static_cast<std::size_t>(value));
}

}  // namespace

std::string OptionInfo::allowed() const {
  if (is_number()) return fmt::format("{} to {}{}{}", least, most, unit.empty() ? "" : " ", unit);
  if (choices.empty()) return "any text";
  return fmt::format("{} or {}", base::joined(std::span(choices).first(choices.size() - 1), ", "), choices.back());
}

std::span<const OptionInfo> option_table() {
  static const std::vector<OptionInfo> table = make_table();
  return table;
}

std::string dashed(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

std::string variable(std::string_view name) {
  std::string result(kPrefix);
  for (const char c : name) result += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

Status set_option(Options& options, std::string_view name, std::string_view value, std::string_view said) {
  const auto table = option_table();
  const auto info = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
  if (info == table.end()) {
    return {Code::bad_option, fmt::format("{}: no such option{}", said, base::suggestion(said, names(&dashed)))};
  }
  const bool good = std::visit([&](auto field) { return read(*info, value, options.*field); }, info->field);
  return good ? Status::success() : refuse(*info, said, value);
}

std::string option_text(const Options& options, const OptionInfo& info) {
  return std::visit([&](auto field) { return write(info, options.*field); }, info.field);
}

Status check_numbers(const Options& options) {
  for (const OptionInfo& info : option_table()) {
    const auto wrong = std::visit([&](auto field) { return number_beyond(info, options.*field); }, info.field);
    if (wrong) return refuse(info, "options." + info.name, std::to_string(*wrong));
  }
  const auto nodes = memory::node_numbers("island_nodes", options.island_nodes);
  return nodes ? Status::success() : nodes.status();
}

void heed_trace_variable(Options& options) {
  if (const char* const trace = std::getenv("WEIR_TRACE"); trace != nullptr && options.trace.empty())
    options.trace = trace;
}

std::vector<std::pair<std::string, std::string>> environment() {
  std::vector<std::pair<std::string, std::string>> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (!text.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    if (text.substr(0, equals) == check::kVariable) continue;  // no option: src/check reads it
    found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

base::Result<Options> options_from(std::span<const std::pair<std::string, std::string>> variables) {
  Options options;
  const std::vector<std::string> known = names(&variable);
  for (const auto& [name, value] : variables) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      const std::string meant = meant_by(name);
      if (meant.empty()) continue;  // another's
      return Status{Code::bad_option, fmt::format("unknown variable {}{}", name, meant)};
    }
    const OptionInfo& info = option_table()[static_cast<std::size_t>(found - known.begin())];
    if (auto status = set_option(options, info.name, value, name); !status) return status;
  }
  return options;
}

}  // namespace weir::runtime
