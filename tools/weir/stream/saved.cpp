// SPDX-License-Identifier: Apache-2.0

#include "stream/saved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "frame/json_text.hpp"

namespace weir::tool {
namespace {

using Json = nlohmann::ordered_json;
using machine::Placement;
using machine::Stores;
using machine::StreamLoop;

// The value whose to_string() is `word`.
template <class Value>
Value named(const std::string& word, std::initializer_list<Value> values) {
  for (const Value value : values) {
    if (word == to_string(value)) return value;
  }
  throw std::invalid_argument(word);
}

SweepRow row_of(const Json& object) {
  SweepRow row;
  row.point.place =
      named(object.at("place").get<std::string>(), {Placement::compact, Placement::scatter, Placement::tile});
  row.point.domains = object.at("domains").get<std::vector<int>>();
  if (!object.at("memory").is_null()) row.point.memory = object.at("memory").get<std::string>();
  row.point.stores = named(object.at("stores").get<std::string>(), {Stores::temporal, Stores::non_temporal});
  row.point.threads = object.at("threads").get<int>();
  row.stream.loop = named(object.at("loop").get<std::string>(),
                          {StreamLoop::copy, StreamLoop::scale, StreamLoop::add, StreamLoop::triad});
  row.stream.best_gb_per_s = object.at("best_gb_per_s").get<double>();
  row.stream.median_gb_per_s = object.at("median_gb_per_s").get<double>();
  row.stream.average_seconds = object.at("average_seconds").get<double>();
  row.stream.best_seconds = object.at("min_seconds").get<double>();
  row.stream.worst_seconds = object.at("max_seconds").get<double>();
  for (const double speed : {row.stream.best_gb_per_s, row.stream.median_gb_per_s})
    if (!(speed > 0)) throw std::invalid_argument("a bandwidth");
  row.array_bytes = object.at("array_bytes").get<std::uint64_t>();
  row.instructions = object.at("instructions").get<std::string>();
  row.pages = object.at("pages").get<std::string>();
  row.machine = object.at("machine").get<std::string>();
  row.verified = object.at("verified").get<bool>();
  return row;
}

}  // namespace

Json object_of(const SweepRow& row) {
  const SweepPoint& point = row.point;
  return {{"loop", to_string(row.stream.loop)},
          {"stores", to_string(point.stores)},
          {"threads", point.threads},
          {"place", to_string(point.place)},
          {"domains", point.domains},
          {"memory", point.memory.empty() ? Json() : Json(point.memory)},
          {"array_bytes", row.array_bytes},
          {"instructions", row.instructions},
          {"pages", row.pages},
          {"best_gb_per_s", row.stream.best_gb_per_s},
          {"median_gb_per_s", row.stream.median_gb_per_s},
          {"average_seconds", row.stream.average_seconds},
          {"min_seconds", row.stream.best_seconds},
          {"max_seconds", row.stream.worst_seconds},
          {"verified", row.verified},
          {"machine", row.machine}};
}

base::Result<std::vector<SweepRow>> read_saved(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    return base::Status{base::Code::not_found, fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  try {
    std::vector<SweepRow> rows;
    for (const Json& object : Json::parse(file)) rows.push_back(row_of(object));
    if (!rows.empty()) return rows;
  } catch (const std::exception&) {
    // Told below, as what it should have been.
  }
  return base::Status{base::Code::bad_input,
                      fmt::format("{} is not what weir stream --save or --json has written", path)};
}

base::Status write_saved(const std::string& path, std::span<const SweepRow> rows) {
  Json objects = Json::array();
  for (const SweepRow& row : rows) objects.push_back(object_of(row));
  std::ofstream file(path);
  file << json_text(objects, 1) << '\n';
  file.close();
  if (file) return base::Status::success();
  return {base::Code::io_error, fmt::format("{} cannot be written", path)};
}

const SweepRow* same_in(std::span<const SweepRow> earlier, const SweepRow& row) {
  const auto found = std::find_if(earlier.begin(), earlier.end(), [&](const SweepRow& other) {
    return other.point == row.point && other.stream.loop == row.stream.loop;
  });
  return found == earlier.end() ? nullptr : &*found;
}

std::string differs(const SweepRow& then, const SweepRow& now) {
  if (then.machine != now.machine)
    return fmt::format("the earlier run was on {}, this one on {}", then.machine, now.machine);
  if (then.instructions != now.instructions)
    return fmt::format("the earlier run had {} loops, this one {}", then.instructions, now.instructions);
  if (then.pages != now.pages) return fmt::format("the earlier run had {} pages, this one {}", then.pages, now.pages);
  const double size = double(now.array_bytes) / double(std::max<std::uint64_t>(1, then.array_bytes));
  if (size > 0.9 && size < 1.1) return "";
  return fmt::format("the earlier run had arrays of {} bytes, this one of {}", then.array_bytes, now.array_bytes);
}

std::vector<std::string> differences(std::span<const SweepRow> earlier, std::span<const SweepRow> rows) {
  std::vector<std::string> all;
  for (const SweepRow& now : rows) {
    const SweepRow* const then = same_in(earlier, now);
    std::string one = differs(then != nullptr ? *then : earlier.front(), now);
    if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace weir::tool
