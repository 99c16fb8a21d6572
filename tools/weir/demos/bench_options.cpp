// SPDX-License-Identifier: Apache-2.0

#include "demos/bench_options.hpp"

#include <memory>
#include <utility>

#include "bench/report/rank_plan.hpp"

namespace weir::tool {
namespace {

const char* const kTasksText =
    "Measures the cost of a task in Weir and in every other task runtime that was present at build: oneTBB, "
    "Taskflow, libgomp, libomp, StarPU; and in plain calls (serial). Each measurement is a process of its own; the "
    "runtimes take turns, so that what else the machine does falls on all of them.\n\n"
    "independent: empty tasks from one producer. chain: each task depends on the one before, through one inout "
    "footprint. forkjoin: fib(30), one task for each call. wavefront: a grid in which a task depends on its left and "
    "its "
    "upper neighbour. bytes_per_task: memory of a task that waits. metg_PATTERN: the smallest average task duration at "
    "which half of the machine's peak is reached (Task Bench), for graphs of a given width: trivial, stencil_1d, "
    "nearest, spread, fft, random_nearest, dom, tree, all_to_all. metg_PATTERN_fresh: the same where each task writes "
    "memory that was never named before, as in programs that allocate for every step; in the others two cells of a "
    "column take turns. small_PATTERN: tasks of 0.14 us, with more workers than processors, too. In all graphs every "
    "task checks that its inputs are those of the right tasks, and it is checked that each ran once.\n\n"
    "Wall-clock time; medians of all rounds, and ratios to Weir. A run whose result is wrong, that fails or takes too "
    "long, is an error in its row, and the exit status is 1.\n\n"
    "--ranks N: graphs whose columns belong in runs of neighbours to N processes, each with one worker or as many as "
    "--workers says, compared with as many workers in one process (weir). ranks-shm: footprint tasks over ranks, by "
    "weir "
    "run -n N; ranks-openmpi, ranks-mpich: the same program by mpirun. mpi-...: a program without tasks, with "
    "MPI_Isend, "
    "MPI_Irecv and MPI_Waitall for each row; mpi+omp-...: OpenMP tasks, of which one a row waits for its messages; "
    "mpi+weir-...: tasks that end with their messages (weir::mpi::wait_at_end). stencil_1d is a halo exchange.\n\n"
    "By default 3 rounds of 3 runs, without StarPU, small_PATTERN, and METG of trivial and all_to_all; --full measures "
    "everything in 5 rounds of 5 runs. What is named is measured in any case.";

CLI::App& add_tasks(CLI::App& parent, Global& global, std::function<int(const TasksSettings&, Global&)> run) {
  auto settings = std::make_shared<TasksSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "tasks",
                .purpose = "costs of tasks, compared with other runtimes",
                .text = kTasksText,
                .examples = {{"weir bench tasks", "the usual selection, two to three minutes"},
                             {"weir bench tasks --full", "everything, about twenty minutes"},
                             {"weir bench tasks --quick --runtimes weir,tbb", "a first look"},
                             {"weir bench tasks --benches metg --plot metg.svg", "only METG, drawn"},
                             {"weir bench tasks --benches small --runtimes weir,tbb", "more workers than processors"},
                             {"weir bench tasks --benches metg --runtimes weir --against old=FOLDER/weir-bench-weir",
                              "this build and another in turns"},
                             {"weir bench tasks --ranks 2 --benches metg_stencil_1d", "two processes, one, and MPI"},
                             {"weir bench tasks --json > tasks.json", "for programs: one object per row"}}},
               [settings, run = std::move(run)](Global& g) { return run(*settings, g); });
  add_option(verb, "--benches", settings->benches,
             "benchmarks, with commas between: independent, chain, forkjoin, wavefront, bytes_per_task, metg_PATTERN, "
             "metg_PATTERN_fresh, small_PATTERN, metg or small for all of these, or all; default see above")
      .type_name("LIST");
  add_option(
      verb, "--runtimes", settings->runtimes,
      "runtimes, with commas between: weir, tbb, taskflow, libgomp, libomp, starpu, serial, or all; default all "
      "that there are but starpu. With --ranks: weir, ranks-shm, and ranks-MPI, mpi-MPI, mpi+omp-MPI, mpi+weir-MPI "
      "for openmpi and mpich; default all that there are")
      .type_name("LIST");
  add_option(
      verb, "--workers", settings->workers,
      "numbers of workers, with commas between; default 1,2, and for small_PATTERN as many as processors, twice and "
      "four times as many")
      .type_name("LIST");
  add_option(verb, "--ranks", settings->ranks, "metg_PATTERN over so many processes; --workers is of each, default 1")
      .default_str("")
      .between(1, bench::kMostRanks);
  add_option(verb, "--against", settings->beside,
             "measure this runner too, under a name of its own: weir-bench-weir of another build")
      .type_name("NAME=PROGRAM")
      .comma_separated();
  add_option(verb, "--rounds", settings->rounds, "processes for each measurement; default 3, 5 with --full")
      .default_str("")
      .between(1, 1000);
  add_option(verb, "--repeat", settings->repeat,
             "runs in each process, of which the median counts; default 3, 5 with --full")
      .default_str("")
      .between(1, 1000);
  add_option(verb, "--width", settings->amount.width, "tasks side by side in the graphs of metg; default 8")
      .between(1, 1024);
  add_option(verb, "--timeout", settings->amount.timeout_s, "seconds after which a process has failed; default 120")
      .positive();
  const Option quick =
      add_flag(verb, "--quick", settings->quick, "fewer tasks, 2 rounds of 3 runs: a minute, rough numbers");
  add_flag(verb, "--full", settings->full, "all benchmarks and runtimes, 5 rounds of 5 runs").excludes(quick);
  add_option(verb, "--plot", settings->plot, "draw the medians to this .svg or .png file; needs gnuplot")
      .type_name("FILE");
  add_option(verb, "--runners", settings->runners,
             "where the weir-bench-* programs are; default the folder of this one")
      .type_name("FOLDER");
  return verb;
}

