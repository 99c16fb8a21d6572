// SPDX-License-Identifier: Apache-2.0

// Random OCR programs: graphs of EDTs over events of all kinds and blocks in all modes, in memory and in tiers that are
// too small; blocks destroyed while others hold them, labels that both sides make, reports meanwhile, and shutdowns in
// the middle. docs/protocols/ocr.md
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "extensions/ocr-affinity.h"
#include "extensions/ocr-labeling.h"
#include "extensions/ocr-legacy.h"
#include "extensions/ocr-pause.h"
#include "ocr.h"
#include "ocr/system/system.hpp"
#include "stress.hpp"

namespace {

using weir::stress::Stress;

constexpr u64 kMagic = 0x5eed;

// A block that EDTs count in: word 0 the count, word 1 says which it is, and so does the last word.
struct Cell {
  ocrGuid_t guid = NULL_GUID;
  u64 words = 0;
  std::atomic<u64> expected{0};
};

// What an EDT does when it runs; given to it as a parameter.
struct Step {
  int cell = -1;
  ocrDbAccessMode_t mode = DB_MODE_RW;
  std::vector<ocrGuid_t> satisfies;   // once each, when it ends
  std::vector<ocrGuid_t> decrements;  // latches
  std::vector<ocrGuid_t> destroys;    // events that have fired when it runs
  bool makes = false;                 // a block that two children share, and the second of them destroys
  bool shuts_down = false;
  bool pauses = false;
  unsigned children = 0;
};

struct Shared {
  std::atomic<int> readers{0};
};

struct Program {
  Stress* stress = nullptr;
  std::vector<std::unique_ptr<Cell>> cells;
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<std::unique_ptr<Shared>> shared;
  std::atomic<u64> ran{0}, made_children{0}, ran_children{0}, refused{0};
  ocrGuid_t step_template = NULL_GUID, child_template = NULL_GUID, shared_template = NULL_GUID;
};
Program* program = nullptr;

ocrGuid_t make_template(ocrEdt_t function, u32 paramc) {
  ocrGuid_t made;
  ocrEdtTemplateCreate(&made, function, paramc, EDT_PARAM_UNK);
  return made;
}

ocrGuid_t run_child(u32, u64*, u32, ocrEdtDep_t*) {
  ++program->ran_children;
  return NULL_GUID;
}

// Both read it, whoever comes second destroys it, perhaps while the other still holds it.
ocrGuid_t run_shared(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const u64* const words = static_cast<u64*>(depv[0].ptr);
  program->stress->check(words != nullptr && words[0] == kMagic, "a shared block has its contents");
  auto& shared = *reinterpret_cast<Shared*>(paramv[0]);
  if (shared.readers.fetch_add(1) == 1) {
    program->stress->check(ocrDbDestroy(depv[0].guid) == 0, "it can be destroyed while it is held");
  }
  ++program->ran_children;
  return NULL_GUID;
}

void make_shared(u64 bytes, Shared& shared) {
  ocrGuid_t block;
  void* data = nullptr;
  if (ocrDbCreate(&block, &data, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC) != 0) {
    ++program->refused;
    return;
  }
  static_cast<u64*>(data)[0] = kMagic;
  program->stress->check(ocrDbRelease(block) == 0, "a block is released");
  u64 paramv[] = {reinterpret_cast<u64>(&shared)};
  for (int i = 0; i < 2; ++i) {
    ocrGuid_t edt;
    ocrEdtCreate(&edt, program->shared_template, 1, paramv, 1, &block, EDT_PROP_NONE, NULL_HINT, nullptr);
    ++program->made_children;
  }
}

void use_cell(const Step& step, ocrEdtDep_t& dep) {
  if (step.cell < 0) return;
  Cell& cell = *program->cells[static_cast<std::size_t>(step.cell)];
  auto* const words = static_cast<u64*>(dep.ptr);
  program->stress->check(words != nullptr, "an EDT has its block");
  program->stress->check(words[1] == kMagic + static_cast<u64>(step.cell) && words[cell.words - 1] == words[1],
                         "it is that block");
  switch (step.mode) {
    case DB_MODE_EW: ++words[0]; break;
    case DB_MODE_RW: std::atomic_ref(words[0]).fetch_add(1, std::memory_order_relaxed); break;
    case DB_MODE_CONST: {
      const u64 first = words[0];
      for (int i = 0; i < 16; ++i)
        program->stress->check(*static_cast<volatile u64*>(words) == first, "CONST is constant");
      break;
    }
    default: break;
  }
}

ocrGuid_t run_step(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const Step& step = *reinterpret_cast<Step*>(paramv[0]);
  use_cell(step, depv[0]);
  if (step.cell >= 0 && step.children % 2 == 1) ocrDbRelease(depv[0].guid);
  for (unsigned i = 0; i < step.children; ++i) {
    ocrGuid_t edt;
    ocrEdtCreate(&edt, program->child_template, 0, nullptr, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
    ++program->made_children;
  }
  if (step.makes) make_shared(step.children % 2 == 0 ? 64 : 24 << 10, *program->shared[paramv[1]]);
  for (const ocrGuid_t event : step.destroys) ocrEventDestroy(event);
  for (const ocrGuid_t event : step.satisfies) ocrEventSatisfy(event, NULL_GUID);
  for (const ocrGuid_t event : step.decrements) ocrEventSatisfySlot(event, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
  if (step.pauses) {
    const u32 paused = ocrPause(false);
    if (paused != 0) ocrResume(paused);
  }
  ++program->ran;
  if (step.shuts_down) ocrShutdown();
  return NULL_GUID;
}

class Round {
 public:
  explicit Round(Stress& stress) : stress_(stress), shuts_down_(stress.below(4) == 0), reports_(stress.below(32) == 0) {
    static const char* const kTiers[] = {nullptr, "memory=3MiB,file=/tmp:64MiB", "memory=3MiB,emulated=64MiB@0.9"};
    static const char* const kStrategies[] = {"off", "inline", "single", "multi", "ahead"};
    const char* const tiers = kTiers[stress.below(3)];
    if (tiers != nullptr) setenv("WEIR_TIERS", tiers, 1);
    setenv("WEIR_STRATEGY", kStrategies[stress.below(5)], 1);
    setenv("WEIR_WORKERS", std::to_string(1 + stress.below(4)).c_str(), 1);
    ocrLegacyInit(&context_, nullptr);
    unsetenv("WEIR_TIERS");
    program_.stress = &stress;
    program = &program_;
    program_.step_template = make_template(&run_step, 2);
    program_.child_template = make_template(&run_child, 0);
    program_.shared_template = make_template(&run_shared, 1);
    bytes_ = tiers == nullptr ? 4 << 10 : 96 << 10;
  }

  void run() {
    make_cells();
    ocrEventCreate(&gate_, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    ocrGuidRangeCreate(&labels_, kSteps, GUID_USER_EVENT_STICKY);
    ocrGuid_t done;
    ocrEventCreate(&done, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    ocrGuid_t driver_template = make_template(&drive, 1), driver;
    u64 paramv[] = {reinterpret_cast<u64>(this)};
    ocrEdtCreate(&driver, driver_template, 1, paramv, 0, nullptr, EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, NULL_HINT,
                 &done);
    if (shuts_down_) {
      ocrLegacyFinalize(context_, true);
      return;
    }
    if (reports_) weir::ocr::System::running()->print_report("meanwhile");
    ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE);
    check();
    ocrLegacyFinalize(context_, false);
  }

 private:
  static constexpr unsigned kSteps = 300, kCells = 48;

  void make_cells() {
    for (unsigned i = 0; i < kCells; ++i) {
      auto cell = std::make_unique<Cell>();
      void* data = nullptr;
      const u64 bytes = stress_.below(3) == 0 ? 64 : bytes_;
      cell->words = bytes / sizeof(u64);
      ocrHint_t hint;
      ocrHintInit(&hint, OCR_HINT_DB_T);
      const auto property = static_cast<ocrHintProp_t>(OCR_HINT_DB_PROP_START + 1 + stress_.below(8));
      if (property < OCR_HINT_DB_PROP_END && property != OCR_HINT_DB_AFFINITY) ocrSetHintValue(&hint, property, 1);
      stress_.check(ocrDbCreate(&cell->guid, &data, bytes, DB_PROP_NONE, &hint, NO_ALLOC) == 0, "a cell can be made");
      auto* const words = static_cast<u64*>(data);
      std::fill_n(words, cell->words, 0);
      words[1] = words[cell->words - 1] = kMagic + i;
      stress_.check(ocrDbRelease(cell->guid) == 0, "it is released");
      program_.cells.push_back(std::move(cell));
    }
  }

  // The event that brings `from` before a step with that slot; linked to it, and satisfied by `from`.
  void add_edge(Step& from, Step& to, ocrGuid_t edt, u32 slot, unsigned number) {
    ocrGuid_t event = NULL_GUID;
    unsigned kind = stress_.below(7);
    if (kind == 2 && !to.destroys.empty()) kind = 0;  // a step has one label
    switch (kind) {
      case 0: ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG); break;
      case 1:
        ocrEventCreate(&event, OCR_EVENT_IDEM_T, EVT_PROP_TAKES_ARG);
        from.satisfies.push_back(event);  // again, below
        break;
      case 2: {  // the label's event is made by whoever comes first
        ocrGuidFromIndex(&event, labels_, number);
        const u8 code = ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
        const u8 again = ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
        stress_.check(code == 0 && again == OCR_EGUIDEXISTS, "one makes the event of a label");
        to.destroys.push_back(event);
        break;
      }
      case 3: {
        ocrEventParams_t params{};
        params.EVENT_LATCH.counter = 1;
        ocrEventCreateParams(&event, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params);
        ocrAddDependence(event, edt, slot, DB_MODE_NULL);
        from.decrements.push_back(event);
        return;
      }
      case 4: {
        ocrEventParams_t params{};
        params.EVENT_COUNTED.nbDeps = 1;
        ocrEventCreateParams(&event, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &params);
        break;
      }
      case 5: {
        ocrEventParams_t params{};
        params.EVENT_CHANNEL.maxGen = 1 + stress_.below(3);
        params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
        ocrEventCreateParams(&event, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
        break;
      }
      default: {  // through a second event
        ocrGuid_t first;
        ocrEventCreate(&first, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
        ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
        ocrAddDependence(event, edt, slot, DB_MODE_NULL);
        ocrAddDependence(first, event, 0, DB_MODE_NULL);
        from.satisfies.push_back(first);
        return;
      }
    }
    ocrAddDependence(event, edt, slot, DB_MODE_NULL);
    from.satisfies.push_back(event);
  }

  // Slot 0: its cell or nothing; slot 1: the gate; the others: earlier steps.
  void make_step(unsigned number) {
    Step& step = *program_.steps.emplace_back(std::make_unique<Step>());
    program_.shared.push_back(std::make_unique<Shared>());
    static constexpr ocrDbAccessMode_t kModes[] = {DB_MODE_RW, DB_MODE_EW, DB_MODE_CONST, DB_MODE_RO};
    if (stress_.below(4) != 0) {
      step.cell = static_cast<int>(stress_.below(kCells));
      step.mode = kModes[stress_.below(4)];
    }
    step.makes = stress_.below(5) == 0;
    step.children = stress_.below(4);
    step.shuts_down = shuts_down_ && number == kSteps / 2;
    step.pauses = stress_.below(100) == 0;
    const unsigned before = std::min(number, stress_.below(3));
    u64 paramv[] = {reinterpret_cast<u64>(&step), number};
    ocrGuid_t edt;
    ocrEdtCreate(&edt, program_.step_template, 2, paramv, 2 + before, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
    for (unsigned i = 0; i < before; ++i) {
      const unsigned from = stress_.below(number);
      add_edge(*program_.steps[from], step, edt, 2 + i, number);
    }
    if (step.cell >= 0) {
      Cell& cell = *program_.cells[static_cast<std::size_t>(step.cell)];
      if (step.mode == DB_MODE_RW || step.mode == DB_MODE_EW) ++cell.expected;
      ocrAddDependence(cell.guid, edt, 0, step.mode);
    } else {
      ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    ocrAddDependence(gate_, edt, 1, DB_MODE_NULL);
  }

  static ocrGuid_t drive(u32, u64* paramv, u32, ocrEdtDep_t*) {
    Round& round = *reinterpret_cast<Round*>(paramv[0]);
    for (unsigned i = 0; i < kSteps; ++i) round.make_step(i);
    ocrEventSatisfy(round.gate_, NULL_GUID);
    return NULL_GUID;
  }

  void check() {
    stress_.check(program_.ran == kSteps, "every step has run");
    stress_.check(program_.ran_children == program_.made_children, "every child has run");
    stress_.check(program_.refused == 0, "there was room for every block");
    for (const auto& cell : program_.cells) {
      const ocrGuid_t carrier = carrier_of(cell->guid);
      void* data = nullptr;
      stress_.check(ocrLegacyBlockProgress(carrier, nullptr, &data, nullptr, LEGACY_PROP_NONE) == 0, "a cell is there");
      stress_.check(*static_cast<u64*>(data) == cell->expected,
                    "a cell was counted up as often as it should have been");
      stress_.check(ocrDbRelease(cell->guid) == 0 && ocrDbDestroy(cell->guid) == 0, "a cell is destroyed");
    }
  }
  static ocrGuid_t carrier_of(ocrGuid_t block) {
    ocrGuid_t event;
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    ocrEventSatisfy(event, block);
    return event;
  }

  Stress& stress_;
  const bool shuts_down_, reports_;
  u64 bytes_ = 0;
  Program program_;
  ocrGuid_t context_ = NULL_GUID, gate_ = NULL_GUID, labels_ = NULL_GUID;
};

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  const long rounds = stress.repeat("round", [&] { Round(stress).run(); });
  std::printf("%ld rounds\n", rounds);
}
