// SPDX-License-Identifier: Apache-2.0

#include "data/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/check.hpp"
#include "platform/affinity.hpp"
#include "platform/barrier.hpp"
#include "platform/clock.hpp"

namespace weir::data {

namespace {

Residency::Config residency_config(const Options& options, int workers) {
  return {options.strategy,
          options.evict,
          options.allocation,
          options.overflow,
          static_cast<std::uint32_t>(options.prefetch_depth),
          static_cast<std::uint32_t>(workers)};
}

std::vector<int> cpus_of(const machine::Machine& machine) {
  std::vector<int> cpus;
  if (!machine.is_this_system()) return cpus;
  for (const machine::Domain& domain : machine.domains())
    for (const machine::Core& core : domain.cores) cpus.insert(cpus.end(), core.os_cpus.begin(), core.os_cpus.end());
  return cpus;
}

// The calling thread, which may be a pinned worker, makes threads that are not to share its core.
class Unbound {
 public:
  explicit Unbound(const std::vector<int>& cpus) {
    if (!cpus.empty()) static_cast<void>(binding_.bind(cpus));  // else they share it: slower, and right
  }

 private:
  platform::ScopedBinding binding_;
};

}  // namespace

base::Result<std::unique_ptr<Store>> Store::open(const machine::Machine& machine, const Options& options, int workers,
                                                 int threads, Sink& sink, TierSetConfig tiers_config) {
  base::Result<TierSpec> spec = parse_tiers(options.tiers);
  if (!spec) return spec.status();
  static_assert(static_cast<int>(Io::uring) == static_cast<int>(platform::IoBackend::uring) &&
                static_cast<int>(Io::threads) == static_cast<int>(platform::IoBackend::threads));
  tiers_config.io.backend = static_cast<platform::IoBackend>(options.io);
  const std::vector<int> cpus = cpus_of(machine);
  const Unbound unbound(cpus);
  base::Result<std::unique_ptr<TierSet>> tiers = TierSet::open(machine, *spec, std::move(tiers_config));
  if (!tiers) return tiers.status();
  std::unique_ptr<Store> store(new Store(options, std::move(*tiers), workers, threads, sink));
  store->cpus_ = cpus;
  return store;
}

Store::Store(const Options& options, std::unique_ptr<TierSet> tiers, int workers, int threads, Sink& sink)
    : options_(options),
      tiers_(std::move(tiers)),
      sink_(sink),
      workers_(workers),
      moves_here_(options.strategy == Strategy::off || options.strategy == Strategy::inline_),
      untracked_(static_cast<std::size_t>(threads)),
      residency_(*tiers_, residency_config(options, workers)) {
  for (const std::string& warning : tiers_->warnings()) warnings_.push_back(warning);
}

Store::~Store() {
  std::unique_lock lock(mutex_);
  landed_.wait(lock, [&] { return residency_.transfers_under_way() == 0; });
  stop_ = true;
  lock.unlock();
  suspicion_.notify_all();
  if (watchdog_.joinable()) watchdog_.join();
}

// ---- Blocks ----

base::Result<Block*> Store::make(const detail::BlockLayout& layout, void* program, const char* name, int domain,
                                 const Wish& wish) {
  if (layout.bytes() == 0) return base::Status{base::Code::bad_input, fmt::format("block {:?} has no elements", name)};
  auto block = std::make_unique<Block>();
  block->store = this;
  block->bytes = layout.bytes();
  block->layout = layout;
  block->name = name;
  block->domain = domain;
  if (recorder_ != nullptr) block->trace_id = recorder_->add_block(name, block->bytes);
  if (program != nullptr) {
    block->home.kind = Home::Kind::program;
    block->home.address = program;
  }
  Steps steps;
  {
    const std::lock_guard lock(mutex_);
    if (base::Status status = residency_.add(*block, wish); !status) return status;
    if (track_ != nullptr) [[unlikely]] {
      record_made(*block);
      record_residency();
    }
    if (residency_.tracked() && !tracked()) begin_tracking(steps);
  }
  if (!steps.empty()) carry_out(steps);
  return block.release();
}

// STORE-1: a thread that spawns untracked counts first and looks at tracked_ then; here it is the other way round, with
// the heavy side of the barrier in between. So either it sees that it has to track, or it is counted here.
void Store::begin_tracking(Steps& steps) {
  const Unbound unbound(cpus_);
  mover_ = std::make_unique<Mover>(*tiers_, options_.strategy, workers_, *this);
  watchdog_ = std::thread([this] { watch(); });
  tracked_.store(true, std::memory_order_seq_cst);  // STORE-1, HOLD-1
  platform::heavy_barrier();
  count_untracked(steps);
  residency_.tracking_begun(steps);
}

// Ended is summed first: a task in between the two sums is counted as running, never as ended.
void Store::count_untracked(Steps& steps) {
  if (!residency_.untracked_may_run()) return;
  std::uint64_t ended = 0, begun = 0;
  for (const Untracked& u : untracked_) ended += u.ended.load(std::memory_order_acquire);
  for (const Untracked& u : untracked_) begun += u.begun.load(std::memory_order_acquire);
  if (begun == ended) residency_.untracked_ended(steps);
}

// Nothing moves, yet tasks wait for room: all that hold some wait for others in turn. Rare enough that a few
// milliseconds do not matter, and looked at several times, so that it is no moment between two steps of a running
// program.
void Store::watch() noexcept {
  constexpr auto kPeriod = std::chrono::milliseconds(4);  // docs/tuning.md#stall
  constexpr int kTimes = 3;
  std::unique_lock lock(mutex_);
  std::uint64_t seen = 0;
  int times = 0;
  while (!stop_) {
    if (!residency_.waits_for_tasks()) {
      times = 0;
      suspicion_.wait(lock, [&] { return stop_ || residency_.waits_for_tasks(); });
    }
    suspicion_.wait_for(lock, kPeriod, [&] { return stop_; });
    if (stop_) return;
    const std::uint64_t now = changes_;
    lock.unlock();
    const bool still = sink_.still(), stuck = still && sink_.stuck();
    lock.lock();
    const bool none_begins = stuck ? !residency_.has_resuming() : !residency_.has_queued();
    const bool sure = still && none_begins && now == changes_ && residency_.waits_for_tasks();
    times = sure && now == seen ? times + 1 : 0;
    seen = now;
    if (times < kTimes) continue;
    times = 0;
    Steps steps;
    residency_.break_standstill(stuck, steps);
    note_change();
    lock.unlock();
    if (!steps.empty()) carry_out(steps);
    lock.lock();
  }
}

void Store::wait_for_transfers(std::unique_lock<std::mutex>& lock, const Block& block) {
  landed_.wait(lock, [&] { return !Residency::in_transfer(block); });
}

base::Status Store::flush(Block& block) {
  std::unique_lock lock(mutex_);
  WEIR_CHECK(block.first_use == nullptr, "a block is flushed while an unfinished task names it");
  wait_for_transfers(lock, block);
  Steps steps;
  if (block.home.kind != Home::Kind::program || !residency_.flush(block, steps)) return base::Status::success();
  Transfer& transfer = *steps.transfers;
  lock.unlock();
  base::Status status = mover_->perform(transfer);
  landed(transfer, status);
  return status;
}

base::Status Store::drop(Block* block) noexcept {
  base::Status status = empty(*block);
  delete block;
  return status;
}

base::Status Store::empty(Block& block) noexcept {
  base::Status status = flush(block);
  Steps steps;
  {
    std::unique_lock lock(mutex_);
    wait_for_transfers(lock, block);
    residency_.remove(block, steps);
    if (track_ != nullptr) [[unlikely]]
      track_->gone(trace::BlockKind::numbered, block.trace_id);
    note_change();
  }
  if (!steps.empty()) carry_out(steps);
  block.store = nullptr;
  block.address.store(nullptr, std::memory_order_relaxed);
  return status;
}

// ---- Requests ----

void Store::add(Request& request) {
  const std::lock_guard lock(mutex_);
  residency_.add(request);
}

void Store::add(Request& request, Block& block, Mode mode, bool early) {
  Steps steps;
  {
    const std::lock_guard lock(mutex_);
    residency_.add(request, block, mode, early, steps);
    if (early) note_change();
  }
  if (!steps.empty()) carry_out(steps);
}

void Store::release(Request& request, Block& block) {
  Steps steps;
  {
    const std::lock_guard lock(mutex_);
    steps.lane = request.lane;
    residency_.release(request, block, steps);
    note_change();
  }
  if (!steps.empty()) carry_out(steps);
}

bool Store::withdraw(Request& request) {
  Steps steps;
  bool withdrawn = false;
  {
    const std::lock_guard lock(mutex_);
    withdrawn = residency_.withdraw(request, steps);
    note_change();
  }
  if (!steps.empty()) carry_out(steps);
  return withdrawn;
}

bool Store::ready(Request& request, int lane, int domain) {
  Steps steps;
  bool held = false;
  {
    const std::lock_guard lock(mutex_);
    request.lane = lane;
    request.domain = domain;
    held = residency_.ready(request, steps);
    note_change();
  }
  if (!steps.empty()) carry_out(steps);
  return held;
}

void Store::finish(Request& request) {
  Steps steps;
  {
    const std::lock_guard lock(mutex_);
    steps.lane = request.lane;
    residency_.finish(request, steps);
    note_change();
  }
  if (!steps.empty()) carry_out(steps);
}

bool Store::try_begin(Request& request) {
  if (!residency_.begin(request)) {
    const std::lock_guard lock(mutex_);
    if (!residency_.try_begin(request)) return false;
  }
  if (request.in_place) [[unlikely]]
    settle_in_place(request);
  return true;
}

void Store::settle_in_place(Request& request) {
  if (request.in_place_bytes != 0) mover_->charge(request.in_place_bytes);
  for (const Use& use : request.uses()) {
    const Block& block = *use.block;
    if (!use.at_home || block.home.kind != Home::Kind::file) continue;
    const Tier& tier = tiers_->tiers()[static_cast<std::size_t>(block.home.tier)];
    if (base::Status status = tier.file->touch(use.address, block.home.extent, block.name); !status) {
      request.failure = std::move(status);
      request.cancelled = true;
      return;
    }
  }
}

void Store::landed(Transfer& transfer, const base::Status& status) noexcept {
  Steps steps;
  {
    const std::lock_guard lock(mutex_);
    land(transfer, status, steps);
    landed_.notify_all();  // under the lock: after it, the store may be gone
  }
  if (!steps.empty()) carry_out(steps);
}

// Clearing pages takes the kernel milliseconds: here nobody waits for the lock meanwhile.
void Store::has_time() noexcept {
  const Arena* growing = nullptr;
  std::size_t begin = 0, bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    for (Arena* const arena : tiers_->arenas()) {
      begin = arena->populated();
      bytes = arena->growth_due();
      growing = arena;
      if (bytes != 0) break;  // others after the next transfer
    }
  }
  if (bytes != 0) growing->prepare_growth(begin, bytes);
}

