// SPDX-License-Identifier: Apache-2.0

#include "ocr/system/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "runtime/options.hpp"

namespace weir::ocr {

namespace {

constexpr std::string_view kOwnPrefix = "WEIR_OCR_";

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Without the remark at its end. In a value of Weir's a remark begins after a blank: a path may have those characters.
std::string_view without_remark(std::string_view text, bool is_of_weir) noexcept {
  for (std::size_t at = text.find_first_of("#;"); at != std::string_view::npos; at = text.find_first_of("#;", at + 1))
    if (!is_of_weir || at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t') return text.substr(0, at);
  return text;
}

// "0-3" or "5".
bool add_range(const std::string& text, std::set<int>& ids) {
  constexpr int kMostIds = 4096;
  int first = 0, last = 0, end_of_first = 0, end = 0;
  const int read = std::sscanf(text.c_str(), "%d %n- %d %n", &first, &end_of_first, &last, &end);
  if (read == 1) last = first, end = end_of_first;
  if (read < 1 || static_cast<std::size_t>(end) != text.size()) return false;
  if (first < 0 || last < first || last >= kMostIds) return false;
  for (int id = first; id <= last; ++id) ids.insert(id);
  return true;
}

// The ids of a section: some of those, with commas between. False when it is not that.
bool add_ids(std::string_view text, std::set<int>& ids) {
  const auto comma = text.find(',');
  if (!add_range(std::string(trimmed(text.substr(0, comma))), ids)) return false;
  return comma == std::string_view::npos || add_ids(text.substr(comma + 1), ids);
}

struct FileReader {
  Options& options;
  std::string file;
  std::string section;
  int line = 0;
  std::set<int> workers;
  bool says_workers = false;  // in [weir], which counts more than the ids
  std::set<std::string> ignored;

  bool in_workers() const { return section.rfind("WorkerInst", 0) == 0; }

  base::Status read_value(std::string_view key, std::string_view value) {
    if (section == "weir") {
      std::string name(key);
      std::replace(name.begin(), name.end(), '-', '_');
      says_workers = says_workers || name == "workers";
      return runtime::set_option(options, name, value, fmt::format("{}:{}: {}", file, line, key));
    }
    if (in_workers()) {
      if (key == "id" && !add_ids(value, workers))
        return {base::Code::bad_option,
                fmt::format("{}:{}: id = {}: it must be numbers below 4096 or ranges a-b of them, with commas between",
                            file, line, value)};
      return base::Status::success();
    }
    ignored.insert(section);
    return base::Status::success();
  }

  base::Status read_line(std::string_view text) {
    text = trimmed(without_remark(text, section == "weir"));
    if (text.empty()) return base::Status::success();
    if (text.front() == '[' && text.back() == ']') {
      section = trimmed(text.substr(1, text.size() - 2));
      return base::Status::success();
    }
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
      return {base::Code::bad_option, fmt::format("{}:{}: neither [section] nor key = value: {}", file, line, text)};
    return read_value(trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)));
  }

  void tell_ignored() const {
    if (ignored.empty()) return;
    std::string names;
    for (const std::string& name : ignored) names += fmt::format("{}[{}]", names.empty() ? "" : " ", name);
    std::fprintf(stderr, "weir: ocr: %s: these sections have no meaning here and are ignored: %s\n", file.c_str(),
                 names.c_str());
  }
};

// A folder can be opened as a file, and not be read.
base::Status cannot_read(const std::string& file) {
  const int error = errno;
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  return {base::Code::not_found, fmt::format("cannot read the configuration {}: {}; check -ocr:cfg or OCR_CONFIG", file,
                                             std::strerror(is_folder ? EISDIR : error))};
}

base::Status read_file(const std::string& file, Options& options) {
  std::ifstream in(file);
  if (!in) return cannot_read(file);
  FileReader reader{options, file, "", 0, {}, false, {}};
  for (std::string text; std::getline(in, text);) {
    ++reader.line;
    if (base::Status status = reader.read_line(text); !status) return status;
  }
  if (in.bad()) return cannot_read(file);
  if (!reader.workers.empty() && !reader.says_workers) options.workers = static_cast<int>(reader.workers.size());
  reader.tell_ignored();
  return base::Status::success();
}

base::Status read_own(Config& config, const std::string& name, const std::string& value) {
  const std::vector<std::string> known = {"REPORT", "SPREAD"};
  const std::string own = name.substr(kOwnPrefix.size());
  bool* const place = own == known[0] ? &config.report_at_end : own == known[1] ? &config.spreads : nullptr;
  if (place == nullptr) {
    const std::string meant(base::nearest(own, known));
    if (meant.empty()) return base::Status::success();  // another's
    return {base::Code::bad_option,
            fmt::format("{}: there is no such variable; did you mean {}{}?", name, kOwnPrefix, meant)};
  }
  if (value != "0" && value != "1")
    return {base::Code::bad_option, fmt::format("{}={}: it must be 0 or 1", name, value)};
  *place = value == "1";
  return base::Status::success();
}

}  // namespace

base::Result<Config> read_config(const std::string& file) {
  Config config;
  config.options.allocation = Allocation::local_fast;  // a block goes to the domain of its creator
  if (!file.empty()) {
    if (base::Status status = read_file(file, config.options); !status) return status;
  }
  std::vector<std::pair<std::string, std::string>> shared;
  for (auto& [name, value] : runtime::environment()) {
    if (name.rfind(kOwnPrefix, 0) != 0) {
      shared.emplace_back(name, value);
    } else if (base::Status status = read_own(config, name, value); !status) {
      return status;
    }
  }
  base::Result<Options> checked = runtime::options_from(shared);
  if (!checked) return checked.status();
  for (const runtime::OptionInfo& option : runtime::option_table()) {
    const auto set = std::find_if(shared.begin(), shared.end(),
                                  [&](const auto& entry) { return entry.first == runtime::variable(option.name); });
    if (set == shared.end()) continue;
    if (base::Status status = runtime::set_option(config.options, option.name, set->second, set->first); !status)
      return status;
  }
  return config;
}

base::Result<Arguments> take_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  if (const char* file = std::getenv("OCR_CONFIG")) arguments.file = file;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "-ocr:cfg") != 0) {
      arguments.left.push_back(const_cast<char*>(argv[i]));
      continue;
    }
    if (i + 1 >= argc || *argv[i + 1] == '\0') {
      return base::Status{base::Code::bad_option,
                          "-ocr:cfg: the FILE of the configuration is missing; say -ocr:cfg FILE, or leave both out"};
    }
    arguments.file = argv[++i];
  }
  return arguments;
}

}  // namespace weir::ocr
