// SPDX-License-Identifier: Apache-2.0

// Companions: programs and libraries that come with the running program, and are not part of it; and programs of
// others. Any thread.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weir::platform {

// The path of the companion: in the folder where it was built, `build_folder` from the root of the build on
// ("src/checker"), or in libexec/weir beside the program's own folder where both were installed. not_found when it is
// in neither; the message names both. unsupported where the system does not say where this program is.
base::Result<std::string> find_companion(const std::string& name, const std::string& build_folder);

// The folder libexec/weir beside the program's own folder, where both were installed; empty: there is none.
std::string companion_folder();

// The file that a shell runs for a name without a slash; "": there is none on PATH.
std::string found_on_path(const std::string& name);

}  // namespace weir::platform
