// SPDX-License-Identifier: Apache-2.0

// What the page of a report shows, as columns of numbers and a JSON object that describes them. Pure.
//
// Tasks are numbered in the order of their starts here ("index"), so that starts are small differences. Times are
// nanoseconds since Trace::start. page/model.js gives each column its meaning again.
#pragma once

#include "analysis.hpp"
#include "columns.hpp"
#include "json.hpp"

namespace weir::tool::report {

struct PageData {
  Json about;  // names, rows, tiers, blocks, the report; without the columns
  Columns columns;
};

PageData page_data(const Trace& trace, const Report& report);

}  // namespace weir::tool::report
