// SPDX-License-Identifier: Apache-2.0

#include "demos/bench_bddt_options.hpp"

#include <memory>
#include <utility>

namespace weir::tool {
namespace {

const char* const kBddtText =
    "Measures the five programs of BDDT-SCC (A. Labrineas, University of Crete, 2013) at the sizes of that thesis, "
    "each "
    "written once and run by every runtime that was present at build: plain calls (serial); Weir on threads (weir); "
    "Weir on islands, where memory is coherent (island) and where the processor's instructions write lines back and "
    "throw them out (island-flush); OpenMP's task depend by libgomp and by libomp; StarPU. The runtimes take turns, "
    "and "
    "every result is checked.\n\n"
    "blackscholes: prices of 2M options, 512 a task. matmul: 1K x 1K floats in tiles of 64 x 64. fft: in two "
    "dimensions, of 1K x 1K complex doubles, by 32 rows, and transposed in tiles of 32 x 32. jacobi: 4K x 4K floats in "
    "tiles of 512 x 512, 16 steps. cholesky: 2K x 2K doubles in tiles of 128 x 128. Size quarter has the same data in "
    "tiles of a quarter of the elements, small is done in milliseconds.\n\n"
    "The tables are the thesis's figures 4.3 to 4.5: time, speedup over serial, where the time of all processors goes "
    "(the tasks' functions, flush and making fresh, the master's analysis, the rest), and what share of its time each "
    "worker was in tasks; next to them what the thesis says. Parts are taken in a run of its own, in which every task "
    "looks at the clock. The exit status is 1 when a program fails or a result is wrong.";

}  // namespace

CLI::App& add_bench_bddt(CLI::App& parent, Global& global, std::function<int(const BddtSettings&, Global&)> run) {
  auto settings = std::make_shared<BddtSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "bddt",
                .purpose = "the five programs of BDDT-SCC, on threads and islands",
                .text = kBddtText,
                .examples = {{"weir bench bddt", "the thesis's sizes, about five minutes"},
                             {"weir bench bddt --quick", "small sizes, a few seconds"},
                             {"weir bench bddt --full", "smaller tasks too"},
                             {"weir bench bddt --programs cholesky --runtimes serial,weir,libgomp", "one of them"},
                             {"weir bench bddt --plot bddt.svg", "drawn as the thesis's figures"},
                             {"weir bench bddt --json > bddt.json", "for programs: one object for each row"}}},
               [settings, run = std::move(run)](Global& g) { return run(*settings, g); });
  add_option(verb, "--programs", settings->programs,
             "with commas between: blackscholes, matmul, fft, jacobi, cholesky; default all")
      .type_name("LIST");
  add_option(verb, "--sizes", settings->sizes, "with commas between: thesis, quarter, small; default thesis")
      .type_name("LIST");
  add_option(verb, "--runtimes", settings->runtimes,
             "with commas between: serial, weir, island, island-flush, libgomp, libomp, starpu; default all that there "
             "are")
      .type_name("LIST");
  add_option(verb, "--workers", settings->workers,
             "numbers of workers, with commas between; default 1, 2, 4 and so on, up to one for each processor")
      .type_name("LIST");
  add_option(verb, "--rounds", settings->rounds, "processes of each runtime; default 3, 1 with --quick")
      .default_str("")
      .between(1, 1000);
  add_option(verb, "--repeat", settings->repeat,
             "runs in each process, of which the median counts, after one that does not; default 3")
      .default_str("")
      .between(1, 1000);
  add_option(verb, "--timeout", settings->timeout_s, "seconds after which a process has failed; default 120")
      .between(1, 3600);
  const Option quick =
      add_flag(verb, "--quick", settings->quick, "size small, one round: a few seconds, rough numbers");
  add_flag(verb, "--full", settings->full, "sizes thesis and quarter").excludes(quick);
  add_option(verb, "--plot", settings->plot, "draw the figures to this .svg or .png file; needs gnuplot")
      .type_name("FILE");
  return verb;
}

}  // namespace weir::tool
