// SPDX-License-Identifier: Apache-2.0

// Random collectives on random groups of PEs that are ranks of a loopback world, against the serial model: puts, gets
// and flags arrive late and in any order that a transport may have, and PEs take turns, all as a seed says. So what
// fails once fails again. WEIR_LOOPBACK_SEEDS=N: so many seeds instead of a few.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/sanitizers.hpp"
#include "transport/loopback/world.hpp"
#include "unit/shmem/group/model.hpp"

namespace weir::shmem::test {
namespace {

using transport::AtomicOp;
using transport::AtomicWidth;
using transport::Location;
using transport::Region;
using transport::Transport;

void require(const base::Status& status) {
  if (!status) throw std::runtime_error(status.message);
}

class LoopbackReach : public Reach {
 public:
  LoopbackReach(Transport& transport, const Region& region, std::uint64_t seed)
      : transport_(transport), region_(region), channel_(transport.open_channel()), random_(seed) {}

  // Now and then others come far ahead of this PE, just before it looks at their memory.
  std::byte* mapped(const void* symmetric, int pe) override {
    if (random_() % 8 == 0) static_cast<void>(transport_.progress());
    std::byte* const there = transport_.mapped(rank(pe), region_.id);
    return there == nullptr ? nullptr : there + offset(symmetric);
  }
  std::uint64_t name_of(const void* object) override { return 1 + offset(object); }
  const std::byte* named(std::uint64_t name, int) override { return region_.data + name - 1; }
  void put_nbi(void* symmetric, const void* from, std::size_t bytes, int pe) override {
    require(channel_->put_nbi(at(symmetric, pe), from, bytes));
  }
  void get_nbi(void* to, const void* symmetric, std::size_t bytes, int pe) override {
    require(channel_->get_nbi(to, at(symmetric, pe), bytes));
  }
  void quiet() override { require(channel_->quiet()); }
  void set_flag(std::atomic<Step>* symmetric, Step value, int pe) override {
    require(channel_->fence());
    require(channel_->atomic(at(symmetric, pe), AtomicOp::set, AtomicWidth::bits64, value).status());
  }
  void wait(const std::atomic<Step>& word, Step step) override {
    while (word.load(std::memory_order_acquire) < step) static_cast<void>(transport_.progress());
  }

 private:
  static Rank rank(int pe) { return Rank{static_cast<std::uint32_t>(pe)}; }
  std::uint64_t offset(const void* symmetric) const {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(symmetric) - region_.data);
  }
  Location at(const void* symmetric, int pe) const { return {rank(pe), region_.id, offset(symmetric)}; }

  Transport& transport_;
  const Region& region_;
  std::unique_ptr<transport::Channel> channel_;
  std::mt19937_64 random_;
};

struct Play {
  transport::loopback::Settings settings;
  bool crowded = false;
  std::vector<std::vector<int>> groups;
  std::vector<Action> actions;
};

Play any_play(std::uint64_t seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const std::uint32_t pes[] = {1, 2, 3, 4, 5, 8, 9, 12}, per_host[] = {1, 2, 3, 4, 12};
  Play play;
  play.settings = {.ranks = pes[random() % 8], .seed = seed, .ranks_per_host = per_host[random() % 5]};
  play.crowded = random() % 2 == 0;
  play.groups = any_groups(random, static_cast<int>(play.settings.ranks));
  for (int i = 0; i < (base::kUnderSanitizer ? 5 : 10); ++i) {
    Action action = any_action(random, play.groups);
    // It is the order that counts; and each element of a strided exchange may arrive at a time of its own.
    const bool is_short = random() % 8 != 0 || action.kind == Kind::alltoalls;
    if (is_short) action.count = std::min<std::size_t>(action.count, 300);
    play.actions.push_back(action);
  }
  return play;
}

// This rank's part in a group, whose members' areas are the first pages of the region. Null for others.
std::unique_ptr<Group> make_group(Transport& transport, const Region& region, const Play& play, std::size_t number) {
  Group::Setting setting;
  const std::vector<int>& pes = play.groups[number];
  const int me = static_cast<int>(transport.rank());
  const auto found = std::find(pes.begin(), pes.end(), me);
  if (found == pes.end()) return nullptr;
  setting.me = static_cast<unsigned>(found - pes.begin());
  auto* const area = reinterpret_cast<Area*>(region.data + number * kAreaBytes);
  for (const int pe : pes) setting.members.push_back({pe, pe / static_cast<int>(play.settings.ranks_per_host), area});
  setting.crowded = play.crowded;
  setting.reach = std::make_unique<LoopbackReach>(transport, region, play.settings.seed + static_cast<unsigned>(me));
  return std::make_unique<Group>(std::move(setting));
}

void act_all(Transport& transport, const Play& play) {
  const std::size_t areas = play.groups.size() * kAreaBytes;
  auto region = transport.make_region({.size = {areas + 2 * kBuffer}});
  require(region.status());
  std::vector<std::unique_ptr<Group>> groups;
  for (std::size_t i = 0; i < play.groups.size(); ++i) groups.push_back(make_group(transport, *region, play, i));
  for (const Action& action : play.actions) {
    Group* const group = groups[action.group].get();
    if (group == nullptr) continue;
    const std::string wrong = act(*group, play.groups[action.group], action, region->data + areas);
    if (!wrong.empty()) throw std::runtime_error(wrong);
  }
  require(transport.barrier());
  groups.clear();
  require(transport.free_region(region->id));
  require(transport.leave());
}

TEST(GroupOverLoopback, RandomCollectivesGiveWhatASerialModelGives) {
  const char* const text = std::getenv("WEIR_LOOPBACK_SEEDS");
  const std::uint64_t count = text != nullptr ? std::strtoull(text, nullptr, 10) : (base::kUnderSanitizer ? 20 : 200);
  const std::uint64_t first = text != nullptr ? 1 : std::random_device{}();
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    const Play play = any_play(seed);
    const auto outcome = transport::loopback::run(play.settings, [&](Transport& t) { act_all(t, play); });
    EXPECT_THAT(outcome.failures, testing::IsEmpty())
        << "seed " << seed << ", " << play.settings.ranks << " PEs, " << play.settings.ranks_per_host << " per host";
  }
}

}  // namespace
}  // namespace weir::shmem::test
