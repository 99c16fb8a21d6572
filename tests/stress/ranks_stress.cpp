// SPDX-License-Identifier: Apache-2.0

// Programs of ranks, an EDT each, that wait within themselves for what others do, in an order of chance: for messages,
// at barriers, for C++ tasks, for labels that another rank makes or gives up; on fewer workers than ranks, and
// sometimes until the program is shut down in the middle. Each goes on when it can. docs/protocols/permits.md,
// docs/protocols/ocr.md
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "extensions/ocr-labeling.h"
#include "extensions/ocr-legacy.h"
#include "extensions/ocr-runtime-itf.h"
#include "ocr.h"
#include "stress.hpp"
#include "weir/weir.hpp"

namespace {

using weir::stress::Stress;

class Program {
 public:
  Program(Stress& stress, bool shuts_down)
      : stress_(stress), shuts_down_(shuts_down), ranks_(2 + stress.below(60)), steps_(1 + stress.below(12)) {
    setenv("WEIR_WORKERS", std::to_string(1u << stress.below(4)).c_str(), 1);
    ocrLegacyInit(&context_, nullptr);
    for (std::size_t i = 0; i < std::size_t{ranks_} * steps_ * 2; ++i) add_event();
    barrier_arrivals_ = std::make_unique<std::atomic<unsigned>[]>(steps_);
    ocrGuidRangeCreate(&labels_, u64{ranks_} * steps_ + 1, GUID_USER_EVENT_STICKY);
    for (unsigned step = 0; step < steps_; ++step) kinds_.push_back(stress.below(6));
    last_ = shuts_down ? stress.below(ranks_ * steps_) : ~0u;
  }

  void go() {
    ocrGuid_t root, done;
    ocrEdtTemplateCreate(&root, &begin, 1, 0);
    ocrEventCreate(&done, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    u64 self = reinterpret_cast<u64>(this);
    ocrEdtCreate(nullptr, root, 1, &self, 0, nullptr, EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, NULL_HINT, &done);
    const u8 code = ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE);
    if (!shuts_down_) {
      stress_.check(code == 0, "the ranks come to their end");
      stress_.check(ended_ == ranks_, "each rank has ended");
    }
    ocrLegacyFinalize(context_, false);
  }

 private:
  struct Rank {
    Program* program;
    unsigned number;
  };

  void add_event() {
    ocrGuid_t event;
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    events_.push_back(event);
  }
  ocrGuid_t message(unsigned step, unsigned rank) const { return events_[std::size_t{step} * ranks_ + rank]; }
  ocrGuid_t barrier(unsigned step) const { return events_[std::size_t{steps_ + step} * ranks_]; }

  static ocrGuid_t begin(u32, u64* paramv, u32, ocrEdtDep_t*) {
    Program& program = *reinterpret_cast<Program*>(paramv[0]);
    ocrGuid_t of;
    ocrEdtTemplateCreate(&of, &run_rank, 1, 0);
    const unsigned first = program.ranks_ / 2;
    for (unsigned i = 0; i < program.ranks_; ++i) {
      Rank& rank = program.all_.emplace_back(Rank{&program, (first + i * 7) % program.ranks_});
      if (program.ranks_ % 7 == 0) rank.number = i;
      u64 parameter = reinterpret_cast<u64>(&rank);
      ocrGuid_t edt;
      ocrEdtCreate(&edt, of, 1, &parameter, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
    }
    return NULL_GUID;
  }

  static ocrGuid_t run_rank(u32, u64* paramv, u32, ocrEdtDep_t*) {
    const Rank& rank = *reinterpret_cast<Rank*>(paramv[0]);
    Program& program = *rank.program;
    for (unsigned step = 0; step < program.steps_; ++step) {
      if (step * program.ranks_ + rank.number == program.last_) ocrShutdown();
      if (!program.take_step(step, rank.number)) return NULL_GUID;
    }
    ++program.ended_;
    return NULL_GUID;
  }

  // False: the program ends.
  bool take_step(unsigned step, unsigned rank) {
    switch (kinds_[step]) {
      case 0: return exchange(step, rank);
      case 1: return pass_on(step, rank);
      case 2: return meet(step);
      case 3: return use_tasks();
      case 4: return make_labels(step, rank);
      default: return lock_label();
    }
  }

  static bool wait(ocrGuid_t event, u16 properties = LEGACY_PROP_NONE) {
    return ocrLegacyBlockProgress(event, nullptr, nullptr, nullptr, properties) == 0;
  }

  bool exchange(unsigned step, unsigned rank) {
    ocrEventSatisfy(message(step, (rank + 1) % ranks_), NULL_GUID);
    return wait(message(step, rank));
  }
  bool pass_on(unsigned step, unsigned rank) {
    if (rank != 0 && !wait(message(step, rank))) return false;
    if (rank + 1 < ranks_) ocrEventSatisfy(message(step, rank + 1), NULL_GUID);
    return true;
  }
  bool meet(unsigned step) {
    if (++barrier_arrivals_[step] == ranks_) ocrEventSatisfy(barrier(step), NULL_GUID);
    return wait(barrier(step));
  }
  bool use_tasks() {
    constexpr unsigned kTasks = 20;
    std::atomic<unsigned> done{0};
    std::array<double, 4> data{};
    for (unsigned i = 0; i < kTasks; ++i) weir::spawn(weir::inout(data[i % 4]), [&] { ++done; });
    ocrInformLegacyCodeBlocking();
    weir::wait();
    stress_.check(done == kTasks, "tasks of an EDT have run when it has waited for them");
    return true;
  }
  bool make_labels(unsigned step, unsigned rank) {
    ocrGuid_t own, before;
    ocrGuidFromIndex(&own, labels_, u64{step} * ranks_ + rank);
    if (rank != 0) {
      ocrGuidFromIndex(&before, labels_, u64{step} * ranks_ + rank - 1);
      if (!wait(before, LEGACY_PROP_WAIT_FOR_CREATE)) return false;
    }
    ocrEventCreate(&own, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
    ocrEventSatisfy(own, NULL_GUID);
    return true;
  }
  bool lock_label() {
    ocrGuid_t lock;
    ocrGuidFromIndex(&lock, labels_, u64{ranks_} * steps_);
    if (ocrEventCreate(&lock, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_BLOCK) != 0) return false;
    stress_.check(!locked_.exchange(true), "a label has one object at a time");
    ocrInformLegacyCodeBlocking();
    locked_ = false;
    ocrEventDestroy(lock);
    return true;
  }

  Stress& stress_;
  const bool shuts_down_;
  const unsigned ranks_, steps_;
  unsigned last_ = 0;  // step and rank at which the program is shut down
  ocrGuid_t context_, labels_;
  std::vector<ocrGuid_t> events_;
  std::vector<unsigned> kinds_;
  std::deque<Rank> all_;
  std::unique_ptr<std::atomic<unsigned>[]> barrier_arrivals_;
  std::atomic<unsigned> ended_{0};
  std::atomic<bool> locked_{false};
};

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  const long rounds = stress.repeat("ranks that wait for each other", [&] {
    Program program(stress, stress.below(4) == 0);
    program.go();
  });
  std::printf("%ld programs\n", rounds);
  return 0;
}
