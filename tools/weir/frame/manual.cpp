// SPDX-License-Identifier: Apache-2.0

#include "manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/joined.hpp"
#include "help.hpp"
#include "roff.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

std::string dashed_path(std::string_view path) {
  std::string result(path);
  std::replace(result.begin(), result.end(), ' ', '-');
  return result;
}

void add_option(std::string& page, const OptionText& option) {
  std::string text = option.help;
  if (!option.notes.empty()) text += fmt::format(" [{}]", base::joined(option.notes, ", "));
  const std::string names = option.positional ? option.title() : base::joined(option.names, ", ");
  const std::string value = option.value.empty() || option.positional ? "" : " \\fI" + roff(option.value) + "\\fR";
  page += fmt::format(".TP\n\\fB{}\\fR{}\n", roff(names), value);
  add_line(page, text);
}

void add_options(std::string& page, const VerbText& verb) {
  for (const bool of_runtime : {false, true}) {
    if (of_runtime && verb.has_runtime_options()) page += ".SS Options of the runtime\n";
    for (const OptionText& option : verb.options) {
      if (option.of_runtime == of_runtime) add_option(page, option);
    }
  }
}

void add_examples(std::string& page, const std::vector<const VerbText*>& verbs) {
  bool first = true;
  for (const VerbText* verb : verbs) {
    for (const Example& example : verb->guide.examples) {
      if (first) page += ".SH EXAMPLES\n";
      first = false;
      add_item(page, example.command, example.effect);
    }
  }
}

void add_see_also(std::string& page, const VerbText& verb, const VerbText& program) {
  std::vector<std::string> others;
  if (verb.path != program.path)
    others.push_back(".BR weir (1)");
  else
    others.insert(others.end(),
                  {".BR weir\\-ocr (7)", ".BR weir\\-ocrcc (1)", ".BR weir\\-shmem (7)", ".BR weir\\-shmemcc (1)"});
  for (const VerbText& other : program.verbs) {
    if (other.path != verb.path) others.push_back(fmt::format(".BR {} (1)", roff(dashed_path(other.path))));
  }
  std::sort(others.begin(), others.end());
  page += fmt::format(".SH SEE ALSO\n{}\n", base::joined(others, ",\n"));
}

std::string variables_text() {
  std::string text;
  add_variables(text);
  return text;
}

}  // namespace

std::string manual_page(const VerbText& verb, const VerbText& program) {
  const auto below = flatten(verb);
  const bool of_program = verb.path == program.path;
  const std::string name = dashed_path(verb.path);
  std::string page = fmt::format(".TH {} 1 {} \"weir {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
                                 capitals(name), WEIR_RELEASE_DATE, WEIR_VERSION, roff(name), roff(verb.guide.purpose));
  std::vector<std::string> usages;
  for (const VerbText* each : below) {
    if (each->runs) usages.push_back(".B " + roff(each->usage()));
  }
  page += fmt::format("{}\n", base::joined(usages, "\n.br\n"));
  page += ".SH DESCRIPTION\n";
  add_prose(page, verb.guide.text);
  if (!verb.verbs.empty()) page += ".SH VERBS\n";
  for (const VerbText& each : verb.verbs) add_item(page, each.guide.name, each.guide.purpose);
  page += ".SH OPTIONS\n";
  add_options(page, verb);
  for (const VerbText* each : below) {
    if (of_program || each == &verb) continue;
    page += fmt::format(".SH {}\n", capitals(each->path));
    add_prose(page, each->guide.text);
    add_options(page, *each);
  }
  if (of_program) {
    page += ".SH ENVIRONMENT\n";
    add_prose(page, kEnvironment);
    add_variables(page);
  }
  page += ".SH EXIT STATUS\n";
  add_prose(page, kExitStatus);
  add_examples(page, of_program ? std::vector<const VerbText*>{&verb} : below);
  add_see_also(page, verb, program);
  return page;
}

void add_manual(CLI::App& app, Global& global) {
  auto name = std::make_shared<std::string>();
  CLI::App& verb =
      add_verb(app, global, {.name = "manual", .purpose = "print a manual page", .text = "", .examples = {}},
               [name, &app](Global& all) -> int {
                 const VerbText program = describe(app, all);
                 if (name->empty()) Global::write(manual_page(program, program));
                 if (*name == "variables") Global::write(variables_text());
                 for (const VerbText& each : program.verbs) {
                   if (each.guide.name == *name) Global::write(manual_page(each, program));
                 }
                 return kDone;
               });
  add_option(verb, "verb", *name,
             "the verb; of the program when absent; variables: those of the runtime, as a part of a page");
  global.entries.at(&verb).hidden = true;
  global.entries.at(&verb).reads_options = false;
}

}  // namespace weir::tool
