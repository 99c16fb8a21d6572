// SPDX-License-Identifier: Apache-2.0

// A report as one page that needs nothing else: no network, no file beside it.
#pragma once

#include <string>

#include "analysis.hpp"
#include "base/result.hpp"

namespace weir::tool::report {

// The page as text. unsupported when Weir was built without the library that draws its plots: names the package.
base::Result<std::string> page(const Trace& trace, const Report& report, const std::string& title);

// What page() would fail with, before any work is done.
base::Status page_available();

}  // namespace weir::tool::report
