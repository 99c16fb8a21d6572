// SPDX-License-Identifier: Apache-2.0

// A flood of EDTs that have nothing but their function, on several workers, while a thread that is none looks at all of
// them, threads of the program's own ask for them by their GUIDs, EDTs pause the program and list it, and a thread
// halts it and counts what is there (STILL-1). All run, once, under the GUID that was given out; or the program ends in
// the middle. docs/protocols/ocr.md, docs/protocols/gates.md
#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "explain/findings.hpp"
#include "extensions/ocr-affinity.h"
#include "extensions/ocr-legacy.h"
#include "extensions/ocr-pause.h"
#include "extensions/ocr-runtime-itf.h"
#include "ocr.h"
#include "ocr/image/frontier.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/tables.hpp"
#include "ocr/program/pause_api.hpp"
#include "ocr/system/system.hpp"
#include "stress.hpp"

namespace {

using weir::stress::Stress;

class Flood {
 public:
  Flood(Stress& stress, bool shuts_down)
      : stress_(stress),
        shuts_down_(shuts_down),
        halts_(stress.below(2) == 0),
        pausers_(stress.below(4)),
        budget_(2000 + stress.below(20000)) {
    flood = this;
    setenv("WEIR_WORKERS", std::to_string(1 + stress.below(4)).c_str(), 1);
    ocrLegacyInit(&context_, nullptr);
    stress_.check(ocrEdtTemplateCreate(&bare_, &run, 0, 0) == 0, "a template is made");
    stress_.check(ocrEdtTemplateCreate(&slotted_, &run_slotted, 1, 1) == 0, "a template is made");
    wanted_ = budget_.load();
  }

  void go() {
    ocrGuid_t root;
    ocrGuid_t& done = done_;
    stress_.check(ocrEdtTemplateCreate(&root, &begin, 0, 0) == 0, "a template is made");
    ocrEventCreate(&done, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    ocrEdtCreate(nullptr, root, 0, nullptr, 0, nullptr, EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, NULL_HINT, &done);
    std::vector<std::thread> others;
    others.emplace_back([this] { look(); });
    if (halts_) others.emplace_back([this] { halt(); });
    // Who uses the program's functions becomes part of the program, and is to leave it before its end.
    if (!shuts_down_)
      for (unsigned i = 0; i < 1 + wanted_ % 2; ++i) others.emplace_back([this, i] { ask(i); });
    const u8 code = ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE);
    over_.store(true, std::memory_order_release);
    for (std::thread& other : others) other.join();
    if (!shuts_down_) {
      stress_.check(code == 0, "the flood comes to its end");
      stress_.check(ran_ == wanted_ + 1 && slotted_ran_ == slotted_made_, "each EDT has run, once");
      stress_.check(sum_given_ == sum_seen_, "under the GUID that it was given");
      for (const std::atomic<u64>& each : shown_) check_stale(each.load());
    }
    ocrLegacyFinalize(context_, shuts_down_);
  }

 private:
  static constexpr std::size_t kShown = 64;

  static ocrGuid_t to_guid(u64 bits) {
    ocrGuid_t guid = NULL_GUID;
    GUIDA(guid) = static_cast<std::intptr_t>(bits);
    return guid;
  }

  static ocrGuid_t begin(u32, u64*, u32, ocrEdtDep_t*) {
    for (int i = 0; i < 8; ++i) flood->make();
    return flood->act(), NULL_GUID;
  }
  static ocrGuid_t run(u32, u64*, u32, ocrEdtDep_t*) {
    ocrGuid_t self;
    ocrCurrentEdtGet(&self);
    flood->sum_seen_.fetch_add(static_cast<u64>(GUIDA(self)), std::memory_order_relaxed);
    return flood->act(), NULL_GUID;
  }
  static ocrGuid_t run_slotted(u32, u64*, u32, ocrEdtDep_t*) { return ++flood->slotted_ran_, NULL_GUID; }

  void make() {
    if (budget_.load(std::memory_order_relaxed) <= 0 || budget_.fetch_sub(1, std::memory_order_relaxed) <= 0) return;
    ocrGuid_t made = NULL_GUID;
    ocrEdtCreate(&made, bare_, 0, nullptr, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
    const u64 bits = static_cast<u64>(GUIDA(made));
    sum_given_.fetch_add(bits, std::memory_order_relaxed);
    shown_[bits % kShown].store(bits, std::memory_order_relaxed);
  }

  // What each of them does: makes two or three more, and now and then something else.
  void act() {
    const long number = ran_.fetch_add(1, std::memory_order_relaxed);
    for (long i = 0; i < 2 + number % 2; ++i) make();
    if (number % 16 == 0) {
      u64 param = 0;
      ocrGuid_t nothing = NULL_GUID;
      ++slotted_made_;
      ocrEdtCreate(nullptr, slotted_, 1, &param, 1, &nothing, EDT_PROP_NONE, NULL_HINT, nullptr);
    }
    if (number % 64 == 7) {
      ocrGuid_t self, block;
      void* data = nullptr;
      ocrCurrentEdtGet(&self);
      ocrElsUserSet(3, self);
      stress_.check(ocrDbCreate(&block, &data, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC) == 0, "a block is made");
      if (number % 128 == 7) ocrDbDestroy(block);
      stress_.check(ocrGuidIsEq(ocrElsUserGet(3), self), "an EDT finds what it has put down");
    }
    if (pausers_ != 0 && number % 2048 == 11 && number / 2048 < pausers_) list();
    if (shuts_down_ && number == wanted_ / 2) ocrShutdown();
  }

  void list() {
    const u32 paused = ocrPause(false);
    if (paused == 0) return;
    ocrGuid_t self;
    void* result = nullptr;
    u32 size = 0;
    ocrCurrentEdtGet(&self);
    const ocrGuid_t found = ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &result, &size, 0);
    for (std::size_t i = 0; i < size / sizeof(ocrGuid_t); ++i)
      stress_.check(!ocrGuidIsEq(static_cast<ocrGuid_t*>(result)[i], self), "the EDT that runs is not ready");
    ocrDbDestroy(found);
    ocrResume(paused);
  }

