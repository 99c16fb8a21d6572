// SPDX-License-Identifier: Apache-2.0

#include "data/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "data/engine/task_text.hpp"
#include "data/tier_costs.hpp"
#include "platform/affinity.hpp"
#include "platform/barrier.hpp"
#include "platform/clock.hpp"
#include "platform/held_at_fork.hpp"
#include "platform/source_lines.hpp"

namespace weir::data {

namespace {

struct Places {
  base::Mutex mutex;
  std::map<const void*, std::string> known WEIR_GUARDED_BY(mutex);
};

Places& places() {
  static auto* const the_places = new Places;
  return *the_places;
}

[[maybe_unused]] const bool kPlacesAtFork = platform::hold_at_fork([]() -> base::Mutex& { return places().mutex; });

// Many tasks of one place may fail, and looking one up takes many milliseconds, and another process.
std::string place_of(const void* site) {
  {
    const base::Lock lock(places().mutex);
    const auto found = places().known.find(site);
    if (found != places().known.end()) return found->second;
  }
  std::string text = platform::find_source(std::span(&site, 1)).front().text();
  const base::Lock lock(places().mutex);
  return places().known.try_emplace(site, std::move(text)).first->second;
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
          place_of,
          engine::has_chains(options.chains, options.strategy)};
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
      untracked_(threads, *this),
      memory_(*tiers_),
      addresses_(memory_),
      engine_(memory_.hierarchy(), memory_.memories(), engine_config(machine, options, workers)) {
  engine_.set_place_listener(&addresses_);
  for (const std::string& warning : tiers_->warnings()) warnings_.push_back(warning);
}

Store::~Store() {
  base::Lock lock(mutex_);
  while (engine_.transfers_under_way() != 0) lock.wait(landed_);
  lock.unlock();
  watch_.reset();
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

void Store::record_on(trace::Recorder& recorder) {
  recorder_ = &recorder;
  const base::Lock lock(mutex_);
  trace_ = std::make_unique<StoreTrace>(recorder, *tiers_, memory_.hierarchy());
  engine_.set_observer(&trace_->observer());
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
    if (added && engine_.tracked() && !tracked()) {
      added = begin_tracking(actions);
      if (!added) engine_.remove(*block, actions);
    }
    if (added && trace_ != nullptr) [[unlikely]]
      trace_->made(*block, hint);
    return added;
  });
  if (!status) return status;
  return block.release();
}

base::Status Store::begin_tracking(Actions& actions) {
  const Unbound unbound(cpus_of(machine_));
  engines_ = memory::CopyEngines::for_tiers(*tiers_, static_cast<unsigned>(workers_));
  engine_.set_costs(cost_model_of(machine_, *tiers_, engines_->emulated_bytes_per_second()));
  try {
    preparer_ = std::make_unique<Preparer>();
    mover_ = std::make_unique<Mover>(*engines_, memory_, options_.strategy, workers_, *this);
    watch_ = std::make_unique<StallWatch>(mutex_, StallWatch::Watched{engine_, changes_}, sink_, *this);
  } catch (const std::system_error& error) {
    mover_.reset();
    preparer_.reset();
    return {base::Code::no_space, std::string("blocks cannot be moved between tiers: ") + error.what()};
  }
  untracked_.begin_tracking();
  prepare_growth();
  if (engine_.untracked_may_run() && untracked_.none_runs()) engine_.untracked_ended(actions);
  engine_.tracking_begun(actions);
  return base::Status::success();
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
    if (trace_ != nullptr) [[unlikely]]
      trace_->gone(block);
    note_change();
  }
  if (!actions.empty()) carry_out(actions);
  block.store = nullptr;
  block.address.store(nullptr, std::memory_order_relaxed);  // relaxed: no task uses the block any more
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

// Pages of files are mapped, and what emulated memory asks for is waited.
void Store::settle_in_place(Request& request) {
  if (request.in_place_bytes != 0) engines_->charge(request.in_place_bytes);
  for (const Use& use : request.uses()) {
    Block& block = block_of(*use.block);
    if (!use.at_home || block.home.kind != engine::Home::Kind::file) continue;
    base::Status status = base::Status::success();
    {
      const base::Lock lock(mutex_);
      status = addresses_.map_at_home(block);
    }
    if (status) status = addresses_.touch_at_home(block);
    if (status) continue;
    request.failure = std::move(status);
    request.cancelled = true;
    return;
  }
}

void Store::landed(Transfer& transfer, const base::Status& status) noexcept {
  Actions actions;
  {
    const base::Lock lock(mutex_);
    land(transfer, status, actions);
    prepare_growth();
    landed_.notify_all();  // under the lock: after it, the store may be gone
  }
  if (!actions.empty()) carry_out(actions);
}

// Homes will want what they were promised. The numbers of nodes are those of arenas.
void Store::prepare_growth() noexcept {
  for (std::size_t i = 0; i < tiers_->arenas().size(); ++i) {
    Arena& arena = *tiers_->arenas()[i];
    const Arena::Range due = arena.growth_due(engine_.core().ledger.unplaced(static_cast<engine::NodeId>(i)));
    if (due.bytes != 0 && preparer_->prepare(arena, due)) arena.announce(due);
  }
}

void Store::land(Transfer& transfer, const base::Status& status, Actions& actions) {
  if (trace_ != nullptr && status) trace_->moved(transfer);
  engine_.land(transfer, status, actions);
  note_change();
}

void Store::note_change() noexcept {
  addresses_.publish(engine_);
  if (trace_ != nullptr) [[unlikely]]
    trace_->hold(engine_.core().ledger);
  lost_time_.note(platform::now_ns(), static_cast<std::uint32_t>(workers_), engine_.running(), engine_.waiting());
  ++changes_;
  if (engine_.waits_for_tasks() && watch_ != nullptr) watch_->wake();
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

// ---- Tasks without requests, from when on tasks are tracked ----

void Store::untracked_ended() {
  decide([&](Actions& actions) WEIR_REQUIRES(mutex_) {
    if (engine_.untracked_may_run() && untracked_.none_runs()) engine_.untracked_ended(actions);
  });
}

void Store::hold_ended(Block& block) {
  decide([&](Actions& actions) WEIR_REQUIRES(mutex_) { engine_.hold_ended(block, actions); });
}

// ---- What there is ----

StoreStatistics Store::statistics() {
  const base::Lock lock(mutex_);
  note_change();
  --changes_;  // nothing has: who looks often must not keep the watchdog from seeing a standstill
  const double emulated = engines_ == nullptr ? 0 : engines_->emulated_bytes_per_second();
  return {engine_.counters(), lost_time_.seconds(), emulated, warnings_};
}

std::vector<std::string> Store::describe() {
  const base::Lock lock(mutex_);
  std::vector<std::string> lines = engine::describe_waiting(engine_);
  for (std::string& line : engine::describe_state(engine_)) lines.push_back(std::move(line));
  return lines;
}

Waiting Store::waiting_tasks() {
  const base::Lock lock(mutex_);
  return engine::waiting_tasks(engine_);
}

std::vector<TierState> Store::tier_states() {
  const base::Lock lock(mutex_);
  std::vector<TierState> states;
  for (const Tier& tier : tiers_->tiers())
    states.push_back(
        {tier.name, used_in(engine_.core().ledger, static_cast<engine::TierIndex>(tier.index)), tier.budget.count});
  return states;
}

Activity Store::activity() noexcept {
  const base::Lock lock(mutex_);
  return {changes_, engine_.transfers_under_way(), engine_.waiting()};
}

std::vector<ArenaReport> Store::tier_report() {
  const base::Lock lock(mutex_);
  return tiers_->report();
}

}  // namespace weir::data
