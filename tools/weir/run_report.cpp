#include "run_report.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "show_report.hpp"
#include "traced_program.hpp"

namespace weir::tool {

namespace {

struct Asked {
  bool report = false;
  std::string html;
};

int run_and_report(const Asked& asked, const std::string& title, const Run& run, Global& global) {
  if (!asked.report && asked.html.empty()) return run(global);
  auto page = ReportPage::create(asked.html);
  if (!page) return fail(page.status());
  std::optional<PendingFile> temporary;
  if (global.options.trace.empty()) {
    auto file = temporary_trace();
    if (!file) return fail(file.status());
    temporary.emplace(std::move(*file));
    global.options.trace = temporary->path();
    global.keeps_traces = false;
  }
  const std::string trace = global.options.trace;
  const int status = run(global);
  if (status == kUsage) return status;
  if (temporary && std::filesystem::file_size(trace) == 0) {
    return status != kDone ? status : fail("--report: nothing that was run made a runtime of Weir (--variants)");
  }
  global.print("\n");
  const int reported = show_report({trace, title, 0, "report"}, *page, global);
  return status != kDone ? status : reported;
}

}  // namespace

void add_report_options(CLI::App& verb, Global& global) {
  auto asked = std::make_shared<Asked>();
  verb.add_flag("--report", asked->report,
                "at the end, say where the time went, as weir report does; with several runs, of the last one that was "
                "traced");
  verb.add_option("--html", asked->html, "the same, and write it as a page, as weir report --html does")
      ->type_name("FILE");
  Entry& entry = global.entries.at(&verb);
  entry.run = [asked, title = "weir run " + entry.guide.name, run = entry.run](Global& g) {
    return run_and_report(*asked, title, run, g);
  };
}

}  // namespace weir::tool
