// SPDX-License-Identifier: Apache-2.0

#include "data/engine/task_text.hpp"

#include <fmt/format.h>

#include "data/engine/block.hpp"

namespace weir::data::engine {

std::string task_text(const Request& request, SiteText site_text) {
  if (request.name[0] != '\0') return fmt::format("task {:?}", request.name);
  const auto uses = request.uses();
  std::string text = "a task without a name";
  if (!uses.empty()) text += fmt::format(" (its first block: {:?})", uses.begin()->block->name);
  if (request.site != nullptr && site_text != nullptr) text += fmt::format(", spawned at {},", site_text(request.site));
  return text;
}

}  // namespace weir::data::engine
