// SPDX-License-Identifier: Apache-2.0

#include "platform/companion.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace weir::platform {

base::Result<std::string> find_companion(const std::string& name, const std::string& build_folder) {
  std::error_code failed;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
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

}  // namespace weir::platform
