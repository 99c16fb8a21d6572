// SPDX-License-Identifier: Apache-2.0

#include "machine/description.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>

#include "machine/read_topology.hpp"
#include "platform/file_io.hpp"
#include "platform/trial.hpp"

namespace weir::machine {
namespace {

struct Mistake {
  std::size_t at;  // offset in the text
  std::string message;
};

// Reads a synthetic string from left to right; a Mistake is thrown to check_synthetic() and goes no farther.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  void parse() {
    for (skip_spaces(); !at_end(); skip_spaces()) {
      if (peek() == '[') {
        memory();
      } else {
        level();
      }
    }
    if (levels_ == 0) throw Mistake{at_, "no level; write for instance core:4 pu:1"};
    if (last_type_ != HWLOC_OBJ_PU) throw Mistake{last_at_, "the last level must be pu"};
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
  void skip_spaces() {
    while (is_space(peek())) ++at_;
  }
  std::string_view word(std::string_view ends) {
    const std::size_t start = at_;
    while (!at_end() && !is_space(peek()) && ends.find(peek()) == std::string_view::npos) ++at_;
    return text_.substr(start, at_ - start);
  }

  void level() {
    const std::size_t start = at_;
    const bool bare = std::isdigit(static_cast<unsigned char>(peek())) != 0;
    hwloc_obj_type_t type = bare ? HWLOC_OBJ_TYPE_MAX : level_type();
    if (!bare && peek() != ':') throw Mistake{at_, "expected ':' and a count after the type"};
    if (!bare) ++at_;
    count(type == HWLOC_OBJ_NUMANODE);
    if (peek() == '(') attributes();
    if (!at_end() && !is_space(peek()) && peek() != '[') throw Mistake{at_, fmt::format("unexpected '{}'", peek())};
    skip_spaces();
    // hwloc takes a last level without a type for PUs.
    if (bare && at_end()) type = HWLOC_OBJ_PU;
    follow(type, start);
  }

  void follow(hwloc_obj_type_t type, std::size_t start) {
    if (last_type_ == HWLOC_OBJ_PU) throw Mistake{start, "pu must be the last level"};
    if (type == HWLOC_OBJ_NUMANODE && attached_)
      throw Mistake{start, "numa as a level and as [numa] exclude each other"};
    if (type != HWLOC_OBJ_TYPE_MAX && type != HWLOC_OBJ_GROUP && !seen_.insert(type).second) {
      throw Mistake{start, fmt::format("a second level of type {}", hwloc_obj_type_string(type))};
    }
    last_type_ = type;
    last_at_ = start;
    ++levels_;
  }

  hwloc_obj_type_t level_type() {
    const std::size_t start = at_;
    const std::string name(word(":(["));
    const auto type = type_named(name);
    const bool allowed = type == HWLOC_OBJ_NUMANODE || type == HWLOC_OBJ_PU || type == HWLOC_OBJ_CORE ||
                         type == HWLOC_OBJ_PACKAGE || type == HWLOC_OBJ_DIE || type == HWLOC_OBJ_GROUP ||
                         (type != HWLOC_OBJ_TYPE_MAX && hwloc_obj_type_is_cache(type) != 0);
    if (!allowed) {
      throw Mistake{start,
                    fmt::format("unknown type \"{}\"; there are pack, die, numa, group, l1 to l5, core, pu", name)};
    }
    return type;
  }

  // hwloc's parser of types accepts any prefix and then anything; the rest must be none or a cache's letter.
  static hwloc_obj_type_t type_named(const std::string& name) {
    hwloc_obj_type_t type = HWLOC_OBJ_TYPE_MAX;
    if (name.empty() || hwloc_type_sscanf(name.c_str(), &type, nullptr, 0) != 0) return HWLOC_OBJ_TYPE_MAX;
    return type;
  }

  void count(bool is_numa) {
    const std::size_t start = at_;
    unsigned long value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = std::size_t(end - text_.data());
    if (at_ == start) throw Mistake{start, "expected a count, a whole number of 1 or more"};
    if (error == std::errc() && value == 0) throw Mistake{start, "a count of 0"};
    if (error != std::errc() || value > kMaxDescribedCpus / total_) {
      throw Mistake{start, fmt::format("more than {} objects", kMaxDescribedCpus)};
    }
    total_ *= value;
    if (is_numa && total_ > kMaxDescribedCpus / 8) throw Mistake{start, "more than 8192 memory nodes"};
  }

  void memory() {
    const std::size_t start = at_++;
    const std::size_t type_at = at_;
    const std::string name(word(":(])"));
    if (type_named(name) != HWLOC_OBJ_NUMANODE) throw Mistake{type_at, "only [numa] can be attached"};
    if (seen_.count(HWLOC_OBJ_NUMANODE) != 0) throw Mistake{start, "numa as a level and as [numa] exclude each other"};
    const bool has_memory = peek() == '(' && attributes();
    if (peek() != ']') throw Mistake{at_, "expected ']'"};
    if (!has_memory) throw Mistake{at_, "[numa] needs a size, as in [numa(memory=16GB)]"};
    ++at_;
    attached_ = true;
  }

  // True when one of them is memory=.
  bool attributes() {
    ++at_;
    bool has_memory = false;
    for (;;) {
      while (is_space(peek()) || peek() == ',') ++at_;
      if (peek() == ')') break;
      has_memory = attribute() == "memory" || has_memory;
    }
    ++at_;
    return has_memory;
  }

