// SPDX-License-Identifier: Apache-2.0

// A Engine without threads: tasks are spawned, made ready and ended by the test, and transfers land when told to;
// and one whose fast tier holds three of four blocks.
//
// One number stands for what each place holds: a transfer carries it from where it reads to where it writes, and the
// test fails when it is changed while that is under way.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/engine/describe.hpp"
#include "data/engine/engine.hpp"
#include "data/tier_costs.hpp"
#include "data/tier_memory.hpp"
#include "memory/machines.hpp"

namespace weir::data::engine {

using memory::captured;
using memory::described;
using memory::kGiB;
using memory::kKiB;
using memory::kMiB;
using memory::knl_snc4_flat;
using memory::kTiB;
using memory::system_with;

using Footprint = std::vector<std::pair<Block*, Mode>>;

struct BenchTask {
  std::string name;
  Request request;
};

constexpr const char* kSlow = "memory=1MiB,emulated=16MiB@0.5";
constexpr const char* kFile = "memory=1MiB,file=/tmp:16MiB";
constexpr double kEmulatedBandwidth = 4e9;
constexpr std::size_t kThird = 320 * kKiB;  // three fit, not four

inline Config with(Strategy strategy, Evict evict = Evict::next_use) {
  Config config;
  config.strategy = strategy;
  config.evict = evict;
  return config;
}

inline machine::Machine one_node() { return described("numa:1(memory=64GB) core:2 pu:1"); }

class EngineBench : Observer, PlaceListener {
 public:
  EngineBench(const machine::Machine& machine, std::string_view spec, const Config& config)
      : tiers(open(machine, spec)), memory(*tiers), engine(memory.hierarchy(), memory.memories(), config) {
    engine.set_observer(this);
    engine.set_place_listener(this);
    engine.set_costs(cost_model_of(machine, *tiers, kEmulatedBandwidth));
  }
  explicit EngineBench(std::string_view spec, const Config& config = {}) : EngineBench(one_node(), spec, config) {}
  ~EngineBench() {
    for (const auto& task : tasks_) EXPECT_EQ(task, nullptr) << "a task was not ended";
    while (!blocks_.empty()) destroy(*blocks_.back());
    for (Arena* const arena : tiers->arenas()) EXPECT_EQ(arena->used(), 0u) << arena->name();
    for (const Tier& tier : tiers->tiers()) {
      if (tier.file != nullptr) {
        EXPECT_EQ(tier.file->used(), 0u);
      }
    }
  }

  base::Status try_make(const char* name, std::size_t bytes, Block*& result, int domain = 0,
                        const PlacementHint& hint = {}) {
    auto block = std::make_unique<Block>();
    block->name = name;
    block->size = bytes;
    block->domain = DomainId(domain);
    if (base::Status status = engine.add(*block, hint); !status) return status;
    result = block.get();
    blocks_.push_back(std::move(block));
    return base::Status::success();
  }
  Block& make(const char* name, std::size_t bytes, int domain = 0, const PlacementHint& hint = {}) {
    Block* block = nullptr;
    const base::Status status = try_make(name, bytes, block, domain, hint);
    EXPECT_TRUE(status) << status.message;
    return *block;
  }
  // From here on blocks are tracked, and none of those made before has to stay.
  void track() {
    ASSERT_TRUE(engine.tracked());
    Actions actions;
    engine.untracked_ended(actions);
    take(actions);
  }
  void destroy(Block& block) {
    while (block.in_transfer()) land_of(block);
    Actions actions;
    engine.remove(block, actions);
    told_.erase(&block);
    take(actions);
    std::erase_if(blocks_, [&](const auto& b) { return b.get() == &block; });
  }

