// SPDX-License-Identifier: Apache-2.0

#include "run_seismic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "apps/common/caches.hpp"
#include "apps/common/isolated.hpp"
#include "apps/common/units.hpp"
#include "apps/seismic/input.hpp"
#include "apps/seismic/layout.hpp"
#include "apps/seismic/measure.hpp"
#include "apps/seismic/measure_tiers.hpp"
#include "apps/seismic/picture.hpp"
#include "file_names.hpp"
#include "kept_traces.hpp"
#include "live_progress.hpp"
#include "machine/machine.hpp"
#include "machine/stream.hpp"
#include "pending_file.hpp"
#include "platform/memory_limit.hpp"
#include "report/units.hpp"
#include "seismic_report.hpp"
#include "weir/error.hpp"

namespace weir::tool {
namespace {

namespace seismic = apps::seismic;
using seismic::Index;

constexpr seismic::Size kDefaultSize{2048, 2048};
constexpr seismic::Size kPaperSize{8192, 8192};
constexpr Index kPictureIterations = 1200;
constexpr Index kPictureCells = kPictureIterations * 2048 * 2048;  // times iterations

constexpr const char* kDefaultImage = "weir-seismic.png";

std::string image_name(const SeismicSettings& settings) {
  return settings.image.empty() ? kDefaultImage : settings.image;
}

// What a run stands on, made before anything is measured.
struct Job {
  machine::Machine machine;
  seismic::Size size;
  std::string ground;
  seismic::Plan plan;
  std::optional<PendingFile> image;
  double triad_gb_per_s = 0;
};

std::string describe(const machine::Machine& machine) {
  std::string memory;
  for (const auto& node : machine.memory_nodes()) {
    memory += fmt::format("{}{} {:.1f} GiB", memory.empty() ? "" : ", ", node.name, apps::gib(node.capacity.count));
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
  plan.rest = std::chrono::duration<double>(settings.rest_seconds);
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

// Together the three are four times all caches, of which the next pass then finds nothing; four times each, as STREAM
// wants it, takes half a minute where caches are hundreds of MiB.
Bytes triad_array(const machine::Machine& machine) {
  constexpr std::uint64_t kLeast = 80'000'000;
  return {std::max(machine::stream_array_size(machine).count / 3, kLeast)};
}

machine::StreamSettings triad_settings(const machine::Machine& machine, int threads) {
  machine::StreamSettings triad;
  triad.threads = machine::stream_threads(machine, {}, threads);
  triad.array = triad_array(machine);
  triad.repetitions = 10;
  triad.loops = {machine::StreamLoop::triad};
  return triad;
}

// Once: the system takes longer to clear arrays of this size than the loops take.
base::Status measure_triad(Job& job) {
  const auto report = machine::run_stream(triad_settings(job.machine, job.plan.settings.threads));
  if (!report) return report.status();
  job.triad_gb_per_s = report->rows.front().best_gb_per_s;
  return base::Status::success();
}

// Beside the problem itself. With tiers, each variant has memory to itself.
std::uint64_t bytes_beside(const Job& job) {
  const auto& variants = job.plan.variants;
  const bool again =
      std::any_of(variants.begin(), variants.end(), [](auto* variant) { return variant->blocks || variant->copies; });
  if (!again || !job.plan.settings.runtime.tiers.empty()) return 0;
  return seismic::band_layout(job.size.rows, job.size.cols, job.plan.settings.tiling.rows).total_bytes();
}

base::Status check_triad(std::uint64_t bytes, const platform::MemoryLimit& available) {
  if (bytes <= available.bytes) return base::Status::success();
  return {
      base::Code::no_space,
      fmt::format("the memory's bandwidth is measured in three arrays, larger than all caches, of {} together, but {} "
                  "leaves {}; free some memory, or raise that limit",
                  report::measured_size(bytes), available.limited_by, report::measured_size(available.bytes))};
}

base::Result<Job> make_job(const SeismicSettings& settings, const Options& options) {
  auto machine = machine::Machine::discover();
  if (!machine) return machine.status();
  const auto size = chosen_size(settings);
  if (!size) return size.status();
  const std::uint64_t of_triad = 3 * triad_array(*machine).count;
  if (auto status = check_triad(of_triad, platform::memory_limit()); !status) return status;
  const int workers = options.workers > 0 ? options.workers : machine->default_worker_count();
  const int threads = settings.threads > 0 ? settings.threads : workers;
  Job job{*machine, *size, "", make_plan(settings, options, size->rows, threads), std::nullopt, 0};
  const auto needed = of_triad + bytes_beside(job);
  const auto status = seismic::check_memory(*size, !settings.model.empty(), needed, platform::memory_limit());
  if (!status) return status;
  if (!settings.no_image && options.tiers.empty()) {
    if (auto differ = check_differ({{"the trace", options.trace}, {"--image", image_name(settings)}}); !differ)
      return differ;
    auto image = PendingFile::create(image_name(settings));
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
  global.print("Wave field after {} iterations, {} of them for the picture only: {}\n", job.plan.iterations + more,
               more, image_name(settings));
  return base::Status::success();
}

// `traces`: null when all runs are of this process, and so in one file.
template <class Line>
seismic::Progress progress_of(const SeismicSettings& settings, Line& line, KeptTraces* traces) {
  return [&settings, &line, traces](const seismic::Variant& variant, int repetition) {
    if (traces != nullptr) traces->begin(std::string(variant.name), repetition, settings.repetitions);
    line.set(fmt::format("{} {} of {}", variant.name, repetition + 1, settings.repetitions));
  };
}

base::Result<std::vector<seismic::Measurement>> measure_in_memory(const SeismicSettings& settings,
                                                                  seismic::Problem& problem, const Job& job,
                                                                  const Global& global) {
  LiveProgress progress(global);
  return seismic::measure(problem, job.plan, progress_of(settings, progress, nullptr));
}

int run_in_memory(const SeismicSettings& settings, Job& job, Global& global) {
  auto earth = seismic::make_earth(job.size, settings.model);
  if (!earth) return fail(earth.status());
  job.ground = (*earth)->describe();
  auto problem = seismic::Problem::create(**earth, job.plan.settings.threads);
  if (!problem) return fail(problem.status());
  earth->reset();
  problem->make_source(settings.iterations + more_iterations(settings, *problem));
  print_header(job, *problem, global);

  if (auto status = measure_triad(job); !status) return fail(status);
  auto measured = measure_in_memory(settings, *problem, job, global);
  if (!measured) return fail(measured.status());
  global.progress("");
  const SeismicReport report{job.size, job.plan, job.triad_gb_per_s, std::move(*measured)};
  if (const int status = report.show(global); status != kDone) return status;
  const auto drawn = draw_picture(settings, job, *problem, global);
  return drawn ? kDone : fail(drawn);
}

// This process starts no thread, so that each run, and triad, can have a process of its own.
int run_with_tiers(const SeismicSettings& settings, Job& job, Global& global) {
  const auto triad = apps::run_isolated([&]() -> std::string {
    const auto status = measure_triad(job);
    if (!status) throw weir::Error(status.message);
    return fmt::format("{}", job.triad_gb_per_s);
  });
  if (!triad) return fail(triad.status());
  job.triad_gb_per_s = std::stod(*triad);
  global.print("problem  {} cells of {:g} m; {} iterations; {} repetition{}\n", seismic::to_string(job.size),
               seismic::Setup::kCellSize, job.plan.iterations, job.plan.repetitions,
               job.plan.repetitions == 1 ? "" : "s");
  global.print("tiers    {}\n", job.plan.settings.runtime.tiers);
  global.print("threads  {}, {} instructions\n", job.plan.settings.threads, job.plan.settings.kernels->name);
  KeptTraces traces(global);
  IsolatedProgress progress(global);
  const apps::WatchIsolated watch([&](pid_t process) { progress.look(process); });
  auto measured =
      seismic::measure_with_tiers(job.size, settings.model, job.plan, progress_of(settings, progress, &traces));
  if (!measured) return fail(measured.status());
  global.progress("");
  traces.finish(global);
  return SeismicReport{job.size, job.plan, job.triad_gb_per_s, std::move(*measured)}.show(global);
}

}  // namespace

int run_seismic(const SeismicSettings& settings, Global& global) {
  const bool tiers = !global.options.tiers.empty();
  if (tiers && !settings.image.empty()) {
    return fail("--image needs the whole grid in memory: leave it out, or --tiers", kUsage);
  }
  auto job = make_job(settings, global.options);
  if (!job) return fail(job.status());
  return tiers ? run_with_tiers(settings, *job, global) : run_in_memory(settings, *job, global);
}

}  // namespace weir::tool
