// weir run: the applications, each in several variants that are timed in turns and checked against each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "apps/common/caches.hpp"
#include "apps/seismic/input.hpp"
#include "apps/seismic/measure.hpp"
#include "apps/seismic/picture.hpp"
#include "machine/machine.hpp"
#include "machine/stream.hpp"
#include "pending_file.hpp"
#include "run_tiers.hpp"
#include "platform/memory_limit.hpp"
#include "verb.hpp"

namespace weir::tool {
namespace {

namespace seismic = apps::seismic;
using seismic::Index;

constexpr seismic::Size kDefaultSize{2048, 2048};
constexpr seismic::Size kPaperSize{8192, 8192};
constexpr Index kPictureIterations = 2000;
constexpr Index kPictureCells = Index{4000} * 2048 * 2048;  // times iterations

struct SeismicSettings {
  std::string size;
  bool paper = false;
  std::string model;
  Index iterations = 100;
  int repetitions = 3;
  std::vector<std::string> variants;
  int threads = 0;
  Index block_rows = 0;
  seismic::TilingRequest tiling;
  std::string image = "weir-seismic.png";
  bool no_image = false;
  Index image_iterations = -1;
};

// What a run stands on, made before anything is measured.
struct Job {
  machine::Machine machine;
  seismic::Size size;
  std::string ground;
  seismic::Plan plan;
  std::optional<PendingFile> image;
  double triad_gb_per_s = 0;
};

std::optional<double> seconds_of(const std::vector<seismic::Measurement>& all, bool (*wanted)(const seismic::Variant&),
                                 Index iterations) {
  std::optional<double> best;
  for (const auto& m : all) {
    if (!wanted(*m.variant)) continue;
    const double seconds = m.seconds_per_iteration(iterations);
    best = best ? std::min(*best, seconds) : seconds;
  }
  return best;
}

// The numbers of one variant, as the table and the JSON show them.
struct Row {
  const seismic::Measurement* measured;
  double seconds, least, most;  // per iteration
  double gb_per_s;
  std::optional<double> to_serial, to_parallel_for;  // how many times as fast
};

std::vector<Row> rows_of(const Job& job, const std::vector<seismic::Measurement>& all) {
  const Index iterations = job.plan.iterations;
  const auto serial = seconds_of(
      all, [](const auto& v) { return v.name == "serial"; }, iterations);
  const auto loops = seconds_of(
      all, [](const auto& v) { return v.parallel_for; }, iterations);
  const double bytes = seismic::kPlainBytesPerCell * static_cast<double>(job.size.rows * job.size.cols);
  std::vector<Row> rows;
  for (const auto& m : all) {
    const double seconds = m.seconds_per_iteration(iterations);
    const auto [least, most] = std::minmax_element(m.seconds.begin(), m.seconds.end());
    const auto per = [&](double total) { return total / static_cast<double>(iterations); };
    const auto ratio = [&](std::optional<double> to) { return to ? std::optional(*to / seconds) : std::nullopt; };
    rows.push_back({&m, seconds, per(*least), per(*most), bytes / seconds / 1e9, ratio(serial), ratio(loops)});
  }
  return rows;
}

int threads_of(const Job& job, const seismic::Variant& variant) {
  return variant.name == "serial" ? 1 : job.plan.settings.threads;
}

Json object_of(const Job& job, const Row& row) {
  const auto optional = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  const seismic::Measurement& m = *row.measured;
  return {{"variant", m.variant->name},
          {"size", seismic::to_string(job.size)},
          {"threads", threads_of(job, *m.variant)},
          {"seconds_per_iteration", row.seconds},
          {"gb_per_s", row.gb_per_s},
          {"triad_gb_per_s", job.triad_gb_per_s},
          {"agrees", !m.difference.has_value()},
          {"difference", m.difference ? Json(*m.difference) : Json()},
          {"iterations", job.plan.iterations},
          {"repetitions", m.seconds.size()},
          {"seconds_per_iteration_min", row.least},
          {"seconds_per_iteration_max", row.most},
          {"speedup_over_serial", optional(row.to_serial)},
          {"speedup_over_parallel_for", optional(row.to_parallel_for)},
          {"instructions", job.plan.settings.kernels->name}};
}

std::string describe(const machine::Machine& machine) {
  std::string memory;
  for (const auto& node : machine.memory_nodes()) {
    memory += fmt::format("{}{} {:.1f} GiB", memory.empty() ? "" : ", ", node.name,
                          static_cast<double>(node.capacity.count) / (1 << 30));
  }
  return fmt::format("{} core{} in {} domain{}; {}; last-level cache {} MiB", machine.core_count(),
                     machine.core_count() == 1 ? "" : "s", machine.domains().size(),
                     machine.domains().size() == 1 ? "" : "s", memory, machine.last_level_cache().count >> 20);
}

void print_header(const Job& job, const seismic::Problem& problem, Global& global) {
  const seismic::Settings& s = job.plan.settings;
  global.print("machine  {}\n", describe(job.machine));
  global.print("problem  {} cells of {:g} m, {}; {} iterations of {:.3g} ms; {} repetition{}\n",
               seismic::to_string(job.size), problem.cell_size(), job.ground, job.plan.iterations,
               problem.time_step() * 1e3, job.plan.repetitions, job.plan.repetitions == 1 ? "" : "s");
  global.print(
      "threads  {}, {} instructions; a weir-plain task has {} rows; a weir task has {} x {} cells, {} iterations\n",
      s.threads, s.kernels->name, s.block_rows, s.tiling.rows, s.tiling.cols, s.tiling.iterations);
}

void print_table(const Job& job, const std::vector<Row>& rows, Global& global) {
  const auto times = [](const std::optional<double>& value) { return value ? fmt::format("{:.2f}x", *value) : "-"; };
  global.print("triad    {:.1f} GB/s (STREAM, same threads)\n\n", job.triad_gb_per_s);
  global.print("{:<11} {:>12} {:>8} {:>8} {:>9} {:>10} {:>12}  {}\n", "variant", "s/iteration", "spread", "GB/s",
               "of triad", "vs serial", "vs loops", "result");
  for (const Row& row : rows) {
    global.print("{:<11} {:>12.6f} {:>7.0f}% {:>8.1f} {:>8.0f}% {:>10} {:>12}  {}\n", row.measured->variant->name,
                 row.seconds, 100 * (row.most - row.least) / row.seconds, row.gb_per_s,
                 100 * row.gb_per_s / job.triad_gb_per_s, times(row.to_serial), times(row.to_parallel_for),
                 row.measured->difference ? "DIFFERS" : "agrees");
  }
  global.print(
      "\nMedians. GB/s: {:g} bytes a cell and iteration, what the plain loops move, by time; more than triad means\n"
      "reuse of caches. vs loops: against the better of openmp and tbb.\n",
      seismic::kPlainBytesPerCell);
}

// Says whether all agree; the exit status.
int judge(const std::vector<seismic::Measurement>& all, Global& global) {
  const auto wrong = std::find_if(all.begin(), all.end(), [](const auto& m) { return m.difference.has_value(); });
  if (wrong != all.end()) {
    return fail(fmt::format("{} does not agree with serial: {}", wrong->variant->name, *wrong->difference));
  }
  global.print("All agree bit for bit with serial: V, S and T, every repetition.\n");
  return kDone;
}

std::vector<const seismic::Variant*> chosen_variants(const std::vector<std::string>& names) {
  std::vector<const seismic::Variant*> chosen;
  for (const seismic::Variant& variant : seismic::variants()) {
    if (names.empty() || std::count(names.begin(), names.end(), variant.name) != 0) chosen.push_back(&variant);
  }
  return chosen;
}

seismic::Plan make_plan(const SeismicSettings& settings, const Options& options, Index rows, int threads) {
  seismic::Plan plan;
  plan.variants = chosen_variants(settings.variants);
  plan.iterations = settings.iterations;
  plan.repetitions = settings.repetitions;
  plan.settings.runtime = options;
  plan.settings.runtime.workers = plan.settings.threads = threads;
  plan.settings.block_rows = settings.block_rows > 0 ? settings.block_rows : seismic::default_block_rows(rows, threads);
  plan.settings.tiling = seismic::choose_tiling(settings.tiling, apps::find_caches(), rows, threads);
  plan.settings.kernels = &seismic::best_kernels();
  return plan;
}

base::Result<seismic::Size> chosen_size(const SeismicSettings& settings) {
  std::optional<seismic::Size> asked;
  if (settings.paper) asked = kPaperSize;
  if (!settings.size.empty()) {
    const auto size = seismic::parse_size(settings.size);
    if (!size) return size.status();
    asked = *size;
  }
  return seismic::choose_size(asked, settings.model, kDefaultSize);
}

machine::StreamSettings triad_settings(const machine::Machine& machine, int threads) {
  machine::StreamSettings triad;
  triad.threads = machine::stream_threads(machine, {}, threads);
  triad.array = machine::stream_array_size(machine);
  triad.repetitions = 5;
  triad.loops = {machine::StreamLoop::triad};
  return triad;
}

// The better of a run before and one after the variants counts.
base::Status measure_triad(Job& job) {
  const auto report = machine::run_stream(triad_settings(job.machine, job.plan.settings.threads));
  if (!report) return report.status();
  job.triad_gb_per_s = std::max(job.triad_gb_per_s, report->rows.front().best_gb_per_s);
  return base::Status::success();
}

base::Result<Job> make_job(const SeismicSettings& settings, const Options& options) {
  auto machine = machine::Machine::discover();
  if (!machine) return machine.status();
  const auto size = chosen_size(settings);
  if (!size) return size.status();
  const std::uint64_t of_triad = 3 * machine::stream_array_size(*machine).count;
  auto status = seismic::check_memory(*size, !settings.model.empty(), of_triad, platform::memory_limit());
  if (!status) return status;
  const int workers = options.workers > 0 ? options.workers : machine->default_worker_count();
  const int threads = settings.threads > 0 ? settings.threads : workers;
  Job job{*machine, *size, "", make_plan(settings, options, size->rows, threads), std::nullopt, 0};
  if (!settings.no_image) {
    auto image = PendingFile::create(settings.image);
    if (!image) return image.status();
    job.image.emplace(std::move(*image));
  }
  return job;
}

// Iterations between the last measured one and the picture. On a large grid the wave does not get to the other side in
// the time that anyone waits.
Index more_iterations(const SeismicSettings& settings, const seismic::Problem& problem) {
  if (settings.no_image) return 0;
  if (settings.image_iterations >= 0) return settings.image_iterations;
  const Index affordable = std::max<Index>(kPictureIterations, kPictureCells / (problem.rows() * problem.cols()));
  return std::clamp<Index>(problem.iterations_to_cross() - settings.iterations, 0, affordable);
}

// Lets the field that was measured last run on, and draws it.
base::Status draw_picture(const SeismicSettings& settings, Job& job, seismic::Problem& problem, Global& global) {
  if (!job.image) return base::Status::success();
  const Index more = more_iterations(settings, problem);
  global.progress(fmt::format("picture: {} more iterations", more));
  seismic::find_variant("weir")
      ->start(job.plan.settings)
      ->run(problem.fields(), problem.source(), job.plan.iterations, more);
  global.progress("");
  if (auto status = apps::write_png(job.image->path(), seismic::draw(problem)); !status) return status;
  if (auto status = job.image->commit(); !status) return status;
  global.print("Wave field after {} iterations: {}\n", job.plan.iterations + more, settings.image);
  return base::Status::success();
}

int run_seismic(const SeismicSettings& settings, Global& global) {
  auto job = make_job(settings, global.options);
  if (!job) return fail(job.status());
  auto earth = seismic::make_earth(job->size, settings.model);
  if (!earth) return fail(earth.status());
  job->ground = (*earth)->describe();
  auto problem = seismic::Problem::create(**earth, job->plan.settings.threads);
  if (!problem) return fail(problem.status());
  earth->reset();
  problem->make_source(settings.iterations + more_iterations(settings, *problem));
  print_header(*job, *problem, global);

  if (auto status = measure_triad(*job); !status) return fail(status);
  const auto measured = seismic::measure(*problem, job->plan, [&](const seismic::Variant& variant, int repetition) {
    global.progress(fmt::format("{} {} of {}", variant.name, repetition + 1, settings.repetitions));
  });
  if (!measured) return fail(measured.status());
  if (auto status = measure_triad(*job); !status) return fail(status);
  global.progress("");
  const auto rows = rows_of(*job, *measured);
  for (const Row& row : rows) global.add(object_of(*job, row));
  print_table(*job, rows, global);
  if (const int status = judge(*measured, global); status != kDone) return status;
  const auto drawn = draw_picture(settings, *job, *problem, global);
  return drawn ? kDone : fail(drawn);
}

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
    "              it is in cache, no barrier\n\n"
    "The ground is layers of rock, or wave velocities in m/s from a .npy file of two dimensions, depth by width. After "
    "measuring, the simulation goes on until the wave has crossed the ground (on large grids for 2000 iterations), and "
    "the velocity field is drawn: red up, blue down, rock in grey.";

void add_size_options(CLI::App& verb, SeismicSettings& s) {
  auto* size =
      verb.add_option("--size", s.size, "cells: N for N x N, or ROWSxCOLUMNS; default 2048, or what the model has")
          ->type_name("SIZE");
  verb.add_flag("--paper", s.paper,
                "the size of the paper, 8192 x 8192: about 5 GB with the copy that results are compared with")
      ->excludes(size);
  verb.add_option("--model", s.model,
                  "velocities in m/s from this .npy file (float32 or float64, little-endian, C order)")
      ->type_name("FILE");
  verb.add_option("--iterations", s.iterations, "iterations of each run; default 100")
      ->check(CLI::Range(Index{1}, Index{1'000'000}));
  verb.add_option("--repeat", s.repetitions, "runs of each variant, of which the median counts; default 3")
      ->check(CLI::Range(1, 1000));
}

void add_work_options(CLI::App& verb, SeismicSettings& s) {
  std::vector<std::string> names;
  for (const auto& variant : seismic::variants()) names.emplace_back(variant.name);
  verb.add_option("--variants", s.variants, "which to run, with commas between; default all")
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->type_name("LIST");
  verb.add_option("--threads", s.threads, "threads of every variant but serial; default that of --workers")
      ->check(CLI::Range(1, 1024));
  const auto cells = CLI::Range(Index{1}, Index{1'000'000});
  verb.add_option("--block-rows", s.block_rows, "weir-plain: rows of a task; default rows / 128")->check(cells);
  verb.add_option("--tile-rows", s.tiling.rows, "weir: rows of a task; default 16 to 64")->check(cells);
  verb.add_option("--tile-cols", s.tiling.cols, "weir: columns of a task, rounded up to 8; default by level 2 cache")
      ->check(cells);
  verb.add_option("--tile-iterations", s.tiling.iterations,
                  "weir: iterations of a task; default 4 to 16, by level 2 cache")
      ->check(CLI::Range(1, 1000));
}

void add_image_options(CLI::App& verb, SeismicSettings& s) {
  auto* image =
      verb.add_option("--image", s.image, "where the picture goes; default weir-seismic.png")->type_name("FILE");
  verb.add_flag("--no-image", s.no_image, "draw none, and do not simulate beyond what is measured")->excludes(image);
  verb.add_option("--image-iterations", s.image_iterations,
                  "iterations after the measured ones before it is drawn; default: until the wave has crossed, on "
                  "large grids 2000")
      ->check(CLI::Range(Index{0}, Index{10'000'000}));
}

void add_seismic(CLI::App& parent, Global& global) {
  auto settings = std::make_shared<SeismicSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "seismic",
                .purpose = "waves in the ground: loops against tasks",
                .text = kSeismicText,
                .examples = {{"weir run seismic", "all variants, under a minute on two cores"},
                             {"weir run seismic --paper", "the paper's size"},
                             {"weir run seismic --model my.npy --image my.png", "your own ground"},
                             {"weir run seismic --variants openmp,weir --json", "for programs: one object a variant"}}},
               [settings](Global& g) { return run_seismic(*settings, g); });
  add_size_options(verb, *settings);
  add_work_options(verb, *settings);
  add_image_options(verb, *settings);
  add_runtime_options(verb, global);
}

}  // namespace

void add_run(CLI::App& app, Global& global) {
  CLI::App& verb = add_verb(app, global,
                            {.name = "run",
                             .purpose = "applications, in several variants that are checked against each other",
                             .text = "Runs a program that was used to measure task runtimes, with Weir and without it.",
                             .examples = {{"weir run seismic", "waves in the ground, under a minute"},
                                          {"weir run stencil3d", "data larger than fast memory"}}},
                            nullptr);
  add_seismic(verb, global);
  add_stencil3d(verb, global);
  add_matmul(verb, global);
}

}  // namespace weir::tool