  BenchTask& spawn(const char* name, const Footprint& footprint, int domain = 0, int lane = 0,
                   BenchTask* parent = nullptr) {
    tasks_.push_back(std::make_unique<BenchTask>());
    BenchTask& task = *tasks_.back();
    task.name = name;
    task.request.name = task.name.c_str();
    task.request.domain = DomainId(domain);
    task.request.lane = lane;
    task.request.set_parent(parent != nullptr ? &parent->request : nullptr);
    task.request.make_room(footprint.size());
    for (const auto& [block, mode] : footprint) task.request.add(*block, mode);
    engine.add(task.request);
    return task;
  }
  // One block more, which is brought in as soon as it may be.
  void add(BenchTask& task, Block& block, Mode mode) {
    Actions actions;
    engine.add(task.request, block, mode, true, actions);
    take(actions);
  }
  bool ready(BenchTask& task) {
    Actions actions;
    const bool held = engine.ready(task.request, actions);
    take(actions);
    return held;
  }
  void finish(BenchTask& task) {
    Actions actions;
    engine.finish(task.request, actions);
    take(actions);
    for (auto& t : tasks_) {
      if (t.get() == &task) std::swap(t, tasks_.back());
    }
    tasks_.pop_back();
  }
  // From spawning to the end, whatever has to land in between. False: it could not have its blocks.
  bool run(const char* name, const Footprint& footprint, std::uint64_t writes = 0, int domain = 0) {
    BenchTask& task = spawn(name, footprint, domain);
    ready(task);
    while (task.request.state() != RequestState::held && task.request.state() != RequestState::failed) {
      if (flying.empty()) {
        ADD_FAILURE() << name << " waits, and nothing is under way";
        return false;
      }
      land();
    }
    const bool held = task.request.state() == RequestState::held;
    if (held) {
      engine.begin(task.request);
      for (Use& use : task.request.uses()) {
        if (weir::writes(use.mode)) contents(use) = writes;
      }
    }
    finish(task);
    return held;
  }
  // What a task that reads the block finds.
  std::uint64_t read(Block& block, int domain = 0) {
    BenchTask& task = spawn("reader", {{&block, Mode::in}}, domain);
    ready(task);
    while (task.request.state() != RequestState::held && !flying.empty()) land();
    EXPECT_EQ(task.request.state(), RequestState::held);
    engine.begin(task.request);
    const std::uint64_t stamp = contents(task.request.uses()[0]);
    finish(task);
    return stamp;
  }

  void land(std::size_t index = 0, const base::Status& status = base::Status::success()) {
    const Flight flight = flying[index];
    flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(index));
    if (status) carry(flight);
    Actions actions;
    engine.land(*flight.transfer, status, actions);
    take(actions);
  }
  void land_all() {
    while (!flying.empty()) land();
  }
  void land_of(Block& block, const base::Status& status = base::Status::success()) {
    for (std::size_t i = 0; i < flying.size(); ++i) {
      if (flying[i].transfer->replica->block == &block) return land(i, status);
    }
    FAIL() << "no transfer of " << block.name;
  }
  void advance() {
    Actions actions;
    engine.advance(actions);
    take(actions);
  }
  void end_stall(bool stuck = false) {
    Actions actions;
    engine.end_stall(stuck, actions);
    take(actions);
  }
  bool flush(Block& block) {
    Actions actions;
    const bool any = engine.flush(block, actions);
    take(actions);
    return any;
  }

  static ReplicaState state_of(const Block& block) {
    return block.replicas != nullptr ? block.replicas->state : ReplicaState::absent;
  }
  static int replicas_of(const Block& block) {
    int count = 0;
    for (const Replica* r = block.replicas; r != nullptr; r = r->next) ++count;
    return count;
  }
  Arena& arena(std::size_t index = 0) const { return *tiers->arenas()[index]; }
  static NodeId node(std::size_t index) { return static_cast<NodeId>(index); }

  // What the task finds, or writes.
  std::uint64_t& contents(const Use& use) { return at(use.at_home ? home_of(*use.block) : use.replica->place); }
  std::uint64_t& contents(const Replica& replica) { return at(replica.place); }
  std::uint64_t& home_contents(const Block& block) { return at(home_of(block)); }

