// SPDX-License-Identifier: Apache-2.0

// A file of hosts: a name on each line, with how many ranks it takes where that is known: "node1", "node1 slots=4",
// "node1:4". What follows a # is a comment. Pure but for read_host_file(); any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::launch {

struct Host {
  std::string name;
  std::optional<std::uint32_t> slots;  // ranks that it takes; none: the file does not say
  friend bool operator==(const Host&, const Host&) = default;
};

// At least one host, each name once: what is said twice of one adds up. bad_input: "FILE:3: ..." names the first wrong
// line.
base::Result<std::vector<Host>> hosts_of(std::string_view text, const std::string& file);
base::Result<std::vector<Host>> read_host_file(const std::string& file);

// How many of the ranks each host runs, in the order of the file: those with slots take as many first, those without
// share the rest evenly. More ranks than slots are shared evenly by all.
std::vector<std::uint32_t> ranks_of(std::span<const Host> hosts, std::uint32_t ranks);

}  // namespace weir::launch
