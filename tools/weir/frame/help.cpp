// SPDX-License-Identifier: Apache-2.0

#include "help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/joined.hpp"
#include "errors.hpp"
#include "runtime/options.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace weir::tool {

const char* const kExitStatus =
    "0: done. 1: the run failed, a file cannot be read or written, or results that must agree do not. 2: wrong usage, "
    "or what an option or a variable asks for cannot be had; a PROGRAM, too, ends so when its runtime refuses it. 130: "
    "stopped by Ctrl-C: the trace of a PROGRAM stays as FILE.part, and no other partial file. Verbs that run a PROGRAM "
    "end as it did, but advise with 1 when it fails, and check with 1 when it has found something, and with 2 when "
    "nothing was checked.";

const char* const kEnvironment =
    "Every option of the runtime has a variable: --park-after is WEIR_PARK_AFTER. They also work in your own programs "
    "that use Weir. The command line wins over the environment. A WEIR_* variable whose name is nearly that of an "
    "option "
    "(WEIR_WORKER) is an error, so that a typing mistake is not silently ignored; others, such as the WEIR_ROOT of an "
    "environment module, are left alone. COLUMNS sets the width of the output, NO_COLOR turns colours "
    "off.";

namespace {

constexpr int kNarrow = 60;        // columns below which the help of an option starts on a line of its own
constexpr int kTitleColumns = 26;  // of options and verbs
constexpr int kTextColumns = 100;  // longer lines are hard to read

class Page {
 public:
  explicit Page(int columns) : columns_(std::min(columns, kTextColumns)) {}

  void heading(std::string_view text) { text_ += fmt::format("\n{}:\n", text); }
  void line(std::string_view text) { text_ += fmt::format("{}\n", text); }

  void prose(std::string_view text, int indent) {
    for (const std::string& line : wrap(text, columns_ - indent)) text_ += fmt::format("{:{}}{}\n", "", indent, line);
  }

  void prose_of(std::string_view text) {
    for (const std::string& paragraph : paragraphs(text)) {
      text_ += "\n";
      if (is_verbatim(paragraph)) {
        line(paragraph);
      } else {
        prose(paragraph, 0);
      }
    }
  }

  // A title and, beside it or below, what it means.
  void item(std::string_view title, std::string_view text) {
    const bool beside = columns_ >= kNarrow && title.size() + 4 <= kTitleColumns;
    const int indent = columns_ >= kNarrow ? kTitleColumns : 6;
    const auto lines = wrap(text, columns_ - indent);
    text_ += beside && !lines.empty() ? fmt::format("  {:<{}}{}\n", title, indent - 2, lines.front())
                                      : fmt::format("  {}\n", title);
    for (std::size_t i = beside ? 1 : 0; i < lines.size(); ++i) text_ += fmt::format("{:{}}{}\n", "", indent, lines[i]);
  }

  std::string take() { return std::move(text_); }

 private:
  int columns_;
  std::string text_;
};

void add_options(Page& page, const VerbText& verb, bool of_runtime, std::string_view heading) {
  bool first = true;
  for (const OptionText& option : verb.options) {
    if (option.of_runtime != of_runtime) continue;
    if (first) page.heading(heading);
    first = false;
    const std::string notes = option.notes.empty() ? "" : fmt::format(" [{}]", base::joined(option.notes, ", "));
    page.item(option.title(), option.help + notes);
  }
}

void add_examples(Page& page, const Guide& guide) {
  if (guide.examples.empty()) return;
  page.heading("Examples");
  for (const Example& example : guide.examples) {
    page.line("  " + example.command);
    page.prose(example.effect, 6);
  }
}

void add_environment(Page& page) {
  page.heading("Environment");
  page.prose(kEnvironment, 2);
  page.heading("Exit status");
  page.prose(kExitStatus, 2);
}

}  // namespace

void describe_program(CLI::App& app, Global& global) {
  app.name("weir");
  app.set_help_flag("-h,--help", "show this help");
  app.set_version_flag("--version", WEIR_VERSION, "show the version");
  app.require_subcommand(0, 1);
  global.entries[&app] = {
      .guide = {.name = "weir",
                .purpose = "task runtime for machines whose memory is not all the same",
                .text = "Shows the machine as the runtime sees it, runs ready-made programs on it, and measures both. "
                        "`weir help VERB` explains a verb, its options and their units.",
                .examples = {{"weir topo", "the domains, memory nodes and tiers of this machine"},
                             {"weir run seismic", "a wave simulation in several variants, compared"},
                             {"weir run seismic --json > seismic.json", "the same for programs"},
                             {"WEIR_POLICY=flat weir run seismic", "an option of the runtime as a variable"}}},
      .run = nullptr};
}

namespace {

int show_help(const CLI::App& app, const std::vector<std::string>& words, Global& global) {
  const VerbText program = describe(app, global);
  const VerbText* verb = &program;
  for (const std::string& word : words) {
    const auto below = std::find_if(verb->verbs.begin(), verb->verbs.end(),
                                    [&](const VerbText& each) { return each.guide.name == word; });
    if (below == verb->verbs.end()) return fail(unknown_verb(word, *verb), kUsage);
    verb = &*below;
  }
  Global::write(help_text(*verb, global.columns()));
  return kDone;
}

}  // namespace

void add_help(CLI::App& app, Global& global) {
  auto words = std::make_shared<std::vector<std::string>>();
  Guide guide{
      .name = "help",
      .purpose = "explain a verb, its options and their units: the same as weir VERB --help",
      .text = "",
      .examples = {{"weir help", "the verbs"}, {"weir help run seismic", "the same as weir run seismic --help"}}};
  CLI::App& verb =
      add_verb(app, global, std::move(guide), [words, &app](Global& all) { return show_help(app, *words, all); });
  global.entries.at(&verb).reads_options = false;
  remove_option(verb, "--json");
  add_option(verb, "verb", *words, "a verb, and the one below it");
}

std::string help_text(const VerbText& verb, int columns) {
  Page page(columns);
  page.prose(verb.path + " - " + verb.guide.purpose, 0);
  page.heading("Usage");
  page.prose(verb.usage(), 2);
  page.prose_of(verb.guide.text);
  if (!verb.verbs.empty()) page.heading("Verbs");
  for (const VerbText& below : verb.verbs) page.item(below.guide.name, below.guide.purpose);
  add_options(page, verb, false, "Options");
  add_options(page, verb, true, kRuntimeGroup);
  add_examples(page, verb.guide);
  if (verb.path == "weir") {
    add_environment(page);
  } else if (verb.has_runtime_options()) {
    page.line("");
    page.prose("The variables in capitals set the same options; the command line wins over them.", 0);
  }
  return page.take();
}

}  // namespace weir::tool
