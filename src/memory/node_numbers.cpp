// SPDX-License-Identifier: Apache-2.0

#include "memory/node_numbers.hpp"

#include <fmt/format.h>

#include <charconv>

namespace weir::memory {

base::Result<std::vector<int>> node_numbers(std::string_view option, std::string_view text) {
  std::vector<int> nodes;
  for (std::string_view rest = text; !rest.empty();) {
    int node = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), node);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const bool more = rest.size() > 1 && rest.front() == ',';
    if (error != std::errc() || node < 0 || node >= 1024 || (!rest.empty() && !more)) {
      return base::Status{
          base::Code::bad_option,
          fmt::format("{}={}: what is needed is memory nodes' numbers, as 0,1 (weir topo lists them)", option, text)};
    }
    if (more) rest.remove_prefix(1);
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace weir::memory
