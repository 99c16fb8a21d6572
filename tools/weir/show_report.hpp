// SPDX-License-Identifier: Apache-2.0

// What `weir report` and the option --report of other verbs print, write and add to the JSON array.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "global.hpp"
#include "pending_file.hpp"

namespace weir::tool {

// The page that is asked for, tried before any work is done.
class ReportPage {
 public:
  // `path` may be empty: no page. unsupported when this weir cannot make one; io_error when it cannot be written;
  // bad_option when it is one of the traces that it is to be of.
  static base::Result<ReportPage> create(const std::string& path, const std::vector<std::string>& traces);
  bool wanted() const noexcept { return file_.has_value(); }
  base::Status write(const std::string& text, Global& global);

 private:
  std::string path_;
  std::optional<PendingFile> file_;
};

struct ReportRequest {
  std::string trace;  // the file
  std::string title;  // of the page
  int runtime = 0;    // 0: the one with most work
  std::string key;    // in the JSON array: {key: report}; "": the report itself
};

// Says why a trace cannot be read. The exit status: that of wrong usage for a file that is none, or damaged.
int fail_to_read(const base::Status& status);
// On standard error.
void warn_of_early_end(const std::string& trace);

// Exit status.
int show_report(const ReportRequest& request, ReportPage& page, Global& global);

}  // namespace weir::tool
