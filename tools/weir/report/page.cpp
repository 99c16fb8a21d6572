// SPDX-License-Identifier: Apache-2.0

#include "page.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "json_text.hpp"

namespace weir::tool::report {

// Embedded by page/CMakeLists.txt.
extern const std::string_view kPageHtml, kPageCss, kPageScript, kPlotLibrary, kPlotLicence;

namespace {

// So that no text of the trace ends the element that it is in.
std::string for_script(const Json& json) {
  const std::string text = json_text(json, -1);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string for_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

struct Filling {
  std::string_view mark;  // @NAME@ in the template
  std::string_view text;
};

std::string fill(std::string_view layout, std::initializer_list<Filling> parts) {
  std::string result;
  while (!layout.empty()) {
    const std::size_t at = layout.find('@');
    result += layout.substr(0, at);
    if (at == std::string_view::npos) return result;
    layout.remove_prefix(at);
    const Filling* found = nullptr;
    for (const Filling& part : parts) found = layout.starts_with(part.mark) ? &part : found;
    result += found != nullptr ? found->text : layout.substr(0, 1);
    layout.remove_prefix(found != nullptr ? found->mark.size() : 1);
  }
  return result;
}

}  // namespace

base::Status page_available() {
  if (!kPlotLibrary.empty()) return base::Status::success();
  return {
      base::Code::unsupported,
      "--html: this weir was built where the plotting library D3 was not found; install node-d3 and build it again"};
}

base::Result<std::string> fill_page(const PageTexts& texts, PageData data, const std::string& title) {
  if (base::Status status = page_available(); !status) return status;
  data.about["title"] = title;
  data.about["columns"] = data.columns.about();
  return fill(texts.html, {{"@TITLE@", for_html(title)},
                           {"@STYLE@", texts.css},
                           {"@LICENCE@", for_html(kPlotLicence)},
                           {"@LIBRARY@", kPlotLibrary},
                           {"@ABOUT@", for_script(data.about)},
                           {"@DATA@", packed(data.columns.bytes())},
                           {"@SCRIPT@", texts.script}});
}

base::Result<std::string> page(const Trace& trace, const Report& report, const std::string& title, const Json& more) {
  if (base::Status status = page_available(); !status) return status;
  PageData data = page_data(trace, report);
  if (!more.is_null()) data.about["report"].update(more);
  return fill_page({kPageHtml, kPageCss, kPageScript}, std::move(data), title);
}

}  // namespace weir::tool::report