const char* const kTiersText =
    "Measures what moving data between memory tiers gives when a program's data is larger than the fast tier: figures "
    "8 and 9 of the paper on memory-heterogeneity-aware runtimes, for this machine. Two programs, stencil3d and matmul "
    "(weir run), at several sizes over the fast tier; naive placement (off), each other strategy, and what one would "
    "do instead: mmap left to the kernel's paging in a memory cgroup, and StarPU's out-of-core.\n\n"
    "The fast tier is a budget of ordinary memory. The slow tier is a file, or ordinary memory slowed down "
    "(emulated:FRACTION), which every output then says.\n\n"
    "Each run is a process of its own; all take turns, and medians count. Results are compared with plain OpenMP in "
    "memory. The bound is the longer of computing with everything in memory and moving what any mover would have to: "
    "what an offline simulation of the same order of tasks with perfect knowledge (Belady) fetches and writes back, by "
    "the slow tier's bandwidth, which is measured in each round by reading and writing it.\n\n"
    "Without --evict, ahead and model evict by next use and the others as in the paper, what no task uses at once.";

void add_what(CLI::App& verb, TiersSettings& s) {
  add_option(verb, "--apps", s.request.apps, "programs, with commas between: stencil3d, matmul; default both")
      .type_name("LIST");
  add_option(verb, "--ratios", s.ratios, "sizes of the data over the fast tier; default 2, with --full 2,3.4")
      .type_name("LIST");
  add_option(verb, "--budget", s.budget,
             "the fast tier, about: sizes are whole blocks; default 128MiB, with --full 256MiB")
      .type_name("SIZE");
  add_option(verb, "--slow", s.request.slow,
             "the slow tier; file:FOLDER, or emulated:FRACTION of memory's copy bandwidth; default file:/tmp")
      .type_name("TIER");
  add_option(verb, "--strategies", s.request.strategies,
             "with commas between: off (always there), inline, single, multi, ahead, model; default all")
      .type_name("LIST");
  add_option(verb, "--evict", s.request.evict,
             "with commas between: refcount, lru, next-use, each with each strategy; default: each strategy's own")
      .type_name("LIST");
  add_option(verb, "--peers", s.request.peers, "mmap, starpu, or none; default those that can be run here")
      .type_name("LIST");
  add_option(verb, "--order", s.order, "order of the tasks, reuse or naive; default reuse").among({"reuse", "naive"});
}

void add_how_much(CLI::App& verb, TiersSettings& s) {
  add_flag(verb, "--full", s.full, "the sizes of the paper's figures instead of one that is done in minutes");
  add_option(verb, "--rounds", s.amount.rounds, "rounds in which all take turns; default 3").between(1, 1000);
  add_option(verb, "--repeat", s.amount.repeat, "runs of each in a round; default 1").between(1, 1000);
  add_option(verb, "--timeout", s.amount.timeout_s, "seconds after which a run has failed; default 120").positive();
  add_option(verb, "--plot", s.plot, "draw the speedups to this .svg or .png file; needs gnuplot").type_name("FILE");
}

CLI::App& add_bench_tiers(CLI::App& parent, Global& global, std::function<int(const TiersSettings&, Global&)> run) {
  auto settings = std::make_shared<TiersSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "tiers",
                .purpose = "data larger than fast memory, by strategy",
                .text = kTiersText,
                .examples = {{"weir bench tiers", "the usual size, about three minutes"},
                             {"weir bench tiers --full", "two sizes, both larger, about twenty minutes"},
                             {"weir bench tiers --slow emulated:0.25 --plot tiers.svg", "the policy alone, drawn"},
                             {"weir bench tiers --apps matmul --ratios 2 --peers none", "a first look"},
                             {"weir bench tiers --json > tiers.json", "for programs: one object per row"}}},
               [settings, run = std::move(run)](Global& g) { return run(*settings, g); });
  add_what(verb, *settings);
  add_how_much(verb, *settings);
  add_runtime_options(verb, global, {"tiers", "strategy", "evict"});
  return verb;
}

}  // namespace

BenchVerbs add_bench(CLI::App& app, Global& global, BenchRuns runs) {
  CLI::App& verb = add_verb(app, global,
                            {.name = "bench",
                             .purpose = "measurements compared with other runtimes",
                             .text = "Measures what the runtime itself costs, and what it gives, compared with others.",
                             .examples = {{"weir bench tasks --quick", "costs of tasks, a first look"},
                                          {"weir bench tiers", "data larger than fast memory, three minutes"},
                                          {"weir bench shmem --quick", "OpenSHMEM, a first look"},
                                          {"weir bench bddt", "five programs, on threads and islands"},
                                          {"weir bench prk --kernels stencil", "stencils by OpenMP, oneTBB and Weir"}}},
                            nullptr);
  return {add_tasks(verb, global, std::move(runs.tasks)), add_bench_tiers(verb, global, std::move(runs.tiers)),
          add_bench_shmem(verb, global, std::move(runs.shmem)), add_bench_bddt(verb, global, std::move(runs.bddt)),
          add_bench_prk(verb, global, std::move(runs.prk))};
}

}  // namespace weir::tool
