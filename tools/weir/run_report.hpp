// SPDX-License-Identifier: Apache-2.0

// The options --report and --html of verbs that run something: the report of what they ran, without a trace to keep.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "temporary_folder.hpp"
#include "verb.hpp"

namespace weir::tool {

struct ReportAsked {
  bool report = false;
  std::string html;
  bool is_asked_for() const noexcept { return report || !html.empty(); }
};

// Wrong usage of the name of a trace in addition: it is the page's, or stands for what cannot be read again (a pipe).
base::Status check_report_of(const ReportAsked& asked, const std::string& trace);

// Adds them to a verb that has a function and the options of the runtime. `title`: of the page, asked for after the
// run. What is returned is filled in when the command line is read.
std::shared_ptr<const ReportAsked> add_report_options(CLI::App& verb, Global& global,
                                                      std::function<std::string()> title);

// A trace in that folder of temporary files is not whole, which says what `option` gives. kFailed.
int fail_without_room(const char* option, const TemporaryFolder& folder);

}  // namespace weir::tool
