// SPDX-License-Identifier: Apache-2.0

#include "data/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "data/engine/task_text.hpp"
#include "data/tier_costs.hpp"
#include "platform/affinity.hpp"
#include "platform/barrier.hpp"
#include "platform/clock.hpp"
#include "platform/source_lines.hpp"

namespace weir::data {

namespace {

// Many tasks of one place may fail, and looking one up takes many milliseconds.
std::string place_of(const void* site) {
  static base::Mutex mutex;
  static std::map<const void*, std::string> known;
  const base::Lock lock(mutex);
  std::string& text = known[site];
  if (text.empty()) text = platform::find_source(std::span(&site, 1)).front().text();
  return text;
}

// Threads that copy run on cores that the workers leave free.
bool has_cores_to_spare(const machine::Machine& machine, int workers) noexcept {
  const bool limited = machine.cpu_quota() > 0 && machine.cpu_quota() <= workers;
  return machine.core_count() > workers && !limited;
}

engine::Config engine_config(const machine::Machine& machine, const Options& options, int workers) {
  return {options.strategy,
          options.evict,
          options.allocation,
          options.overflow,
          static_cast<std::uint32_t>(options.prefetch_depth),
          static_cast<std::uint32_t>(workers),
          has_cores_to_spare(machine, workers),
          place_of};
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

// Of the file that the block's home is in.
memory::Range range_of(const Block& block) noexcept {
  return {block.home.place.offset, memory::RangeAllocator::rounded(block.charge, FileStore::kGranule)};
}

}  // namespace

base::Result<std::unique_ptr<Store>> Store::open(const machine::Machine& machine, const Options& options, int workers,
                                                 int threads, Sink& sink, TierSetConfig tiers_config) {
  base::Result<TierSpec> spec = parse_tiers(options.tiers);
  if (!spec) return spec.status();
  static_assert(static_cast<int>(Io::uring) == static_cast<int>(platform::IoBackend::uring) &&
                static_cast<int>(Io::threads) == static_cast<int>(platform::IoBackend::threads));
  tiers_config.io.backend = static_cast<platform::IoBackend>(options.io);
  const Unbound unbound(cpus_of(machine));
  base::Result<std::unique_ptr<TierSet>> tiers = TierSet::open(machine, *spec, std::move(tiers_config));
  if (!tiers) return tiers.status();
  return std::unique_ptr<Store>(new Store(machine, options, std::move(*tiers), workers, threads, sink));
}

Store::Store(const machine::Machine& machine, const Options& options, std::unique_ptr<TierSet> tiers, int workers,
             int threads, Sink& sink)
    : machine_(machine),
      options_(options),
      tiers_(std::move(tiers)),
      sink_(sink),
      workers_(workers),
      moves_here_(options.strategy == Strategy::off || options.strategy == Strategy::inline_),
      untracked_(static_cast<std::size_t>(threads)),
      memory_(*tiers_),
      engine_(memory_.hierarchy(), memory_.memories(), engine_config(machine, options, workers)) {
  for (const std::string& warning : tiers_->warnings()) warnings_.push_back(warning);
}

Store::~Store() {
  base::Lock lock(mutex_);
  while (engine_.transfers_under_way() != 0) lock.wait(landed_);
  stop_ = true;
  lock.unlock();
  suspicion_.notify_all();
  if (watchdog_.joinable()) watchdog_.join();
}

template <class Event>
auto Store::decide(Event&& event) {
  Actions actions;
  base::Lock lock(mutex_);
  if constexpr (std::is_void_v<decltype(event(actions))>) {
    event(actions);
    note_change();
    lock.unlock();
    if (!actions.empty()) carry_out(actions);
  } else {
    auto result = event(actions);
    note_change();
    lock.unlock();
    if (!actions.empty()) carry_out(actions);
    return result;
  }
}

// ---- Addresses ----

void Store::publish_addresses() noexcept {
  while (engine::Block* const block = engine_.take_relocated()) publish_address(block_of(*block));
}

// One place only: every task that uses the block finds it there.
void Store::publish_address(Block& block) noexcept {
  if (block.mapped != nullptr && block.home_uses == 0)
    FileStore::unmap(std::exchange(block.mapped, nullptr), range_of(block));
  const std::optional<engine::Place> place = engine::Replicas::only_place(block);
  void* address = nullptr;
  if (place) address = block.is_used_at_home() ? home_address(block) : memory_.address(*place);
  block.address.store(address, std::memory_order_relaxed);
}

void* Store::home_address(const Block& block) const noexcept {
  switch (block.home.kind) {
    case engine::Home::Kind::memory: return memory_.address(block.home.place);
    case engine::Home::Kind::file: return block.mapped;
    case engine::Home::Kind::program: return block.program;
    case engine::Home::Kind::none: break;
  }
  return nullptr;
}

void* Store::address_of(const Use& use) const noexcept {
  return use.at_home ? home_address(block_of(*use.block)) : memory_.address(use.replica->place);
}

// ---- Blocks ----

base::Result<Block*> Store::make(const detail::BlockLayout& layout, void* program, const char* name, DomainId domain,
                                 const PlacementHint& hint) {
  if (layout.bytes() == 0) return base::Status{base::Code::bad_input, fmt::format("block {:?} has no elements", name)};
  auto block = std::make_unique<Block>();
  block->store = this;
  block->bytes = block->size = layout.bytes();
  block->layout = layout;
  block->name = name;
  block->domain = domain;
  block->program = program;
  if (recorder_ != nullptr) block->trace_id = recorder_->add_block(name, block->bytes);
  if (program != nullptr) block->home.kind = engine::Home::Kind::program;
  base::Status status = decide([&](Actions& actions) WEIR_REQUIRES(mutex_) {
    base::Status added = engine_.add(*block, hint);
    if (added && track_ != nullptr) [[unlikely]]
      record_made(*block);
    if (added && engine_.tracked() && !tracked()) begin_tracking(actions);
    return added;
  });
  if (!status) return status;
  return block.release();
}

// STORE-1: a thread that spawns untracked counts first and looks at tracked_ then; here it is the other way round, with
// the heavy side of the barrier in between. So either it sees that it has to track, or it is counted here.
void Store::begin_tracking(Actions& actions) {
  const Unbound unbound(cpus_of(machine_));
  engines_ = memory::CopyEngines::for_tiers(*tiers_, static_cast<unsigned>(workers_));
  engine_.set_costs(cost_model_of(machine_, *tiers_, engines_->emulated_bytes_per_second()));
  mover_ = std::make_unique<Mover>(*engines_, memory_, options_.strategy, workers_, *this);
  watchdog_ = std::thread([this] { watch(); });
  tracked_.store(true, std::memory_order_seq_cst);  // STORE-1, HOLD-1
  platform::heavy_barrier();
  count_untracked(actions);
  engine_.tracking_begun(actions);
}

// Ended is summed first: a task in between the two sums is counted as running, never as ended.
void Store::count_untracked(Actions& actions) {
  if (!engine_.untracked_may_run()) return;
  std::uint64_t ended = 0, begun = 0;
  for (const Untracked& u : untracked_) ended += u.ended.load(std::memory_order_acquire);
  for (const Untracked& u : untracked_) begun += u.begun.load(std::memory_order_acquire);
  if (begun == ended) engine_.untracked_ended(actions);
}

// Nothing moves, yet tasks wait for room: all that hold some wait for others in turn. Rare enough that a few
// milliseconds do not matter, and looked at several times, so that it is no moment between two steps of a running
// program.
void Store::watch() noexcept {
  constexpr auto kPeriod = std::chrono::milliseconds(4);  // docs/tuning.md#stall
  constexpr int kTimes = 3;
  base::Lock lock(mutex_);
  std::uint64_t seen = 0;
  int times = 0;
  while (!stop_) {
    if (!engine_.waits_for_tasks()) {
      times = 0;
      while (!stop_ && !engine_.waits_for_tasks()) lock.wait(suspicion_);
    }
    const auto end = std::chrono::steady_clock::now() + kPeriod;
    while (!stop_ && std::chrono::steady_clock::now() < end) lock.wait_until(suspicion_, end);
    if (stop_) return;
    const std::uint64_t now = changes_;
    lock.unlock();
    const bool still = sink_.still(), stuck = still && sink_.stuck();
    lock.lock();
    const bool none_begins = stuck ? !engine_.has_resuming() : !engine_.has_queued();
    const bool sure = still && none_begins && now == changes_ && engine_.waits_for_tasks();
    times = sure && now == seen ? times + 1 : 0;
    seen = now;
    if (times < kTimes) continue;
    times = 0;
    end_stall(stuck);
  }
}

void Store::end_stall(bool stuck) {
  Actions actions;
  engine_.end_stall(stuck, actions);
  note_change();
  const base::Unlock unlocked(mutex_);
  if (!actions.empty()) carry_out(actions);
}

void Store::wait_for_transfers(base::Lock& lock, const Block& block) {
  while (block.in_transfer()) lock.wait(landed_);
}

base::Status Store::flush(Block& block) {
  {
    const base::Lock lock(mutex_);
    if (const Use* const use = block.first_use) {
      return {base::Code::bad_input,
              fmt::format("flush() of block {:?} while {} has not ended, which names it: flush it outside of tasks, or "
                          "in a task whose children alone name it",
                          block.name, engine::task_text(*use->request, place_of))};
    }
  }
  return flush_unused(block);
}

base::Status Store::flush_unused(Block& block) {
  base::Lock lock(mutex_);
  WEIR_CHECK(block.first_use == nullptr, "a block is flushed while an unfinished task names it");
  wait_for_transfers(lock, block);
  Actions actions;
  if (block.home.kind != engine::Home::Kind::program || !engine_.flush(block, actions)) return base::Status::success();
  Transfer& transfer = *actions.transfers;
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
  base::Status status = flush_unused(block);
  Actions actions;
  {
    base::Lock lock(mutex_);
    wait_for_transfers(lock, block);
    engine_.remove(block, actions);
    if (track_ != nullptr) [[unlikely]]
      track_->gone(trace::BlockKind::numbered, block.trace_id);
    note_change();
  }
  if (!actions.empty()) carry_out(actions);
  block.store = nullptr;
  block.address.store(nullptr, std::memory_order_relaxed);
  return status;
}

// ---- Requests ----

void Store::add(Request& request) {
  const base::Lock lock(mutex_);
  engine_.add(request);
}

void Store::add(Request& request, Block& block, Mode mode, bool early) {
  decide([&](Actions& actions) WEIR_REQUIRES(mutex_) { engine_.add(request, block, mode, early, actions); });
}

void Store::release(Request& request, Block& block) {
  decide([&](Actions& actions) WEIR_REQUIRES(mutex_) {
    actions.lane = request.lane;
    engine_.release(request, block, actions);
  });
}

bool Store::withdraw(Request& request) {
  return decide([&](Actions& actions) WEIR_REQUIRES(mutex_) { return engine_.withdraw(request, actions); });
}

bool Store::ready(Request& request, int lane, DomainId domain) {
  return decide([&](Actions& actions) WEIR_REQUIRES(mutex_) {
    request.lane = lane;
    request.domain = domain;
    return engine_.ready(request, actions);
  });
}

void Store::finish(Request& request) {
  decide([&](Actions& actions) WEIR_REQUIRES(mutex_) {
    actions.lane = request.lane;
    engine_.finish(request, actions);
  });
}

bool Store::try_begin(Request& request) {
  if (!begin(request)) {
    const base::Lock lock(mutex_);
    if (!engine_.try_begin(request)) return false;
  }
  if (request.in_place) [[unlikely]]
    settle_in_place(request);
  return true;
}

void Store::settle_in_place(Request& request) {
  if (request.in_place_bytes != 0) engines_->charge(request.in_place_bytes);
  for (const Use& use : request.uses()) {
    Block& block = block_of(*use.block);
    if (!use.at_home || block.home.kind != engine::Home::Kind::file) continue;
    if (base::Status status = use_in_file(block); !status) {
      request.failure = std::move(status);
      request.cancelled = true;
      return;
    }
  }
}

// A task uses the block in the file's pages, which the kernel reads, writes and takes back as it likes.
base::Status Store::use_in_file(Block& block) {
  const memory::Range range = range_of(block);
  FileStore* const file = memory_.file_of(block.home.place.node);
  if (file == nullptr)
    return {base::Code::no_space, fmt::format("block {:?} is in memory that tasks cannot use, and there is no room for "
                                              "it elsewhere; give the faster tiers more with --tiers or WEIR_TIERS",
                                              block.name)};
  {
    const base::Lock lock(mutex_);
    if (block.mapped == nullptr) {
      base::Result<std::byte*> mapped = file->map(range, block.name);
      if (!mapped) return mapped.status();
      block.mapped = *mapped;
      publish_address(block);
    }
  }
  return file->touch(block.mapped, range, block.name);
}

void Store::landed(Transfer& transfer, const base::Status& status) noexcept {
  Actions actions;
  {
    const base::Lock lock(mutex_);
    land(transfer, status, actions);
    landed_.notify_all();  // under the lock: after it, the store may be gone
  }
  if (!actions.empty()) carry_out(actions);
}

// Clearing pages takes the kernel milliseconds: here nobody waits for the lock meanwhile.
void Store::has_time() noexcept {
  const Arena* growing = nullptr;
  std::size_t begin = 0, bytes = 0;
  {
    const base::Lock lock(mutex_);
    for (Arena* const arena : tiers_->arenas()) {
      begin = arena->populated();
      bytes = arena->growth_due();
      growing = arena;
      if (bytes != 0) break;  // others after the next transfer
    }
  }
  if (bytes != 0) growing->prepare_growth(begin, bytes);
}

void Store::land(Transfer& transfer, const base::Status& status, Actions& actions) {
  if (track_ != nullptr && status) record_move(transfer);
  engine_.land(transfer, status, actions);
  note_change();
}

void Store::note_change() noexcept {
  publish_addresses();
  if (track_ != nullptr) [[unlikely]]
    record_residency();
  const std::uint64_t now = platform::now_ns();
  lost_ns_ += lost_workers_ * (now - changed_at_ns_);
  changed_at_ns_ = now;
  const auto workers = static_cast<std::uint32_t>(workers_);
  const std::uint32_t idle = workers - std::min(workers, engine_.running());
  lost_workers_ = std::min(idle, engine_.waiting());
  ++changes_;
  if (engine_.waits_for_tasks()) suspicion_.notify_one();
}

// Without the lock, but for warnings.
void Store::carry_out(Actions& actions) {
  for (std::string& warning : actions.warnings) {
    std::fprintf(stderr, "weir: %s\n", warning.c_str());
    const base::Lock lock(mutex_);
    warnings_.push_back(std::move(warning));
  }
  for (Request* request = actions.staged; request != nullptr;) {
    Request* const next = request->next_staged;  // the task may run, and the request be gone, at once
    request->requester->staged(*request);
    request = next;
  }
  if (actions.transfers == nullptr) return;
  if (moves_here_)
    move_here(actions.transfers);
  else
    mover_->start(actions.transfers);
}

// As the paper's workers without I/O threads: one after the other, and what follows from that, too.
void Store::move_here(Transfer* transfers) {
  while (transfers != nullptr) {
    Transfer& transfer = *transfers;
    Transfer* rest = transfer.next;
    const base::Status status = mover_->perform(transfer);
    Actions actions;
    {
      const base::Lock lock(mutex_);
      land(transfer, status, actions);
      landed_.notify_all();  // under the lock, as above
    }
    *actions.transfers_end = rest;
    transfers = std::exchange(actions.transfers, nullptr);
    if (actions.staged != nullptr || !actions.warnings.empty()) carry_out(actions);
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
    decide([&](Actions& actions) WEIR_REQUIRES(mutex_) { count_untracked(actions); });
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
  decide([&](Actions& actions) WEIR_REQUIRES(mutex_) { engine_.hold_ended(block, actions); });
}

// ---- What there is ----

StoreStatistics Store::statistics() {
  const base::Lock lock(mutex_);
  note_change();
  --changes_;  // nothing has: who looks often must not keep the watchdog from seeing a standstill
  return {engine_.counters(), static_cast<double>(lost_ns_) * 1e-9, warnings_};
}

std::vector<std::string> Store::describe_waiting() {
  const base::Lock lock(mutex_);
  return engine::describe_waiting(engine_);
}

std::vector<std::string> Store::describe_state() {
  const base::Lock lock(mutex_);
  return engine::describe_state(engine_);
}

Waiting Store::waiting_tasks() {
  const base::Lock lock(mutex_);
  return engine::waiting_tasks(engine_);
}

std::uint64_t Store::used_in(engine::TierIndex tier) const noexcept {
  std::uint64_t used = 0;
  for (const engine::NodeId node : memory_.hierarchy().tier(tier).nodes) used += engine_.core().ledger.used(node);
  return used;
}

std::vector<TierState> Store::tier_states() {
  const base::Lock lock(mutex_);
  std::vector<TierState> states;
  for (const Tier& tier : tiers_->tiers())
    states.push_back({tier.name, used_in(static_cast<engine::TierIndex>(tier.index)), tier.budget.count});
  return states;
}

std::uint64_t Store::changes(bool& moving) noexcept {
  const base::Lock lock(mutex_);
  moving = engine_.transfers_under_way() != 0;
  return changes_;
}

double Store::emulated_bytes_per_second() const noexcept {
  return engines_ == nullptr ? 0 : engines_->emulated_bytes_per_second();
}

std::vector<ArenaReport> Store::tier_report() {
  const base::Lock lock(mutex_);
  return tiers_->report();
}

}  // namespace weir::data
