// SPDX-License-Identifier: Apache-2.0

#include "ocr/system/system.hpp"

#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "base/mutex.hpp"
#include "check/hooks.hpp"
#include "ocr/objects/affinities.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/program/pause_api.hpp"
#include "ocr/report/leftovers.hpp"
#include "runtime/tier_source.hpp"
#include "runtime/tracing.hpp"
#include "runtime/workers.hpp"

// Defined in a program some file of which was compiled for GUIDs of that width (ocr-types.h).
extern "C" {
[[gnu::weak]] extern const char weir_ocr_has_files_with_64_bit_guids;
[[gnu::weak]] extern const char weir_ocr_has_files_with_128_bit_guids;
}

namespace weir::ocr {

namespace {

#ifdef OCR_ENABLE_128_BIT_GUID
const char* const other_guids = &weir_ocr_has_files_with_64_bit_guids;
constexpr const char* kGuidsDiffer =
    "the program, or a part of it, is compiled for GUIDs of one word, and linked with libweir-ocr128: compile all of "
    "it with -DOCR_ENABLE_128_BIT_GUID (weir-ocrcc --guid=128), or link libweir-ocr";
#else
const char* const other_guids = &weir_ocr_has_files_with_128_bit_guids;
constexpr const char* kGuidsDiffer =
    "the program, or a part of it, is compiled for GUIDs of two words, and linked with libweir-ocr: link "
    "libweir-ocr128 (weir-ocrcc --guid=128), or compile all of it without OCR_ENABLE_128_BIT_GUID";
#endif

constinit std::atomic<System*> the_system{nullptr};  // SYS-1: release by start(), acquire by running()
constexpr u8 kFailed = 2;                            // exit code
constexpr const char* kNoProgress =
    "the program can make no progress: nothing is ready or runs, and ocrShutdown() was not called";
std::uint64_t last_system = 0;  // written by the thread that starts them

class ShutDown final : public sched::Condition {
 public:
  explicit ShutDown(const Program& program) noexcept : program_(program) {}
  bool done() noexcept override { return program_.shutting_down(); }
  bool prepare_to_sleep() noexcept override { return !program_.shutting_down(); }  // Program::shut_down() unparks

 private:
  const Program& program_;
};

class NoLateEdts final : public sched::Condition {
 public:
  explicit NoLateEdts(Program& program) noexcept : program_(program) {}
  bool done() noexcept override { return !program_.has_late(); }
  bool prepare_to_sleep() noexcept override { return program_.has_late(); }  // Program::count_late() unparks

