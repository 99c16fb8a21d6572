// SPDX-License-Identifier: Apache-2.0

// What the OCR API costs, in the terms of the targets in docs/performance/ocr.md, of which bench/ocr_table.py makes a
// table.
//
// With one worker the calling thread does everything, and CPU time counts. What is measured of single calls is measured
// in an EDT, in batches, by the processor time of that thread.
#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "apps/fibonacci/fib.h"
#include "bench/line_time.hpp"
#include "ocr/extensions/ocr-labeling.h"
#include "ocr/extensions/ocr-legacy.h"
#include "ocr/system/system.hpp"
#include "sched/scheduler.hpp"

namespace {

void check(u8 code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "ocr_bench: %s failed with code %d\n", what, code);
  std::exit(1);
}

// The runtime of OCR; the thread that makes it is outside of EDTs.
class Ocr {
 public:
  explicit Ocr(int workers) {
    weir::Options options;
    options.workers = workers;
    check(weir::ocr::System::start(options, false) ? 0 : OCR_ENOMEM, "starting OCR");
  }
  ~Ocr() { weir::ocr::System::stop(); }
  Ocr(const Ocr&) = delete;
  Ocr& operator=(const Ocr&) = delete;
};

struct Template {
  Template(ocrEdt_t function, u32 params, u32 slots) {
    check(ocrEdtTemplateCreate(&guid, function, params, slots), "ocrEdtTemplateCreate");
  }
  ~Template() { ocrEdtTemplateDestroy(guid); }
  Template(const Template&) = delete;
  Template& operator=(const Template&) = delete;
  ocrGuid_t guid;
};

// Runs a finish EDT, and all that it makes.
void run(const Template& edt, u64 params, u64* paramv) {
  ocrGuid_t done;
  check(ocrLegacySpawnOCR(&done, edt.guid, params, paramv, 0, nullptr, NULL_GUID), "ocrLegacySpawnOCR");
  check(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), "ocrLegacyBlockProgress");
  ocrEventDestroy(done);
}

ocrGuid_t call_edt(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  (*reinterpret_cast<const std::function<void()>*>(paramv[0]))();
  return NULL_GUID;
}
void in_edt(const std::function<void()>& work) {
  const Template edt(call_edt, 1, 0);
  u64 params[] = {reinterpret_cast<u64>(&work)};
  run(edt, 1, params);
}

