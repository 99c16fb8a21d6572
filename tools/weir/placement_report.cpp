// SPDX-License-Identifier: Apache-2.0

#include "placement_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/joined.hpp"

namespace weir::tool {

namespace {

struct Unit {
  const char* name;
  double bytes;
};

Unit unit_for(std::uint64_t bytes) {
  if (bytes >= 1'000'000'000) return {"GB", 1e9};
  if (bytes >= 1'000'000) return {"MB", 1e6};
  return {"kB", 1e3};
}

std::string in(Unit unit, std::uint64_t bytes) { return fmt::format("{:.1f}", double(bytes) / unit.bytes); }

std::string text_of(std::uint64_t bytes) {
  const Unit unit = unit_for(bytes);
  return fmt::format("{} {}", in(unit, bytes), unit.name);
}

bool is_same(const PlacedProcess& one, const PlacedProcess& other) {
  return one.pid == other.pid && one.identity == other.identity;
}

// One that has told before, when it was about to restrict itself, has not done that then.
void read_end(std::istringstream& words, std::vector<PlacedProcess>& processes) {
  PlacedProcess told;
  if (!(words >> told.pid >> told.identity >> told.failures)) return;
  const auto found = std::find_if(processes.rbegin(), processes.rend(),
                                  [&](const PlacedProcess& process) { return is_same(process, told); });
  if (found == processes.rend()) return;
  *found = std::move(told);
  found->ended = true;
  for (std::string word; words >> word && word != placer::kName;) {
    std::size_t kind = 0;
    int node = 0;
    unsigned long long bytes = 0;
    if (word == placer::kOwnMalloc) found->own_malloc = true;
    if (std::sscanf(word.c_str(), "%zu:%d:%llu", &kind, &node, &bytes) == 3 && kind < placer::kKinds)
      found->bytes[kind][node] += bytes;
  }
  std::getline(words >> std::ws, found->name);
}

bool contains(const std::vector<int>& nodes, int node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

bool is_asked_for(std::size_t kind, const PlacementWords& words) {
  return !words.only_large || static_cast<placer::Kind>(kind) == placer::Kind::large;
}

// What was asked to be there, and is.
std::uint64_t bytes_on(int node, const PlacedProcess& process, const PlacementWords& words) {
  std::uint64_t bytes = 0;
  for (std::size_t kind = 0; kind < placer::kKinds; ++kind)
    if (const auto found = process.bytes[kind].find(node);
        is_asked_for(kind, words) && found != process.bytes[kind].end())
      bytes += found->second;
  return bytes;
}

std::string names(const PlacedProcess& process, const PlacementWords& words, Unit unit) {
  if (words.nodes.size() == 1) return words.name_of(words.nodes.front());
  std::vector<std::string> result;
  for (const int node : words.nodes)
    result.push_back(fmt::format("{} ({})", words.name_of(node), in(unit, bytes_on(node, process, words))));
  return base::joined(result, ", ");
}

}  // namespace

std::vector<PlacedProcess> read_placements(std::string_view text) {
  std::vector<PlacedProcess> processes;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "end") read_end(words, processes);
    PlacedProcess begun;
    if (what != "start" || !(words >> begun.pid >> begun.identity)) continue;
    // One that has become another program: what it was before is gone.
    std::erase_if(processes, [&](const PlacedProcess& process) { return is_same(process, begun) && !process.ended; });
    processes.push_back(std::move(begun));
  }
  return processes;
}

std::uint64_t bytes_of(const PlacedProcess& process) {
  std::uint64_t all = 0;
  for (const auto& nodes : process.bytes)
    for (const auto& [node, bytes] : nodes) all += bytes;
  return all;
}

std::string placement_text(const PlacedProcess& process, const PlacementWords& words) {
  std::uint64_t asked = 0, there = 0;
  std::string elsewhere;
  for (std::size_t kind = 0; kind < placer::kKinds; ++kind) {
    for (const auto& [node, bytes] : process.bytes[kind]) {
      const bool is_asked = is_asked_for(kind, words);
      const bool is_there = is_asked && contains(words.nodes, node);
      if (is_asked) asked += bytes;
      if (is_there) there += bytes;
      const std::string what =
          static_cast<placer::Kind>(kind) == placer::Kind::large ? words.large : placer::kKindNames[kind];
      if (!is_there) elsewhere += fmt::format("; {} {} in {}", text_of(bytes), what, words.name_of(node));
    }
  }
  const Unit unit = unit_for(asked);
  return fmt::format("{} of {} {}{} in {}{}", in(unit, there), in(unit, asked), unit.name,
                     words.only_large ? " " + words.large : "", names(process, words, unit), elsewhere);
}

std::string uneven_text(const PlacedProcess& process, const PlacementWords& words) {
  constexpr std::uint64_t kMatters = 4'000'000;
  const auto fewer = [&](int one, int other) {
    return bytes_on(one, process, words) < bytes_on(other, process, words);
  };
  const auto [least, most] = std::minmax_element(words.nodes.begin(), words.nodes.end(), fewer);
  if (least == words.nodes.end()) return "";
  const std::uint64_t low = bytes_on(*least, process, words), high = bytes_on(*most, process, words);
  if (high - low < kMatters || low >= high / 2) return "";
  return fmt::format("least has {}, in {}, and most {}, in {}", text_of(low), words.name_of(*least), text_of(high),
                     words.name_of(*most));
}

}  // namespace weir::tool