  std::string_view attribute() {
    const std::size_t start = at_;
    const std::string_view key = word("=()[]");
    if (at_end() || (key.empty() && peek() != '=')) throw Mistake{at_, "expected ')'"};
    if (key != "memory" && key != "size" && key != "memorysidecachesize" && key != "indexes") {
      throw Mistake{start, fmt::format("unknown attribute \"{}\"; there are memory, size, indexes", key)};
    }
    if (peek() != '=') throw Mistake{at_, fmt::format("expected '=' after {}", key)};
    ++at_;
    if (key == "indexes") {
      indexes();
    } else {
      size();
    }
    return key;
  }

  void indexes() {
    const std::size_t start = at_;
    if (word(")").empty()) throw Mistake{start, "expected a list of indexes"};
  }

  void size() {
    const std::size_t start = at_;
    unsigned long long value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = std::size_t(end - text_.data());
    if (at_ == start || error != std::errc() || value == 0) throw Mistake{start, "expected a size such as 16GB"};
    const std::size_t unit_at = at_;
    const std::string_view unit = word("),");
    static const std::set<std::string_view> kUnits = {"",    "kB",  "KB",  "MB",  "GB", "TB",
                                                      "kiB", "KiB", "MiB", "GiB", "TiB"};
    if (kUnits.count(unit) == 0)
      throw Mistake{unit_at, fmt::format("unknown unit \"{}\"; there are kB to TB, KiB to TiB", unit)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t last_at_ = 0;
  int levels_ = 0;
  unsigned long total_ = 1;
  bool attached_ = false;
  std::set<hwloc_obj_type_t> seen_;
  hwloc_obj_type_t last_type_ = HWLOC_OBJ_TYPE_MAX;
};

base::Status refuse_file(const std::string& path, std::string_view why) {
  return {base::Code::bad_input, fmt::format("machine file {}: {}; write one with lstopo machine.xml", path, why)};
}

base::Result<Topology> load_file(const std::string& path) {
  Topology topology = new_topology();
  if (!topology || hwloc_topology_set_xml(topology.get(), path.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    return refuse_file(path, "not an XML file of hwloc");
  }
  return topology;
}

base::Result<Topology> load_synthetic(const std::string& text) {
  if (base::Status status = check_synthetic(text); !status) return status;
  Topology topology = new_topology();
  if (!topology || hwloc_topology_set_synthetic(topology.get(), text.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    return base::Status{base::Code::bad_input,
                        fmt::format("machine description, column 1: hwloc cannot build \"{}\"", text)};
  }
  return topology;
}

bool looks_like_a_file(const std::string& text) {
  std::error_code error;
  return text.ends_with(".xml") || text.find('/') != std::string::npos || std::filesystem::exists(text, error);
}

// What is asked of the topology of a described machine.
base::Result<Machine::Data> read_described(const Topology& topology) {
  base::Result<Machine::Data> data = read_topology(topology.get(), nullptr);
  if (!data) return base::Status{base::Code::bad_input, "machine description: " + data.status().message};
  data->is_this_system = false;  // hwloc believes otherwise under HWLOC_THISSYSTEM=1
  finish(*data);
  return data;
}

base::Result<Topology> load(const std::string& text) {
  if (looks_like_a_file(text)) return load_file(text);
  base::Result<Topology> topology = load_synthetic(text);
  const bool is_a_word = text.find_first_of(": ") == std::string::npos;
  if (topology || !is_a_word) return topology;
  base::Status status = topology.status();
  status.message += fmt::format("; nor is there a file {}", text);
  return status;
}

// "": it could be read.
std::string read_in_child(const std::string& path) {
  const base::Result<Topology> topology = load_file(path);
  if (!topology) return topology.status().message;
  const base::Result<Machine::Data> data = read_described(*topology);
  return data ? "" : refuse_file(path, data.status().message).message;
}

base::Status check_file(const std::string& path) {
  if (base::Status status = platform::check_readable(path); !status) {
    status.message = "machine file " + status.message;
    return status;
  }
  const std::string kind = platform::kind_of(path);
  if (!kind.empty()) return refuse_file(path, fmt::format("it is {}, no file", kind));
  std::error_code error;
  if (std::filesystem::file_size(path, error) == 0) return refuse_file(path, "it is empty");
  return base::Status::success();
}

}  // namespace

base::Status check_synthetic(std::string_view text) {
  try {
    Parser(text).parse();
  } catch (const Mistake& mistake) {
    return {base::Code::bad_input, fmt::format("machine description, column {}: {}", mistake.at + 1, mistake.message)};
  }
  return base::Status::success();
}

base::Status try_file(const std::string& path) {
  constexpr std::uint64_t kPatience = 30'000'000'000;  // ns
  if (base::Status status = check_file(path); !status) return status;
  const platform::Trial trial = platform::try_in_child([&] { return read_in_child(path); }, kPatience);
  switch (trial.end) {
    case platform::Trial::End::returned:
      return trial.said.empty() ? base::Status::success() : base::Status{base::Code::bad_input, trial.said};
    case platform::Trial::End::crashed:
      return refuse_file(path, "it is damaged: hwloc, the library that reads it, crashes on it");
    case platform::Trial::End::late:
      return refuse_file(path, "it is damaged: hwloc, the library that reads it, has not read it in 30 s");
    case platform::Trial::End::no_child: break;
  }
  return refuse_file(path, fmt::format("no process to try it in: {}", std::strerror(trial.number)));
}

base::Result<Machine> Machine::from_description(const std::string& text) {
  if (looks_like_a_file(text)) {
    if (base::Status status = try_file(text); !status) return status;
  }
  const base::Lock lock(hwloc_mutex);
  base::Result<Topology> topology = load(text);
  if (!topology) return topology.status();
  base::Result<Data> data = read_described(*topology);
  if (!data) return data.status();
  return Machine(std::make_shared<const Data>(std::move(data).value()));
}

}  // namespace weir::machine
