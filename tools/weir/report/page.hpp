// SPDX-License-Identifier: Apache-2.0

// A report as one page that needs nothing else: no network, no file beside it.
#pragma once

#include <string>
#include <string_view>

#include "analysis.hpp"
#include "base/result.hpp"
#include "page_data.hpp"

namespace weir::tool::report {

// The page as text. unsupported when Weir was built without the library that draws its plots: names the package.
// `more`: what the report has besides, of ranks.
base::Result<std::string> page(const Trace& trace, const Report& report, const std::string& title,
                               const Json& more = {});

// The parts of a page that are the same for every trace: embedded texts.
struct PageTexts {
  std::string_view html, css, script;
};
// A page of other texts, likewise. `data.about` gets the title and the columns.
base::Result<std::string> fill_page(const PageTexts& texts, PageData data, const std::string& title);

// What page() would fail with, before any work is done.
base::Status page_available();

}  // namespace weir::tool::report
