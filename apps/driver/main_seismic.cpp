// SPDX-License-Identifier: Apache-2.0

// weir-seismic: `weir run seismic` and no other verb, without reports and the variants in OCR. It takes half
// the time to build: what `make run` builds.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/seismic/solver.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "run_report.hpp"
#include "run_seismic.hpp"

namespace weir::tool {

namespace {

constexpr const char* kWhole =
    "a report needs the whole command line: build it with `make build`, and run `weir` instead";

void add_run(CLI::App& app, Global& global) {
  CLI::App& verb = add_verb(
      app, global,
      {.name = "run",
       .purpose = "run a ready-made program",
       .text =
           "Of the verbs of weir the one that `make run` runs, without its variants in OCR. `make build` builds all.",
       .examples = {{"weir-seismic run seismic", "waves in the ground, under a minute"}}},
      nullptr);
  std::vector<std::string> names;
  for (const auto& variant : apps::seismic::variants()) names.emplace_back(variant.name);
  add_seismic(verb, global, names, &run_seismic);
}

int run(int argc, char** argv) {
  const AddVerb verbs[] = {add_run};
  handle_interrupts();
  return run_program(argc, argv, verbs);
}

}  // namespace

// Here without what makes reports.
std::shared_ptr<const ReportAsked> add_report_options(CLI::App& verb, Global& global, std::function<std::string()>) {
  auto asked = std::make_shared<ReportAsked>();
  add_flag(verb, "--report", asked->report, "not in this program, but in weir: where the time went");
  add_option(verb, "--html", asked->html, "not in this program, but in weir: the same as a page").type_name("FILE");
  Entry& entry = global.entries.at(&verb);
  entry.run = [asked, run = entry.run](Global& g) { return asked->is_asked_for() ? fail(kWhole, kUsage) : run(g); };
  return asked;
}

}  // namespace weir::tool

std::span<const weir::apps::seismic::Variant> weir::apps::seismic::ocr_variants() { return {}; }

int main(int argc, char** argv) { return weir::tool::run(argc, argv); }