void Store::land(Transfer& transfer, const base::Status& status, Steps& steps) {
  if (track_ != nullptr && status) record_move(transfer);
  residency_.land(transfer, status, steps);
  note_change();
}

void Store::note_change() noexcept {
  if (track_ != nullptr) [[unlikely]]
    record_residency();
  const std::uint64_t now = platform::now_ns();
  lost_ns_ += lost_workers_ * (now - changed_at_ns_);
  changed_at_ns_ = now;
  const auto workers = static_cast<std::uint32_t>(workers_);
  const std::uint32_t idle = workers - std::min(workers, residency_.running());
  lost_workers_ = std::min(idle, residency_.waiting());
  ++changes_;
  if (residency_.waits_for_tasks()) suspicion_.notify_one();
}

// Without the lock, but for warnings.
void Store::carry_out(Steps& steps) {
  for (std::string& warning : steps.warnings) {
    std::fprintf(stderr, "weir: %s\n", warning.c_str());
    const std::lock_guard lock(mutex_);
    warnings_.push_back(std::move(warning));
  }
  for (Request* request = steps.staged; request != nullptr;) {
    Request* const next = request->next_staged;  // the task may run, and the request be gone, at once
    sink_.staged(*request);
    request = next;
  }
  if (steps.transfers == nullptr) return;
  if (moves_here_)
    move_here(steps.transfers);
  else
    mover_->start(steps.transfers);
}

