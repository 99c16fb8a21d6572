// SPDX-License-Identifier: Apache-2.0

// Random OCR programs whose EDTs hold blocks and make more, in far less memory than they all want: each that fits
// beside what its EDT holds is had, whatever the others hold, everybody ends, and every block has its contents.
// docs/protocols/admission.md
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "extensions/ocr-legacy.h"
#include "ocr.h"
#include "ocr/system/system.hpp"
#include "stress.hpp"

namespace {

using weir::stress::Stress;

// The parts of fast memory that an EDT has at most, so that it always fits.
constexpr u64 kParts = 32, kMostHeld = 10, kMostMade = 6, kMostOfABlock = 4;
constexpr unsigned kSteps = 150, kMostSlots = 4;

// What a block has in its first and its last word.
struct Stamp {
  u64 which = 0, words = 0;
};

struct Pool {
  ocrGuid_t guid = NULL_GUID;
  u64 parts = 0;
  Stamp stamp;
  std::atomic<u64> expected{0};  // in word 1
};

struct Make {
  u64 bytes = 0;
  bool handed_on = false;  // to a child, which destroys it
};

struct Step {
  struct Slot {
    Pool* block;
    ocrDbAccessMode_t mode;
  };
  std::vector<Slot> slots;
  std::vector<Make> makes;
  bool releases = false;  // its first block, before it makes others
};

struct Program {
  Stress* stress = nullptr;
  std::vector<std::unique_ptr<Pool>> blocks;
  std::vector<std::unique_ptr<Step>> steps;
  std::atomic<u64> ran{0}, children{0}, ended_children{0};
  ocrGuid_t child_template = NULL_GUID;
};
Program* program = nullptr;

void write(void* data, Stamp stamp) {
  auto* const words = static_cast<u64*>(data);
  words[0] = words[stamp.words - 1] = stamp.which;
}
void check(const void* data, Stamp stamp, const char* what) {
  const auto* const words = static_cast<const volatile u64*>(data);
  program->stress->check(words != nullptr && words[0] == stamp.which && words[stamp.words - 1] == stamp.which, what);
}

ocrGuid_t run_child(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  check(depv[0].ptr, {paramv[0], paramv[1]}, "a child finds what its maker wrote");
  program->stress->check(ocrDbDestroy(depv[0].guid) == 0, "it destroys the block");
  ++program->ended_children;
  return NULL_GUID;
}

void make_block(const Make& make, u64 which) {
  ocrGuid_t block;
  void* data = nullptr;
  const u8 code = ocrDbCreate(&block, &data, make.bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  program->stress->check(code == 0, "there is room for what fits beside that which an EDT holds");
  const Stamp stamp{which, make.bytes / sizeof(u64)};
  write(data, stamp);
  if (!make.handed_on) {
    program->stress->check(ocrDbDestroy(block) == 0, "a new block is destroyed");
    return;
  }
  program->stress->check(ocrDbRelease(block) == 0, "a new block is released");
  u64 paramv[] = {stamp.which, stamp.words};
  ocrGuid_t child;
  ++program->children;
  ocrEdtCreate(&child, program->child_template, 2, paramv, 1, &block, EDT_PROP_NONE, NULL_HINT, nullptr);
}

ocrGuid_t run_step(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const Step& step = *reinterpret_cast<const Step*>(paramv[0]);
  for (std::size_t i = 0; i < step.slots.size(); ++i) {
    const Step::Slot& slot = step.slots[i];
    check(depv[i].ptr, slot.block->stamp, "an EDT has its block");
    auto& count = static_cast<u64*>(depv[i].ptr)[1];
    if (slot.mode == DB_MODE_EW) ++count;
    if (slot.mode == DB_MODE_RW) std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
  }
  if (step.releases) program->stress->check(ocrDbRelease(depv[0].guid) == 0, "a block is released early");
  for (std::size_t i = 0; i < step.makes.size(); ++i) {
    make_block(step.makes[i], paramv[1] * 16 + i);
    for (std::size_t k = step.releases ? 1 : 0; k < step.slots.size(); ++k)
      check(depv[k].ptr, step.slots[k].block->stamp, "a block stays while its EDT waits for room");
  }
  ++program->ran;
  return NULL_GUID;
}

ocrGuid_t make_template(ocrEdt_t function, u32 paramc) {
  ocrGuid_t made;
  ocrEdtTemplateCreate(&made, function, paramc, EDT_PARAM_UNK);
  return made;
}

class Round {
 public:
  explicit Round(Stress& stress) : stress_(stress), part_((u64{1} << (15 + stress.below(3)))) {
    static const char* const kStrategies[] = {"inline", "single", "multi", "ahead", "ahead", "ahead"};
    const bool file = stress.below(3) != 0;
    const std::string budget = "memory=" + std::to_string(part_ * kParts >> 10) + "KiB";
    setenv("WEIR_TIERS", (budget + (file ? ",file=/tmp:256MiB" : ",emulated=256MiB@0.9")).c_str(), 1);
    setenv("WEIR_STRATEGY", kStrategies[stress.below(6)], 1);
    setenv("WEIR_WORKERS", std::to_string(1 + stress.below(8)).c_str(), 1);
    ocrLegacyInit(&context_, nullptr);
    for (const char* const name : {"WEIR_TIERS", "WEIR_STRATEGY", "WEIR_WORKERS"}) unsetenv(name);
    program_.stress = &stress;
    program = &program_;
    program_.child_template = make_template(&run_child, 2);
  }

  void run() {
    make_blocks();
    ocrGuid_t done, driver;
    ocrEventCreate(&done, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    u64 paramv[] = {reinterpret_cast<u64>(this)};
    ocrEdtCreate(&driver, make_template(&drive, 1), 1, paramv, 0, nullptr, EDT_PROP_FINISH | EDT_PROP_OEVT_VALID,
                 NULL_HINT, &done);
    stress_.check(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE) == 0, "all have run");
    check_all();
    in_place_runs += weir::ocr::System::running()->runtime().tier_statistics().in_place_runs;
    ocrLegacyFinalize(context_, false);
  }

  static inline u64 in_place_runs = 0;

 private:
  void make_blocks() {
    for (u64 parts = 0; parts < 2 * kParts;) {
      Pool& block = *program_.blocks.emplace_back(std::make_unique<Pool>());
      block.parts = 1 + stress_.below(kMostOfABlock);
      block.stamp = {program_.blocks.size(), block.parts * part_ / sizeof(u64)};
      void* data = nullptr;
      const u8 code = ocrDbCreate(&block.guid, &data, block.parts * part_, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
      stress_.check(code == 0, "a block of the pool is made");
      write(data, block.stamp);
      static_cast<u64*>(data)[1] = 0;
      stress_.check(ocrDbRelease(block.guid) == 0, "it is released");
      parts += block.parts;
    }
  }

  void choose_slots(Step& step) {
    static constexpr ocrDbAccessMode_t kModes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};
    u64 parts = 0;
    for (unsigned i = stress_.below(kMostSlots + 1); i > 0; --i) {
      Pool* const block = program_.blocks[stress_.below(static_cast<unsigned>(program_.blocks.size()))].get();
      const bool there = std::any_of(step.slots.begin(), step.slots.end(), [&](auto& s) { return s.block == block; });
      if (there || parts + block->parts > kMostHeld) continue;
      parts += block->parts;
      step.slots.push_back({block, kModes[stress_.below(4)]});
      if (step.slots.back().mode == DB_MODE_RW || step.slots.back().mode == DB_MODE_EW) ++block->expected;
    }
  }

  void choose_makes(Step& step) {
    u64 parts = 0;
    for (unsigned i = stress_.below(4); i > 0; --i) {
      const u64 more = 1 + stress_.below(kMostOfABlock);
      const bool small = stress_.below(3) == 0;
      if (!small && parts + more > kMostMade) continue;
      parts += small ? 0 : more;
      step.makes.push_back({small ? u64{64} << stress_.below(3) : more * part_, stress_.below(2) == 0});
    }
  }

  void make_step(unsigned number, ocrGuid_t step_template) {
    Step& step = *program_.steps.emplace_back(std::make_unique<Step>());
    choose_slots(step);
    choose_makes(step);
    step.releases = !step.slots.empty() && stress_.below(4) == 0;
    u64 paramv[] = {reinterpret_cast<u64>(&step), number};
    ocrGuid_t edt;
    ocrEdtCreate(&edt, step_template, 2, paramv, static_cast<u32>(step.slots.size()), nullptr, EDT_PROP_NONE, NULL_HINT,
                 nullptr);
    for (u32 i = 0; i < step.slots.size(); ++i) ocrAddDependence(step.slots[i].block->guid, edt, i, step.slots[i].mode);
  }

  static ocrGuid_t drive(u32, u64* paramv, u32, ocrEdtDep_t*) {
    Round& round = *reinterpret_cast<Round*>(paramv[0]);
    const ocrGuid_t step_template = make_template(&run_step, 2);
    for (unsigned i = 0; i < kSteps; ++i) round.make_step(i, step_template);
    return NULL_GUID;
  }

  void check_all() {
    stress_.check(program_.ran == kSteps, "every step has run");
    stress_.check(program_.ended_children == program_.children, "every child has run");
    for (const auto& block : program_.blocks) {
      ocrGuid_t carrier;
      void* data = nullptr;
      ocrEventCreate(&carrier, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
      ocrEventSatisfy(carrier, block->guid);
      ocrLegacyBlockProgress(carrier, nullptr, &data, nullptr, LEGACY_PROP_NONE);
      ::check(data, block->stamp, "a block has its contents at the end");
      stress_.check(static_cast<u64*>(data)[1] == block->expected, "it was counted up as often as it should have been");
      stress_.check(ocrDbRelease(block->guid) == 0 && ocrDbDestroy(block->guid) == 0, "it is destroyed");
    }
  }

  Stress& stress_;
  const u64 part_;  // bytes
  Program program_;
  ocrGuid_t context_ = NULL_GUID;
};

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  const long rounds = stress.repeat("round", [&] { Round(stress).run(); });
  std::printf("%ld rounds, %lu EDTs in place\n", rounds, static_cast<unsigned long>(Round::in_place_runs));
}