  // What must always be true.
  void check_invariants() const {
    std::vector<std::size_t> charged(tiers->arenas().size());
    for (const auto& block : blocks_) check_block(*block, charged);
    for (Arena* const a : tiers->arenas()) {
      ASSERT_LE(a->used(), a->budget());
      ASSERT_EQ(a->used(), charged[static_cast<std::size_t>(a->index())]) << a->name();
    }
  }

  const std::unique_ptr<TierSet> tiers;
  const TierMemory memory;
  Engine engine;
  struct Flight {
    Transfer* transfer;
    std::uint64_t stamp;  // read when it was started
  };
  std::vector<Flight> flying;
  std::vector<Request*> staged;
  std::vector<std::string> warnings;

  const std::vector<std::unique_ptr<Block>>& blocks() const { return blocks_; }
  std::vector<std::unique_ptr<BenchTask>>& tasks() { return tasks_; }

 private:
  static std::unique_ptr<TierSet> open(const machine::Machine& machine, std::string_view spec) {
    TierSetConfig config;
    config.state = system_with(kTiB);
    config.io.backend = platform::IoBackend::threads;
    auto tiers = TierSet::open(machine, *parse_tiers(spec), std::move(config));
    EXPECT_TRUE(tiers) << tiers.status().message;
    return std::move(*tiers);
  }

  // As BlockAddresses: what tasks are told of a block, of which there is one place.
  void tell_places() {
    while (Block* const block = engine.take_relocated()) {
      if (const std::optional<Place> place = Replicas::only_place(*block)) told_[block] = *place;
    }
  }
  void place_changes(Block& block) noexcept override { told_.erase(&block); }
  // Its task may begin at once, before the event has ended.
  void waits_no_more(Request& request) noexcept override {
    for (const Use& use : request.uses()) {
      const auto told = told_.find(use.block);
      if (told == told_.end() || (use.replica == nullptr && !use.at_home)) continue;
      EXPECT_EQ(told->second, use.at_home ? use.block->home.place : use.replica->place)
          << request.name << " is told another place of " << use.block->name << " than it holds";
    }
  }
  void waits_for_room(Request&) noexcept override {}
  void waits_for_transfers(Request&) noexcept override {}
  void evicted(const Replica&) noexcept override {}

  void take(Actions& actions) {
    tell_places();
    for (Transfer* t = actions.transfers; t != nullptr; t = t->next) {
      flying.push_back({t, read_source(*t)});
      if (t->kind == Transfer::Kind::fetch || t->other != nullptr) destination(*t) = 0xdead;
    }
    for (Request* r = actions.staged; r != nullptr; r = r->next_staged) staged.push_back(r);
    for (std::string& w : actions.warnings) warnings.push_back(std::move(w));
  }
  std::uint64_t read_source(const Transfer& t) {
    if (t.kind == Transfer::Kind::write_back) return contents(*t.replica);
    return t.other != nullptr ? contents(*t.other) : home_contents(*t.replica->block);
  }
  void carry(const Flight& flight) {
    const Transfer& t = *flight.transfer;
    EXPECT_EQ(read_source(t), flight.stamp) << t.replica->block->name << " changed while it was copied";
    destination(t) = flight.stamp;
  }
  std::uint64_t& destination(const Transfer& t) {
    if (t.kind == Transfer::Kind::fetch) return contents(*t.replica);
    return t.other != nullptr ? contents(*t.other) : home_contents(*t.replica->block);
  }
  // Of adopted memory a place of its own.
  static Place home_of(const Block& block) {
    const bool program = block.home.kind == Home::Kind::program;
    return program ? Place{NodeId::none, reinterpret_cast<std::uintptr_t>(&block)} : block.home.place;
  }
  std::uint64_t& at(Place place) { return contents_[{static_cast<int>(place.node), place.offset}]; }
  static bool drains(const Block& block) {
    for (const Replica* r = block.replicas; r != nullptr; r = r->next) {
      if (r->state == ReplicaState::draining) return true;
    }
    return false;
  }
  static void check_block(const Block& block, std::vector<std::size_t>& charged) {
    int dirty = 0, draining = 0, newest = block.home.current ? 1 : 0;
    for (const Replica* r = block.replicas; r != nullptr; r = r->next) {
      ASSERT_NE(r->state, ReplicaState::absent) << block.name;
      if (r->state == ReplicaState::dirty && !r->stale) ++dirty;
      if (r->state == ReplicaState::draining) ++draining;
      if (!r->stale && !r->blank && r->state != ReplicaState::filling) ++newest;
      if (r->candidate) {
        ASSERT_EQ(r->pins, 0u) << block.name;
        ASSERT_TRUE(r->state == ReplicaState::clean || r->state == ReplicaState::dirty) << block.name;
      } else if (r->pins == 0 && !r->write_failed && !block.is_held() && !drains(block)) {
        ASSERT_TRUE(r->state != ReplicaState::clean && r->state != ReplicaState::dirty)
            << block.name << " could leave, and nobody would find it";
      }
      charged[index_of(r->place.node)] += block.charge;
    }
    ASSERT_LE(dirty, 1) << block.name;
    ASSERT_LE(draining, 1) << block.name << " is written to one place twice at a time";
    ASSERT_TRUE(newest >= 1 || !block.written) << block.name << " has contents, but nowhere";
    if (block.home.kind == Home::Kind::memory) {
      charged[index_of(block.home.place.node)] += block.charge;
    }
  }