// As the paper's workers without I/O threads: one after the other, and what follows from that, too.
void Store::move_here(Transfer* transfers) {
  while (transfers != nullptr) {
    Transfer& transfer = *transfers;
    Transfer* rest = transfer.next;
    const base::Status status = mover_->perform(transfer);
    Steps steps;
    {
      const std::lock_guard lock(mutex_);
      land(transfer, status, steps);
      landed_.notify_all();  // under the lock, as above
    }
    *steps.transfers_end = rest;
    transfers = std::exchange(steps.transfers, nullptr);
    if (steps.staged != nullptr || !steps.warnings.empty()) carry_out(steps);
  }
}

// ---- Tasks without requests ----

bool Store::begin_untracked(int thread) noexcept {
  if (tracked()) return false;
  Untracked& own = untracked_[static_cast<std::size_t>(thread)];
  own.begun.store(own.begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  platform::light_barrier();  // STORE-1
  if (!tracked_.load(std::memory_order_relaxed)) [[likely]]
    return true;
  end_untracked(thread);
  return false;
}

void Store::end_untracked(int thread) noexcept {
  Untracked& own = untracked_[static_cast<std::size_t>(thread)];
  own.ended.store(own.ended.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  platform::light_barrier();  // STORE-1
  if (tracked_.load(std::memory_order_relaxed)) [[unlikely]]
    untracked_changed();
}

// HOLD-1: who holds counts first and looks at tracked_ then; begin_tracking() sets that first and looks at the counts
// then, all sequentially consistent. So either the holder sees that it needs a request, or its count is seen.
bool Store::hold(Block& block) noexcept {
  if (tracked()) return false;
  block.holds.fetch_add(1, std::memory_order_seq_cst);       // HOLD-1
  if (!tracked_.load(std::memory_order_seq_cst)) [[likely]]  // HOLD-1
    return true;
  release_hold(block);
  return false;
}

void Store::release_hold(Block& block) noexcept {
  block.holds.fetch_sub(1, std::memory_order_seq_cst);       // HOLD-1
  if (!tracked_.load(std::memory_order_seq_cst)) [[likely]]  // HOLD-1
    return;
  Steps steps;
  {
    const std::lock_guard lock(mutex_);
    residency_.hold_ended(block, steps);
    note_change();
  }
  if (!steps.empty()) carry_out(steps);
}

void Store::untracked_changed() noexcept {
  Steps steps;
  {
    const std::lock_guard lock(mutex_);
    count_untracked(steps);
    note_change();
  }
  if (!steps.empty()) carry_out(steps);
}

// ---- What there is ----

StoreStatistics Store::statistics() {
  const std::lock_guard lock(mutex_);
  note_change();
  --changes_;  // nothing has: who looks often must not keep the watchdog from seeing a standstill
  return {residency_.counters(), static_cast<double>(lost_ns_) * 1e-9, warnings_};
}

std::vector<std::string> Store::describe_waiting() {
  const std::lock_guard lock(mutex_);
  return residency_.describe_waiting();
}

std::vector<std::string> Store::describe_state() {
  const std::lock_guard lock(mutex_);
  return residency_.describe_state();
}

Waiting Store::waiting_tasks() {
  const std::lock_guard lock(mutex_);
  return residency_.waiting_tasks();
}

std::vector<TierState> Store::tier_states() {
  const std::lock_guard lock(mutex_);
  std::vector<TierState> states;
  for (const Tier& tier : tiers_->tiers()) {
    std::uint64_t used = tier.file != nullptr ? tier.file->used() : 0;
    for (const Arena* const arena : tier.arenas) used += arena->used();
    states.push_back({tier.name, used, tier.budget.count});
  }
  return states;
}

std::uint64_t Store::changes(bool& moving) noexcept {
  const std::lock_guard lock(mutex_);
  moving = residency_.transfers_under_way() != 0;
  return changes_;
}

std::vector<ArenaReport> Store::tier_report() {
  const std::lock_guard lock(mutex_);
  return tiers_->report();
}

}  // namespace weir::data