  // No worker.
  void look() {
    weir::runtime::Explaining& explaining = *weir::ocr::System::running()->explaining();
    while (!over_.load(std::memory_order_acquire)) {
      const weir::explain::Situation seen = explaining.look();
      for (const weir::explain::Thing& thing : seen.things)
        stress_.check(thing.kind != weir::explain::Kind::edt || !thing.name.empty(), "an EDT has its function");
      for (const weir::explain::Wait& wait : seen.waits)
        stress_.check(wait.who < seen.things.size(), "who waits is somebody");
      static_cast<void>(weir::explain::find(seen));
    }
  }

  // No worker, either.
  void halt() {
    weir::ocr::Program& program = weir::ocr::System::running()->program();
    const auto is_over = [&] { return over_.load(std::memory_order_acquire) || program.shutting_down(); };
    while (!is_over()) {
      weir::ocr::Halt halt(program);
      while (!is_over()) {
        const weir::ocr::Halt::State state = halt.look();
        if (state == weir::ocr::Halt::State::still) check_still(program);
        if (state == weir::ocr::Halt::State::still || state == weir::ocr::Halt::State::others_pause) break;
        std::this_thread::yield();
      }
      halt.end();
      for (int i = 0; i < 50; ++i) std::this_thread::yield();
    }
  }

  // This program's first thread, which no halt stops, has come to its wait for that event.
  static bool has_waiter(weir::ocr::Event& event) {
    event.word.lock_held();
    const bool has = event.dependents.first != 0;
    event.word.unlock();
    return has;
  }

  // EDTs that were made and have not run are there, have not begun, and nothing is on its way from one that has ended.
  void check_still(const weir::ocr::Program& program) {
    if (program.shutting_down()) return;  // it drops some
    const long made = 1 + wanted_ - std::max(budget_.load(), 0L) + slotted_made_, ran = ran_ + slotted_ran_;
    long there = 0;
    weir::ocr::for_each_edt([&](weir::ocr::Edt& edt) {
      ++there;
      stress_.check(!edt.has_begun(), "no EDT has begun where the program stands still");
    });
    stress_.check(there == made - ran, "each EDT is there, or has run");
    weir::ocr::Event& done = *weir::ocr::events().find(weir::ocr::from_c(done_).index());
    stress_.check(done.fired == (there == 0), "the finish EDT has ended with the last of its EDTs");
    if (has_waiter(done)) static_cast<void>(weir::ocr::write_frontier(true));  // refused, since there is one
    stress_.check(ran == ran_ + slotted_ran_, "no EDT begins meanwhile");
  }

  // A thread of the program's own, that knows EDTs which may have ended.
  void ask(unsigned number) {
    for (u64 i = number; !over_.load(std::memory_order_acquire); ++i) {
      const u64 bits = shown_[i % kShown].load(std::memory_order_relaxed);
      if (bits == 0) continue;
      const ocrGuid_t guid = to_guid(bits);
      ocrHint_t hint, read;
      ocrHintInit(&hint, OCR_HINT_EDT_T);
      ocrSetHintValue(&hint, OCR_HINT_EDT_SPACE, bits);
      const u8 set = ocrSetHint(guid, &hint), got = ocrGetHint(guid, &read);
      stress_.check(set == 0 || set == OCR_EINVAL, "a hint is taken, or comes too late");
      stress_.check(got == 0 || got == OCR_EINVAL, "hints are told, or there is no such EDT");
      stress_.check(got == OCR_EINVAL || set == 0, "an EDT that has ended does not come back");
      u64 value = 0;
      if (got == 0)
        stress_.check(ocrGetHintValue(&read, OCR_HINT_EDT_SPACE, &value) == 0 && value == bits, "hints are its own");
      const u8 destroyed = ocrEdtDestroy(guid);
      stress_.check(destroyed == OCR_EPERM || destroyed == OCR_EINVAL, "it is ready, or has ended");
      stress_.check(ocrAddDependence(NULL_GUID, guid, 0, DB_MODE_NULL) == OCR_EINVAL, "it has no slots");
      ocrGuid_t where;
      stress_.check(ocrAffinityQuery(guid, nullptr, &where) == 0, "it, or who asks, is somewhere");
    }
  }

  void check_stale(u64 bits) {
    if (bits == 0) return;
    ocrHint_t read;
    stress_.check(ocrGetHint(to_guid(bits), &read) == OCR_EINVAL, "an EDT that has ended has no hints");
    stress_.check(ocrEdtDestroy(to_guid(bits)) == OCR_EINVAL, "an EDT that has ended is none");
  }

  static inline Flood* flood = nullptr;

  Stress& stress_;
  const bool shuts_down_, halts_;
  const long pausers_;
  std::atomic<long> budget_;
  long wanted_ = 0;
  std::atomic<long> ran_{0}, slotted_made_{0}, slotted_ran_{0};
  std::atomic<u64> sum_given_{0}, sum_seen_{0};
  std::array<std::atomic<u64>, kShown> shown_{};
  std::atomic<bool> over_{false};
  ocrGuid_t context_ = NULL_GUID, done_ = NULL_GUID, bare_ = NULL_GUID, slotted_ = NULL_GUID;
};

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  const long rounds = stress.repeat("flood", [&] { Flood(stress, stress.below(4) == 0).go(); });
  std::printf("%ld floods\n", rounds);
}
