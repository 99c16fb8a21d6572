// SPDX-License-Identifier: Apache-2.0

#include "demos/tiers_options.hpp"

#include <memory>
#include <utility>

#include "apps/common/tier_variants.hpp"
#include "run_report.hpp"

namespace weir::tool {
namespace {

using apps::TierVariant;

void add_common_options(CLI::App& verb, TiersAsked& asked, Global& global) {
  std::vector<std::string> names;
  for (const TierVariant& variant : apps::tier_variants()) names.emplace_back(variant.name);
  add_option(verb, "--variants", asked.variants, "which to run, with commas between; default all that can be run here")
      .comma_separated()
      .among(names)
      .type_name("LIST");
  add_option(verb, "--repeat", asked.repetitions, "runs of each variant, of which the median counts; default 1")
      .between(1, 1000);
  add_option(verb, "--order", asked.order,
             "in which order tasks are made; reuse: so that what is in the fast tier is used again; naive: as a "
             "plain loop would; default reuse")
      .among({"reuse", "naive"});
  add_option(verb, "--ratio", asked.ratio, "without --tiers: how many times the fast tier the data is; default 2")
      .between(0.01, 1000.0);
  add_option(verb, "--slow", asked.slow,
             "without --tiers: the slow tier; file:FOLDER, or emulated:FRACTION, memory slowed down to that "
             "fraction of its copy bandwidth; default file:/tmp")
      .type_name("TIER");
  add_report_options(verb, global, [name = name_of(verb)] { return "weir run " + name; });
  add_runtime_options(verb, global, {"strategy"});
}

const char* const kVariantsText =
    "  serial         one thread, all in memory\n"
    "  openmp         parallel loops, all in memory\n"
    "  weir-resident  Weir, all in memory\n"
    "  weir-off       the fast tier is filled first, nothing is moved\n"
    "  weir-inline    workers fetch and evict themselves\n"
    "  weir-single    one thread moves\n"
    "  weir-multi     a thread for each worker moves\n"
    "  weir-ahead     before tasks are ready; what is needed last leaves\n"
    "  weir-model     as weir-ahead, where that gains more than it costs\n"
    "  weir-island    tasks on processes that see each other's writes as\n"
    "                 --island-memory says, all in memory (docs/islands.md)\n"
    "  mmap           openmp over a mapped file, in a memory cgroup of the\n"
    "                 fast tier's size, left to the kernel's paging\n"
    "  starpu         StarPU out of core, with its limit at that size\n\n"
    "Every run is a process of its own, so that its peak of resident memory is its own. --evict and the other options "
    "of the runtime hold for all of Weir's variants. A variant that cannot be run here (mmap "
    "without the right to make cgroups, starpu where it was not found at build), or that does not come to an end "
    "(starpu may move data for ever), is left out with a line. A result that is wrong ends with exit status 1.";

}  // namespace

CLI::App& add_stencil3d(CLI::App& parent, Global& global, std::function<int(const Stencil3dAsked&, Global&)> run) {
  using apps::stencil3d::Index;
  auto asked = std::make_shared<Stencil3dAsked>();
  CLI::App& verb = add_verb(
      parent, global,
      {.name = "stencil3d",
       .purpose = "heat in a solid: data larger than fast memory",
       .text = std::string("The 7-point stencil in double precision of the paper on memory-heterogeneity-aware "
                           "runtimes (apps/stencil3d/README.md). The grid is cut in cubic blocks; a task takes a block "
                           "and the faces of its six neighbours through several sweeps and publishes its faces.\n\n") +
               kVariantsText,
       .examples = {{"weir run stencil3d", "all variants, data twice the fast tier, under a minute on two cores"},
                    {"weir run stencil3d --ratio 3.4 --slow emulated:0.25", "the policy alone: no disk"},
                    {"weir run stencil3d --tiers memory=512MiB,file=/scratch:8GiB --size 512x512x2048",
                     "your tiers, your size"},
                    {"weir run stencil3d --variants weir-ahead --report", "where the time of that one went"},
                    {"weir run stencil3d --variants weir-off,weir-ahead --json", "one object a variant"}}},
      [asked, run = std::move(run)](Global& g) { return run(*asked, g); });
  add_option(verb, "--size", asked->size,
             "cells: N or NXxNYxNZ, multiples of --block; default about 0.5 GiB, eight times as long as wide")
      .type_name("SIZE");
  add_option(verb, "--block", asked->side, "cells of a block in each direction, a multiple of 8; default 64")
      .between(Index{8}, Index{1024});
  add_option(verb, "--iterations", asked->iterations, "outer iterations: exchanges of faces; default 10")
      .between(Index{1}, Index{1'000'000});
  add_option(verb, "--sweeps", asked->sweeps, "sweeps of a block in an iteration, as in the paper; default 20")
      .between(Index{1}, Index{100'000});
  add_common_options(verb, *asked, global);
  return verb;
}

CLI::App& add_matmul(CLI::App& parent, Global& global, std::function<int(const MatmulAsked&, Global&)> run) {
  using apps::matmul::Index;
  auto asked = std::make_shared<MatmulAsked>();
  CLI::App& verb = add_verb(
      parent, global,
      {.name = "matmul",
       .purpose = "a matrix product: data larger than fast memory",
       .text = std::string("C = A * B of square matrices of double in tiles, the second program of the paper on "
                           "memory-heterogeneity-aware runtimes (apps/matmul/README.md). A task multiplies two tiles "
                           "with OpenBLAS on one thread. The entries are small integers, so that every result can be "
                           "checked exactly: by random vectors (Freivalds) and by a sample.\n\n") +
               kVariantsText,
       .examples = {{"weir run matmul", "all variants, data twice the fast tier, under a minute on two cores"},
                    {"weir run matmul --order naive --variants weir-ahead", "what the order of tasks is worth"},
                    {"weir run matmul --size 16384 --tile 1024 --ratio 4 --variants weir-ahead", "larger than memory"},
                    {"weir run matmul --json", "one object a variant"}}},
      [asked, run = std::move(run)](Global& g) { return run(*asked, g); });
  add_option(verb, "--size", asked->rows, "rows and columns; default 4096")
      .between(Index{1}, apps::matmul::kLargestSize)
      .type_name("N");
  add_option(verb, "--tile", asked->tile, "rows and columns of a tile; default 512")
      .between(Index{1}, Index{32768})
      .type_name("N");
  add_common_options(verb, *asked, global);
  return verb;
}

}  // namespace weir::tool
