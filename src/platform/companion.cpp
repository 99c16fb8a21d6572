// SPDX-License-Identifier: Apache-2.0

#include "platform/companion.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace weir::platform {

base::Result<std::string> find_companion(const std::string& name, const std::string& build_folder) {
  std::error_code failed;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  if (failed)
    return base::Status{base::Code::unsupported,
                        fmt::format("{} is looked for next to this program, and where that is cannot be read: "
                                    "/proc/self/exe: {}; is /proc mounted?",
                                    name, failed.message())};
  const auto installed = (own / "../libexec/weir" / name).lexically_normal();
  const auto beside = own / name;  // this one is a companion itself
  // Programs are two folders deep in the folder that they are built in: tools/weir, apps/seismic.
  const auto built = (own / "../.." / build_folder / name).lexically_normal();
  for (const auto& path : {built, installed, beside})
    if (std::filesystem::exists(path, failed)) return path.string();
  return base::Status{base::Code::not_found,
                      fmt::format("{} is missing: it comes with this program, and is neither in {} "
                                  "nor in {}",
                                  name, built.parent_path().string(), installed.parent_path().string())};
}

std::string companion_folder() {
  std::error_code failed;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  const auto installed = (own / "../libexec/weir").lexically_normal();
  return !failed && std::filesystem::is_directory(installed, failed) ? installed.string() : "";
}

std::string found_on_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string_view left = path != nullptr ? path : "";
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    std::string file = fmt::format("{}/{}", left.substr(0, end), name);
    if (access(file.c_str(), X_OK) == 0) return file;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return "";
}

}  // namespace weir::platform
