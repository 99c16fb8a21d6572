// SPDX-License-Identifier: Apache-2.0

#include "launch/rank_file.hpp"

#include <filesystem>

namespace weir::launch {

std::string file_of_rank(const std::string& file, Rank rank) {
  const std::filesystem::path path(file);
  const std::string number = std::to_string(static_cast<std::uint32_t>(rank));
  return (path.parent_path() / (path.stem().string() + "." + number + path.extension().string())).string();
}

}  // namespace weir::launch