void report_per(benchmark::State& state, const char* name, double things) {
  state.counters[name] = benchmark::Counter(things * static_cast<double>(state.iterations()),
                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// ---- Empty EDTs: arguments are workers, EDTs that make them, and how many are made before all have run ----

constexpr u64 kEmpties = 100'000;

ocrGuid_t empty_edt(u32, u64*, u32, ocrEdtDep_t[]) { return NULL_GUID; }

std::atomic<u64> making_ns{0};  // of all makers together

// Parameters: how many, their template.
ocrGuid_t make_empties(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  const auto& edt_template = reinterpret_cast<const Template*>(paramv[1])->guid;
  const auto begin = std::chrono::steady_clock::now();
  for (u64 i = 0; i < paramv[0]; ++i) {
    ocrGuid_t edt;
    ocrEdtCreate(&edt, edt_template, 0, nullptr, 0, nullptr, EDT_PROP_NONE, nullptr, nullptr);
  }
  making_ns += static_cast<u64>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  return NULL_GUID;
}

double stolen_tasks() {
  double stolen = 0;
  weir::ocr::System::running()->scheduler().for_each_worker(
      [&](const weir::sched::Worker& worker) { stolen += static_cast<double>(worker.statistics().stolen.load()); });
  return stolen;
}

// Parameters: how many makers, the template of makers, the parameters of each.
ocrGuid_t make_makers(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  const auto& edt_template = reinterpret_cast<const Template*>(paramv[1])->guid;
  for (u64 i = 0; i < paramv[0]; ++i) {
    ocrGuid_t edt;
    ocrEdtCreate(&edt, edt_template, 2, reinterpret_cast<u64*>(paramv[2]), 0, nullptr, EDT_PROP_NONE, nullptr, nullptr);
  }
  return NULL_GUID;
}

void empty_edts(benchmark::State& state) {
  const Ocr ocr(static_cast<int>(state.range(0)));
  const auto makers = static_cast<u64>(state.range(1)), empties = static_cast<u64>(state.range(2));
  const Template empty(empty_edt, 0, 0), maker(make_empties, 2, 0), all(make_makers, 3, 0);
  u64 each[] = {empties / makers, reinterpret_cast<u64>(&empty)};
  u64 params[] = {makers, reinterpret_cast<u64>(&maker), reinterpret_cast<u64>(each)};
  const double line_before = state.range(0) == 1 ? 0 : weir::bench::line_time_ns();
  making_ns = 0;
  for (auto _ : state) run(all, 3, params);
  report_per(state, "per_edt", static_cast<double>(empties));
  const double edts = static_cast<double>(state.iterations()) * static_cast<double>(empties);
  state.counters["making_ns"] = static_cast<double>(making_ns.load()) / edts;  // of per_edt, on each maker's worker
  state.counters["stolen"] = stolen_tasks() / edts;
  if (line_before > 0) state.counters["line_ns"] = (line_before + weir::bench::line_time_ns()) / 2;
}
BENCHMARK(empty_edts)
    ->ArgNames({"workers", "makers", "edts"})
    ->Args({1, 100, kEmpties})
    ->Args({1, 1, kEmpties})
    ->Args({1, 1, kEmpties / 10})
    ->Args({1, 1, kEmpties * 4})
    ->MeasureProcessCPUTime();  // not of this thread alone: EDTs may run on another while it waits
BENCHMARK(empty_edts)
    ->ArgNames({"workers", "makers", "edts"})
    ->Args({2, 100, kEmpties})
    ->Args({2, 2, kEmpties})
    ->Args({2, 2, kEmpties / 10})
    ->Args({2, 2, kEmpties * 4})
    ->Args({2, 1, kEmpties})
    ->UseRealTime();

// ---- fib(25): a block, two ONCE events and four dependences an EDT ----

constexpr u64 kFib = 25;

ocrGuid_t start_fib(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  fib_start(kFib, reinterpret_cast<const FibParams*>(paramv));
  return NULL_GUID;
}

void fib(benchmark::State& state) {
  const Ocr ocr(static_cast<int>(state.range(0)));
  const Template call(fib_edt, kFibParams, kFibSlots), add(fib_add_edt, kFibParams, kFibAddSlots),
      first(start_fib, kFibParams, 0);
  for (auto _ : state) {
    FibParams params{NULL_GUID, call.guid, add.guid};
    check(ocrEventCreate(&params.result, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG), "ocrEventCreate");
    run(first, kFibParams, reinterpret_cast<u64*>(&params));
    ocrGuid_t block;
    void* data = nullptr;
    check(ocrLegacyBlockProgress(params.result, &block, &data, nullptr, LEGACY_PROP_NONE), "ocrLegacyBlockProgress");
    if (*static_cast<u64*>(data) != fib_by_loop(kFib)) state.SkipWithError("fib(25) is wrong");
    ocrDbDestroy(block);
    ocrEventDestroy(params.result);
  }
  report_per(state, "per_edt", static_cast<double>(fib_edts(kFib)));
}
BENCHMARK(fib)->ArgName("workers")->Arg(1)->MeasureProcessCPUTime();
BENCHMARK(fib)->ArgName("workers")->Arg(2)->UseRealTime();

// ---- Single calls, in batches ----

constexpr int kBatch = 1000;
using Guids = std::array<ocrGuid_t, kBatch>;

// Which call of a batch is timed, and what the batch works on.
enum class Timed { create, satisfy, destroy, create_and_destroy };

// prepare(guids), untimed, then create, satisfy and destroy one after the other over all of the batch.
struct Calls {
  std::function<void(Guids&)> prepare;
  u8 (*create)(ocrGuid_t& guid);
  u8 (*satisfy)(ocrGuid_t guid);  // may be null
  u8 (*destroy)(ocrGuid_t guid);
};

void time_calls(benchmark::State& state, const Calls& calls, Timed timed) {
  const Ocr ocr(1);
  in_edt([&] {
    static Guids guids;
    u8 codes = 0;
    for (auto _ : state) {
      if (calls.prepare) calls.prepare(guids);
      const double begin = cpu_seconds();
      for (ocrGuid_t& guid : guids) codes |= calls.create(guid);
      const double created = cpu_seconds();
      if (calls.satisfy != nullptr)
        for (const ocrGuid_t guid : guids) codes |= calls.satisfy(guid);
      const double satisfied = cpu_seconds();
      for (const ocrGuid_t guid : guids) codes |= calls.destroy(guid);
      const double destroyed = cpu_seconds();
      state.SetIterationTime(timed == Timed::create    ? created - begin
                             : timed == Timed::satisfy ? satisfied - created
                             : timed == Timed::destroy ? destroyed - satisfied
                                                       : destroyed - begin);
    }
    if (codes != 0) state.SkipWithError("a call failed");
  });
  report_per(state, "per_call", kBatch);
}

template <u16 kLabelled>
u8 create_sticky(ocrGuid_t& guid) {
  return ocrEventCreate(&guid, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | kLabelled);
}
u8 satisfy(ocrGuid_t guid) { return ocrEventSatisfy(guid, NULL_GUID); }

// Labels that are there for as long as the benchmark runs.
std::function<void(Guids&)> labels(ocrGuidUserKind kind) {
  return [kind, range = NULL_GUID](Guids& guids) mutable {
    if (ocrGuidIsNull(range)) check(ocrGuidRangeCreate(&range, kBatch, kind), "ocrGuidRangeCreate");
    for (u64 i = 0; i < kBatch; ++i) check(ocrGuidFromIndex(&guids[i], range, i), "ocrGuidFromIndex");
  };
}

void sticky(benchmark::State& state, Timed timed) {
  time_calls(state, {nullptr, create_sticky<0>, satisfy, ocrEventDestroy}, timed);
}
void labelled_sticky(benchmark::State& state, Timed timed) {
  time_calls(state, {labels(GUID_USER_EVENT_STICKY), create_sticky<GUID_PROP_IS_LABELED>, satisfy, ocrEventDestroy},
             timed);
}
BENCHMARK_CAPTURE(sticky, create, Timed::create)->UseManualTime();
BENCHMARK_CAPTURE(sticky, satisfy, Timed::satisfy)->UseManualTime();
BENCHMARK_CAPTURE(sticky, destroy, Timed::destroy)->UseManualTime();
BENCHMARK_CAPTURE(sticky, all, Timed::create_and_destroy)->UseManualTime();
BENCHMARK_CAPTURE(labelled_sticky, all, Timed::create_and_destroy)->UseManualTime();

ocrGuid_t two_slots;  // template

template <u16 kLabelled>
u8 create_edt(ocrGuid_t& guid) {
  return ocrEdtCreate(&guid, two_slots, 0, nullptr, 2, nullptr, EDT_PROP_NONE | kLabelled, nullptr, nullptr);
}
void edt_of_two_slots(benchmark::State& state, bool labelled, Timed timed) {
  Calls calls{nullptr, create_edt<0>, nullptr, ocrEdtDestroy};
  if (labelled) calls = {labels(GUID_USER_EDT), create_edt<GUID_PROP_IS_LABELED>, nullptr, ocrEdtDestroy};
  const auto prepare = calls.prepare;
  bool made = false;
  calls.prepare = [&made, prepare](Guids& guids) {
    if (!made) check(ocrEdtTemplateCreate(&two_slots, empty_edt, 0, 2), "ocrEdtTemplateCreate");
    made = true;
    if (prepare) prepare(guids);
  };
  time_calls(state, calls, timed);
}
BENCHMARK_CAPTURE(edt_of_two_slots, create, false, Timed::create)->UseManualTime();
BENCHMARK_CAPTURE(edt_of_two_slots, create_and_destroy, false, Timed::create_and_destroy)->UseManualTime();
BENCHMARK_CAPTURE(edt_of_two_slots, labelled_create_and_destroy, true, Timed::create_and_destroy)->UseManualTime();

// One block after the other, as programs do: made and destroyed while its memory is warm.
template <u16 kLabelled>
u8 create_and_destroy_block(ocrGuid_t& guid) {
  void* data;
  const u8 code = ocrDbCreate(&guid, &data, 64, DB_PROP_NONE | kLabelled, nullptr, NO_ALLOC);
  return code != 0 ? code : ocrDbDestroy(guid);
}
u8 nothing(ocrGuid_t) { return 0; }
void block_of_64_bytes(benchmark::State& state) {
  time_calls(state, {nullptr, create_and_destroy_block<0>, nullptr, nothing}, Timed::create);
}
void labelled_block_of_64_bytes(benchmark::State& state) {
  time_calls(state, {labels(GUID_USER_DB), create_and_destroy_block<GUID_PROP_IS_LABELED>, nullptr, nothing},
             Timed::create);
}
BENCHMARK(block_of_64_bytes)->UseManualTime();
BENCHMARK(labelled_block_of_64_bytes)->UseManualTime();

// ---- Memory: growth of resident memory with so many ready EDTs, which have no parameters and no slots ----

double resident_bytes() {
  long pages = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) std::exit(1);
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void bytes_of_waiting_edts(benchmark::State& state) {
  const Ocr ocr(1);
  const auto count = static_cast<u64>(state.range(0));
  double bytes = 0;
  for (auto _ : state) {
    in_edt([&] {
      const Template empty(empty_edt, 0, 0);
      u64 params[] = {count, reinterpret_cast<u64>(&empty)};
      const double before = resident_bytes();
      make_empties(2, params, 0, nullptr);
      bytes = resident_bytes() - before;
    });
  }
  state.counters["bytes_per_edt"] = bytes / static_cast<double>(count);
}
BENCHMARK(bytes_of_waiting_edts)->ArgName("edts")->Arg(10'000'000)->Iterations(1);

}  // namespace