  std::map<std::pair<int, std::uint64_t>, std::uint64_t> contents_;  // by node and offset
  std::map<const Block*, Place> told_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::unique_ptr<BenchTask>> tasks_;
};

// Beside `footprint`, which the fast tier holds, 50 small blocks: of one size they share pages and fit, too; of many
// sizes they take more than their bytes, which has to be known before there is a standstill.
inline void expect_that_small_blocks_count(EngineBench& bench, Footprint footprint, bool one_size) {
  for (std::size_t i = 1; i <= 50; ++i)
    footprint.emplace_back(&bench.make("small", one_size ? 1600 : i * 64), Mode::inout);
  bench.track();
  BenchTask& task = bench.spawn("task", footprint);
  bench.ready(task);
  bench.land_all();
  ASSERT_EQ(task.request.state(), RequestState::held);
  EXPECT_EQ(bench.engine.counters().in_place_runs, one_size ? 0u : 1u);
  bench.finish(task);
}

// Four blocks a, b, c, d of a third of the fast tier each, that hold 1, 2, 3, 4.
class EngineOfThirds : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; ++i) blocks_[i] = &bench_.make(names[i], kThird);
    bench_.track();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(bench_.run(names[i], {{blocks_[i], Mode::out}}, std::uint64_t(i) + 1));
    bench_.land_all();
  }
  // All its blocks are in place.
  BenchTask& held_until_begun(const char* name, const Footprint& footprint, BenchTask* parent = nullptr) {
    BenchTask& task = bench_.spawn(name, footprint, 0, 0, parent);
    task.request.revocable = true;
    bench_.ready(task);
    bench_.land_all();
    EXPECT_EQ(task.request.state(), RequestState::held) << name;
    return task;
  }
  BenchTask& begun(const char* name, const Footprint& footprint, BenchTask* parent = nullptr) {
    BenchTask& task = held_until_begun(name, footprint, parent);
    EXPECT_TRUE(bench_.engine.begin(task.request)) << name;
    return task;
  }
  Block& a() { return *blocks_[0]; }
  Block& b() { return *blocks_[1]; }
  Block& c() { return *blocks_[2]; }
  Block& d() { return *blocks_[3]; }

  EngineBench bench_{GetParam(), with(Strategy::single, Evict::lru)};
  Block* blocks_[4] = {};
};

}  // namespace weir::data::engine
