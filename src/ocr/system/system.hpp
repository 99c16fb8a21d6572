// SPDX-License-Identifier: Apache-2.0

// System: the OCR runtime of the process while it runs: a weir::Runtime, its Locals, and how it ends.
//
// At most one at a time. start() and stop() on the program's first thread, or the one in legacy mode; all else on any.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "ocr/image/checkpoints.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/ranks/membership.hpp"
#include "ocr/report/report.hpp"
#include "ocr/report/watch.hpp"
#include "ocr/system/system_local.hpp"
#include "ocr/system/waiting_threads.hpp"
#include "runtime/runtime_state.hpp"
#include "weir/runtime.hpp"

namespace weir::ocr {

// Whether the program may run on several ranks, and EDTs that no hint places go to ranks that have nothing to run.
enum class Ranks : std::uint8_t { one, several, several_that_spread };

class System {
 public:
  // Fails when there is one already, or when the options cannot be satisfied. Collective where the program runs on
  // several ranks, which it does only if it may.
  static base::Status start(const Options& options, bool report_at_end, Ranks ranks = Ranks::one);
  // Waits for what is running, drops the rest.
  static void stop() noexcept;
  // Null when there is none. What works for a program has its part of a Local instead.
  static System* running() noexcept;

  // True: the program goes on from a checkpoint, and nothing is to be made, since its EDTs run.
  base::Result<bool> go_on();
  // The calling thread runs EDTs until the program is shut down. Returns the exit code.
  u8 run_until_shutdown() noexcept;

  // The one whose mainEdt() is called.
  static bool is_first_rank() noexcept { return homes().here == 0; }
  Program& program() noexcept { return program_; }
  Runtime& runtime() noexcept { return *runtime_; }
  // Null: it is switched off.
  runtime::Explaining* explaining() noexcept { return state_->explaining.get(); }
  sched::Scheduler& scheduler() noexcept { return program_.scheduler(); }
  std::uint64_t number() const noexcept { return number_; }
  // What the slabs of small blocks take of the tiers.
  std::uint64_t bytes_of_slabs() noexcept;
  // See report.hpp.
  void print_report(const char* why) noexcept;

 private:
  System() = default;
  base::Status open_runtime(const Options& options);
  base::Status open_checkpoints(Options& options);
  base::Status begin(bool spreads);
  Membership::Alike checkpoints_in_use() const noexcept;
  base::Status agree(const base::Status& mine);
  Answer answer_checkpoint(Reader body);
  static Local* attach() noexcept;
  // That of the calling thread; null when it cannot become a worker.
  Local* make_local() noexcept;
  std::vector<Local*> locals() noexcept;
  void end_accounts() noexcept;
  bool stands_still_elsewhere();
  void report_no_progress() noexcept;
  void report_stall();

  std::uint64_t number_ = 0;
  bool report_at_end_ = false;
  Program program_;  // outlives the runtime, as what follows does
  ExplainedEdts explained_{program_};
  WaitingThreads waiting_{program_};
  std::unique_ptr<Membership> ranks_;  // null: there is one
  std::unique_ptr<Runtime> runtime_;
  weir::detail::RuntimeAccess::State* state_ = nullptr;  // the runtime's, also while that is being destroyed
  sched::Worker* first_worker_ = nullptr;
  std::unique_ptr<Tiers> tiers_;
  std::unique_ptr<Slabs> slabs_;
  std::unique_ptr<Checkpoints> checkpoints_;  // null: there are none, and the program does not go on from one
  std::unique_ptr<Watch> watch_;
  base::Mutex mutex_;
  std::vector<std::unique_ptr<SystemLocal>> locals_ WEIR_GUARDED_BY(mutex_);  // by worker index
};

}  // namespace weir::ocr