 private:
  Program& program_;
};

void add_times(std::vector<std::pair<std::string, std::uint64_t>>& counters, const Checkpoints::Times& times) {
  counters.push_back({"checkpoints", times.made});
  counters.push_back({"checkpoint_settling_ns", times.settling_ns});
  counters.push_back({"checkpoint_still_ns", times.still_ns});
  counters.push_back({"checkpoint_longest_still_ns", times.longest_ns});
  counters.push_back({"checkpoint_written_ns", times.written_ns});
}

}  // namespace

System* System::running() noexcept { return the_system.load(std::memory_order_acquire); }  // SYS-1

base::Status System::open_runtime(const Options& options) {
  try {
    if (ranks_ == nullptr) {
      runtime_ = std::make_unique<Runtime>(options);
    } else {
      runtime_ = runtime::make_runtime(options, ranks_->tiers());
    }
    state_ = weir::detail::RuntimeAccess::state(*runtime_);
    tiers_ = std::make_unique<Tiers>(*state_);
    slabs_ = std::make_unique<Slabs>(*tiers_);
  } catch (const std::exception& error) {
    return {base::Code::bad_option, error.what()};
  }
  return base::Status::success();
}

// They are not the runtime's.
base::Status System::open_checkpoints(Options& options) {
  checkpoint::Course::Settings settings{
      options.checkpoint, options.checkpoint_every, options.restart, homes().here, homes().ranks, true};
  options.checkpoint.clear();
  options.restart.clear();
  if (settings.folder.empty() && settings.restart.empty()) return base::Status::success();
  if (check::active())
    return {base::Code::bad_option, "weir check watches a whole run: leave them out (WEIR_CHECKPOINT, WEIR_RESTART)"};
  base::Result<std::unique_ptr<Checkpoints>> opened = Checkpoints::open(settings, program_);
  if (!opened) return opened.status();
  checkpoints_ = std::move(*opened);
  return base::Status::success();
}

// Of one rank it is what that has come to.
base::Status System::agree(const base::Status& mine) { return ranks_ == nullptr ? mine : ranks_->agree(mine); }

// Ranks make checkpoints, and go on from one, together.
Membership::Alike System::checkpoints_in_use() const noexcept {
  if (checkpoints_ == nullptr) return {};
  return {checkpoints_->past(), 1U + (checkpoints_->restarting() ? 2U : 0U) + (checkpoints_->writes() ? 4U : 0U)};
}

base::Result<bool> System::go_on() {
  if (checkpoints_ == nullptr) return false;
  const bool goes_on = checkpoints_->restarting();
  if (goes_on)
    if (base::Status status = checkpoints_->restore(*local(), [this](const base::Status& mine) { return agree(mine); });
        !status)
      return status;
  return goes_on;
}

base::Status System::start(const Options& asked, bool report_at_end, Ranks ranks) {
  if (running() != nullptr) return {base::Code::unsupported, "OCR runs in this process already: finalize it first"};
  if (other_guids != nullptr) return {base::Code::unsupported, kGuidsDiffer};
  std::unique_ptr<System> system(new System);
  forget_complaints();
  auto joined = Membership::join(ranks != Ranks::one, asked.tiers);
  if (!joined) return joined.status();
  system->ranks_ = std::move(*joined);
  Options options = asked;
  base::Status opened = system->open_checkpoints(options);
  if (system->ranks_ != nullptr) opened = system->ranks_->agree(opened, system->checkpoints_in_use());
  if (opened) opened = system->agree(system->open_runtime(options));
  if (!opened) return opened;
  system->report_at_end_ = report_at_end;
  system->program_.begin(*system->runtime_, *system->state_->scheduler);
  const auto domains = static_cast<std::uint32_t>(system->scheduler().domain_count());
  if (system->ranks_ == nullptr)
    set_domains(std::span(&domains, 1));
  else if (base::Status status = system->ranks_->introduce(*system->runtime_, system->scheduler().domain_count());
           !status)
    return status;
  system->scheduler().let_tasks_block(system->waiting_);
  system->first_worker_ = sched::Worker::current();
  system->number_ = ++last_system;
  if (system->explaining() != nullptr) system->explaining()->set_layer(&system->explained_);
  detail::attach.store(&System::attach, std::memory_order_release);  // SYS-1
  detail::running_system.store(system->number_, std::memory_order_release);
  System* const started = system.release();
  the_system.store(started, std::memory_order_release);  // SYS-1
  base::Status begun = started->begin(ranks == Ranks::several_that_spread);
  if (begun) return begun;
  started->program_.shut_down(kFailed);
  stop();
  return begun;
}

// What needs a running System.
base::Status System::begin(bool spreads) {
  if (ranks_ != nullptr)
    ranks_->begin(program_, spreads,
                  {[this] { report_no_progress(); }, [this](Reader body) { return answer_checkpoint(body); }});
  try {
    watch_ = std::make_unique<Watch>(
        program_, [this] { return stands_still_elsewhere(); }, [this] { report_stall(); });
  } catch (const std::system_error& error) {
    return {base::Code::no_space, error.what()};
  }
  return base::Status::success();
}

void System::stop() noexcept {
  const std::unique_ptr<System> system(running());
  system->program_.shut_down(system->program_.exit_code());
  if (system->checkpoints_ != nullptr) system->checkpoints_->stop();
  system->watch_.reset();
  NoLateEdts no_late(system->program_);
  system->first_worker_->run_until(no_late);
  system->scheduler().stop_threads();  // waits for the EDTs that run, of which one has ended the program
  if (system->ranks_ != nullptr) system->ranks_->end();
  forget_pauses();
  if (system->report_at_end_) system->print_report("what is left at the end");
  system->end_accounts();
  system->state_->blocks.reset();  // and this for transfers, which know of EDTs and blocks
  system->state_->kept.end();
  drop_leftovers(system->locals());
  system->runtime_.reset();
  the_system.store(nullptr, std::memory_order_release);
  detail::running_system.store(detail::kNoSystem, std::memory_order_release);  // SYS-1
}

std::uint64_t System::bytes_of_slabs() noexcept { return slabs_->bytes(); }

// Nothing asks any more, and what the trace has to say of blocks is noted while they are there.
void System::end_accounts() noexcept {
  state_->explaining.reset();
  if (state_->recorder == nullptr) return;
  state_->ended = trace::Track::now();
  try {
    state_->summary = std::make_unique<trace::Summary>(runtime::summarise(*runtime_, *state_));
    state_->summary->counters.push_back({"small_block_slab_bytes", slabs_->bytes()});
    if (checkpoints_ != nullptr) add_times(state_->summary->counters, checkpoints_->times());
  } catch (const std::bad_alloc&) {
    std::fputs("weir: ocr: no memory for the summary of the trace\n", stderr);
    state_->summary = std::make_unique<trace::Summary>();
  }
}

Local* System::attach() noexcept {
  System* const system = running();
  Local* const made = system == nullptr ? nullptr : system->make_local();
  if (made != nullptr) detail::this_local = {made, system->number()};
  return made;
}

Local* System::make_local() noexcept {
  try {
    sched::Worker& worker = runtime::worker_in(*state_);
    const auto index = static_cast<std::size_t>(worker.index());
    if (worker.is_guest() && !Postman::is_this_thread() && !Checkpoints::is_this_thread()) program_.note_guest();
    const base::Lock lock(mutex_);
    if (locals_.size() <= index) locals_.resize(index + 1);
    if (locals_[index] == nullptr) {
      const PoolId usual = Tiers::pool_of({worker.domain(), {}});
      locals_[index] = std::make_unique<SystemLocal>(worker, program_, *tiers_, slabs_->pools(), usual);
    }
    return locals_[index].get();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir: ocr: this thread cannot use OCR: %s\n", error.what());
    return nullptr;
  }
}

std::vector<Local*> System::locals() noexcept {
  std::vector<Local*> all;
  const base::Lock lock(mutex_);
  for (const auto& local : locals_)
    if (local != nullptr) all.push_back(local.get());
  return all;
}

u8 System::run_until_shutdown() noexcept {
  if (checkpoints_ != nullptr) checkpoints_->begin(*tiers_);
  ShutDown condition(program_);
  program_.count_waiting(false, 1);
  first_worker_->serve(condition);
  program_.count_waiting(false, -1);
  return program_.exit_code();
}

Answer System::answer_checkpoint(Reader body) {
  return checkpoints_ == nullptr ? Answer{OCR_ECANCELED} : checkpoints_->answer(body);
}

bool System::stands_still_elsewhere() { return ranks_ == nullptr || ranks_->all_stand_still(program_); }

// Over ranks the launcher gives a rank's last line as its last words.
void System::report_no_progress() noexcept {
  print_report(kNoProgress);
  if (is_spread()) std::fprintf(stderr, "weir: ocr: rank %u: %s\n", homes().here, kNoProgress);
}

void System::report_stall() {
  report_no_progress();
  if (ranks_ != nullptr) ranks_->report_on_others();
}

void System::print_report(const char* why) noexcept {
  ocr::print_report({program_, *tiers_, *slabs_, explaining()}, why);
}

}  // namespace weir::ocr
