// SPDX-License-Identifier: Apache-2.0

#include "demos/seismic_options.hpp"

#include <memory>
#include <utility>

#include "run_report.hpp"

namespace weir::tool {
namespace {

using apps::seismic::Index;

const char* const kSeismicText =
    "Waves in the ground, in two dimensions: six arrays of double precision, two phases an iteration, as in the paper "
    "on "
    "OCR on Knights Landing (apps/seismic/README.md). Loops over such arrays are bound by memory bandwidth. Each "
    "variant "
    "solves the same problem with the same vector code, in turns; results are compared bit for bit with serial, and a "
    "difference ends with exit status 1.\n\n"
    "  serial      one thread, two loops over the rows\n"
    "  openmp      the loops as parallel for, a barrier after each\n"
    "  tbb         the loops as parallel_for, a barrier after each\n"
    "  weir-plain  the loops cut in tasks of row blocks, no barrier\n"
    "  weir        tasks that take a tile through several iterations while\n"
    "              it is in cache, no barrier\n"
    "  weir-bands  the same with bands of whole rows\n"
    "  weir-blocks with bands that are Weir's blocks, which need not all fit\n"
    "              in fast memory\n"
    "  ocr-plain   EDTs of row blocks in OCR, as in the paper, no barrier\n"
    "  ocr         EDTs of OCR that take a block through several iterations\n"
    "              while it is in cache, no barrier\n\n"
    "With --tiers every run is a process of its own, which reports the peak of its resident memory; weir-blocks then "
    "has nothing in memory but its blocks and what --tiers allows, and results are compared by a checksum of each "
    "row. There is no picture.\n\n"
    "The ground is layers of rock, or wave velocities in m/s from a .npy file of two dimensions, depth by width. After "
    "measuring, the simulation goes on until the wave has crossed the ground (on large grids for 1200 iterations), and "
    "the velocity field is drawn: red up, blue down, rock in grey.";

void add_size_options(CLI::App& verb, SeismicSettings& s) {
  const Option size =
      add_option(verb, "--size", s.size, "cells: N for N x N, or ROWSxCOLUMNS; default 2048, or what the model has")
          .type_name("SIZE");
  add_flag(verb, "--paper", s.paper,
           "the size of the paper, 8192 x 8192: about 5 GB with the copy that results are compared with, and 3 GB more "
           "for weir-blocks, ocr-plain and ocr")
      .excludes(size);
  add_option(verb, "--model", s.model,
             "velocities in m/s from this .npy file (float32 or float64, little-endian, C order)")
      .type_name("FILE");
  add_option(verb, "--iterations", s.iterations, "iterations of each run; default 64")
      .between(Index{1}, Index{1'000'000});
  add_option(verb, "--repeat", s.repetitions, "runs of each variant, of which the median counts; default 3")
      .between(1, 1000);
  add_option(verb, "--rest", s.rest_seconds,
             "seconds to rest before each run, so that what the system does with the memory that the run before "
             "has freed does not fall into it; default 0")
      .between(0.0, 3600.0)
      .type_name("SECONDS");
}

void add_work_options(CLI::App& verb, SeismicSettings& s, const std::vector<std::string>& variants) {
  add_option(verb, "--variants", s.variants, "which to run, with commas between; default all")
      .comma_separated()
      .among(variants)
      .type_name("LIST");
  add_option(verb, "--threads", s.threads, "threads of every variant but serial; default that of --workers")
      .between(1, 1024);
  const Index least = 1, most = 1'000'000;
  add_option(verb, "--block-rows", s.block_rows, "weir-plain, ocr-plain: rows of a task; default rows / 128")
      .between(least, most);
  add_option(verb, "--tile-rows", s.tiling.rows,
             "weir: rows of a task; weir-bands, weir-blocks, ocr: of a band; default 16 to 64")
      .between(least, most);
  add_option(verb, "--tile-cols", s.tiling.cols, "weir: columns of a task, rounded up to 8; default by level 2 cache")
      .between(least, most);
  add_option(verb, "--tile-iterations", s.tiling.iterations,
             "weir: iterations of a task; default 4 to 16, by level 2 cache")
      .between(1, 1000);
}

void add_image_options(CLI::App& verb, SeismicSettings& s) {
  const Option image =
      add_option(verb, "--image", s.image, "where the picture goes; default weir-seismic.png").type_name("FILE");
  add_flag(verb, "--no-image", s.no_image, "draw none, and do not simulate beyond what is measured").excludes(image);
  add_option(verb, "--image-iterations", s.image_iterations,
             "iterations after the measured ones before it is drawn; default: until the wave has crossed, on "
             "large grids 1200")
      .between(Index{0}, Index{10'000'000});
}

}  // namespace

CLI::App& add_seismic(CLI::App& parent, Global& global, const std::vector<std::string>& variants,
                      std::function<int(const SeismicSettings&, Global&)> run) {
  auto settings = std::make_shared<SeismicSettings>();
  CLI::App& verb = add_verb(
      parent, global,
      {.name = "seismic",
       .purpose = "waves in the ground: loops against tasks",
       .text = kSeismicText,
       .examples = {{"weir run seismic", "all variants, under a minute on two cores"},
                    {"weir run seismic --paper", "the paper's size"},
                    {"weir run seismic --model my.npy --image my.png", "your own ground"},
                    {"weir run seismic --variants weir --report", "where its time went"},
                    {"weir run seismic --variants openmp,weir --json", "for programs: one object a variant"},
                    {"weir run seismic --size 4096 --variants weir-blocks --tiers memory=400MiB,file=/tmp:2GiB",
                     "twice as large as the memory that it uses"}}},
      [settings, run = std::move(run)](Global& g) { return run(*settings, g); });
  add_size_options(verb, *settings);
  add_work_options(verb, *settings, variants);
  add_image_options(verb, *settings);
  add_report_options(verb, global, [] { return "weir run seismic"; });
  add_runtime_options(verb, global);
  return verb;
}

}  // namespace weir::tool
