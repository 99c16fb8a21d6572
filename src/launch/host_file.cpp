// SPDX-License-Identifier: Apache-2.0

#include "launch/host_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/one_line.hpp"
#include "platform/file_io.hpp"

namespace weir::launch {

namespace {

using base::Code;
using base::Status;

constexpr std::uint32_t kMostSlots = 65536;

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line.substr(0, line.find('#')))};
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

std::optional<std::uint32_t> slots_in(std::string_view text) {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value == 0 || value > kMostSlots)
    return std::nullopt;
  return value;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.front() != '-' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") ==
             std::string_view::npos;
}

// `line` as a host; a message when it is none.
base::Result<Host> host_of(const std::vector<std::string>& words) {
  const auto wrong = [](std::string message) { return Status{Code::bad_input, std::move(message)}; };
  std::string_view name = words[0], slots;
  bool says_slots = words.size() == 2 && words[1].starts_with("slots=");
  if (says_slots) {
    slots = std::string_view(words[1]).substr(6);
  } else if (const std::size_t colon = name.find(':'); colon != std::string_view::npos && words.size() == 1) {
    says_slots = true;
    slots = name.substr(colon + 1);
    name = name.substr(0, colon);
  } else if (words.size() > 1) {
    return wrong(fmt::format("{} is not understood: a line is NAME, NAME slots=N or NAME:N", base::one_line(words[1])));
  }
  if (!is_name(name)) return wrong(fmt::format("{} is no name of a host", base::one_line(words[0])));
  Host host{std::string(name), std::nullopt};
  if (!says_slots) return host;
  host.slots = slots_in(slots);
  if (!host.slots)
    return wrong(fmt::format("host {} has {} slots: allowed is 1 to {}", host.name, base::one_line(slots), kMostSlots));
  return host;
}

void add(std::vector<Host>& hosts, Host host) {
  const auto same = std::find_if(hosts.begin(), hosts.end(), [&](const Host& each) { return each.name == host.name; });
  if (same == hosts.end())
    hosts.push_back(std::move(host));
  else if (same->slots || host.slots)
    same->slots = same->slots.value_or(1) + host.slots.value_or(1);
  else
    same->slots = 2;
}

}  // namespace

base::Result<std::vector<Host>> hosts_of(std::string_view text, const std::string& file) {
  std::vector<Host> hosts;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string> words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    auto host = host_of(words);
    if (!host) return Status{Code::bad_input, fmt::format("{}:{}: {}", file, number, host.status().message)};
    add(hosts, *std::move(host));
  }
  if (hosts.empty()) return Status{Code::bad_input, fmt::format("{}: names no host", file)};
  return hosts;
}

base::Result<std::vector<Host>> read_host_file(const std::string& file) {
  if (const Status readable = platform::check_readable(file); !readable)
    return Status{readable.code, "host file " + readable.message};
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return hosts_of(text.str(), file);
}

std::vector<std::uint32_t> ranks_of(std::span<const Host> hosts, std::uint32_t ranks) {
  std::vector<std::uint32_t> result(hosts.size(), 0);
  std::uint32_t left = ranks, sharing = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    result[i] = std::min(hosts[i].slots.value_or(0), left);
    left -= result[i];
    if (!hosts[i].slots) ++sharing;
  }
  const bool all_share = sharing == 0;
  if (all_share) sharing = static_cast<std::uint32_t>(hosts.size());
  for (std::size_t i = 0; i < hosts.size() && left > 0; ++i) {
    if (hosts[i].slots && !all_share) continue;
    const std::uint32_t part = (left + sharing - 1) / sharing;
    result[i] += part;
    left -= part;
    --sharing;
  }
  return result;
}

}  // namespace weir::launch
