// SPDX-License-Identifier: Apache-2.0

#include "platform/source_lines.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "platform/process.hpp"
#include "platform/symbol_names.hpp"

namespace weir::platform {

namespace {

constexpr double kPatienceS = 20;  // debug information of a large program is read from a slow disk

// What the dynamic linker knows.
SourceLine look_up(const void* address) {
  SourceLine result;
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return result;
  const bool program = map->l_name == nullptr || map->l_name[0] == '\0';
  std::array<char, 4096> path{};
  if (program && readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return result;
  result.module = program ? path.data() : map->l_name;
  result.offset = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(address) - map->l_addr);
  if (info.dli_sname != nullptr) result.function = demangled(info.dli_sname);
  return result;
}

bool is_ours(std::string_view file) {
  return file.find("/include/weir/") != std::string_view::npos || file.find("/include/c++/") != std::string_view::npos;
}

// "(anonymous namespace)::f(int) [clone .part.0]", as some compilers' debug information has it, is "f", as others' has.
std::string shortened(std::string_view function) {
  std::string name(function.substr(0, function.find(" [clone ")));
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (auto at = name.find(kUnnamed); at != name.npos; at = name.find(kUnnamed)) name.erase(at, kUnnamed.size());
  if (!name.ends_with(')') || name.ends_with("operator()")) return name;
  std::size_t begin = name.size();
  for (int depth = 0; begin-- != 0;) {
    depth += name[begin] == ')' ? 1 : name[begin] == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  return begin != 0 && begin < name.size() ? name.substr(0, begin) : name;
}

// Of one address: pairs of lines, function and file:line, from the innermost inlined function outwards.
void read_frames(std::string_view text, SourceLine& to) {
  while (!text.empty()) {
    const std::string_view function = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), function.size() + 1));
    std::string_view place = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), place.size() + 1));
    place = place.substr(0, place.find(" (discriminator"));
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) return;
    const std::string_view file = place.substr(0, colon);
    if (function != "??") to.function = shortened(function);
    if (file == "??") continue;
    to.file = std::filesystem::path(file).lexically_normal();
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), to.line);
    if (!is_ours(file)) return;
  }
}

void ask(const std::string& module, const std::vector<SourceLine*>& all) {
  // Of a long list a part at a time: what a command line holds is limited.
  constexpr std::size_t kMost = 1000;
  for (std::size_t first = 0; first < all.size(); first += kMost) {
    const std::size_t last = std::min(first + kMost, all.size());
    std::vector<std::string> command{"addr2line", "-a", "-f", "-i", "-C", "-e", module};
    // The call itself lies before the address that it returns to.
    for (std::size_t i = first; i < last; ++i) command.push_back(fmt::format("{:#x}", all[i]->offset - 1));
    const auto ran = run({std::move(command)}, kPatienceS);
    // The process is the user's, and may ignore SIGCHLD: then what was said is all that is known of the end.
    if (!ran || !ran->in_time || (ran->end.known && !ran->end.well())) continue;
    std::string_view text = ran->out;
    for (std::size_t i = first; i < last && text.starts_with("0x"); ++i) {
      text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
      const std::size_t next = text.find("\n0x");
      read_frames(text.substr(0, next), *all[i]);
      text.remove_prefix(next == std::string_view::npos ? text.size() : next + 1);
    }
  }
}

}  // namespace

std::string SourceLine::text() const {
  if (!file.empty() && line == 0) {  // from the table of symbols
    const std::string name = std::filesystem::path(file).filename();
    return function.empty() ? fmt::format("{} (compile with -g for the line)", name)
                            : fmt::format("{} ({}; compile with -g for the line)", function, name);
  }
  if (!file.empty())
    return function.empty() ? fmt::format("{}:{}", file, line) : fmt::format("{}:{} ({})", file, line, function);
  if (module.empty()) return "an unknown place";
  const std::string where = fmt::format("{}+{:#x}", module, offset);
  return function.empty() ? where : fmt::format("{} ({})", function, where);
}

std::vector<SourceLine> find_source(std::span<const void* const> addresses) {
  std::vector<SourceLine> result;
  result.reserve(addresses.size());
  std::map<std::string, std::vector<SourceLine*>> by_module;
  for (const void* const address : addresses) {
    SourceLine& line = result.emplace_back(look_up(address));
    if (!line.module.empty()) by_module[line.module].push_back(&line);
  }
  for (const auto& [module, lines] : by_module) ask(module, lines);
  return result;
}

}  // namespace weir::platform
