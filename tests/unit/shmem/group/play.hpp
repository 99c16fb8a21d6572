// SPDX-License-Identifier: Apache-2.0

// Threads that play PEs: each has memory of its own, which those of its node map and the others reach by puts and gets
// that happen as late as they may.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "shmem/group/collective.hpp"

namespace weir::shmem::test {

// What the PEs of a play share: where everyone's memory is, and on which node everyone is.
struct Stage {
  std::vector<int> nodes;  // of each PE
  bool crowded = false;
  std::size_t bytes = std::size_t{1} << 20;

  int pes() const { return static_cast<int>(nodes.size()); }
  std::vector<std::shared_ptr<std::byte>> memory;
};

class StageReach : public Reach {
 public:
  StageReach(const Stage& stage, int me, unsigned seed) : stage_(stage), me_(me), random_(seed) {}

  std::byte* mapped(const void* symmetric, int pe) override {
    dawdle();
    if (stage_.nodes[index(pe)] != stage_.nodes[index(me_)]) return nullptr;
    return there(symmetric, pe);
  }
  std::uint64_t name_of(const void* object) override {
    return 1 + static_cast<std::uint64_t>(static_cast<const std::byte*>(object) - stage_.memory[index(me_)].get());
  }
  const std::byte* named(std::uint64_t name, int) override { return stage_.memory[index(me_)].get() + name - 1; }
  void put_nbi(void* symmetric, const void* from, std::size_t bytes, int pe) override {
    std::byte* const to = there(symmetric, pe);
    later_.push_back([=] { std::memcpy(to, from, bytes); });
  }
  void get_nbi(void* to, const void* symmetric, std::size_t bytes, int pe) override {
    const std::byte* const from = there(symmetric, pe);
    later_.push_back([=] { std::memcpy(to, from, bytes); });
  }
  void quiet() override {
    dawdle();
    std::shuffle(later_.begin(), later_.end(), random_);
    for (const auto& act : later_) act();
    later_.clear();
  }
  void set_flag(std::atomic<Step>* symmetric, Step value, int pe) override {
    reinterpret_cast<std::atomic<Step>*>(there(symmetric, pe))->store(value, std::memory_order_release);
  }
  void wait(const std::atomic<Step>& word, Step step) override {
    // Who sleeps gets a busy processor sooner than who yields it again and again.
    for (int turn = 0; word.load(std::memory_order_acquire) < step; ++turn) {
      if (turn < 100) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    }
  }

 private:
  // Now and then others come far ahead of this PE, just before it looks at their memory.
  void dawdle() {
    if (random_() % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  static std::size_t index(int pe) { return static_cast<std::size_t>(pe); }
  std::byte* there(const void* symmetric, int pe) {
    const auto offset = static_cast<const std::byte*>(symmetric) - stage_.memory[index(me_)].get();
    EXPECT_TRUE(offset >= 0 && offset < static_cast<std::ptrdiff_t>(stage_.bytes)) << "not symmetric: " << offset;
    return stage_.memory[index(pe)].get() + offset;
  }

  const Stage& stage_;
  int me_;
  std::mt19937 random_;
  std::vector<std::function<void()>> later_;
};

// One PE: its memory begins with areas, of which each group that it makes takes one.
class Pe {
 public:
  Pe(const Stage& stage, int me) : stage_(stage), me_(me), memory_(stage.memory[static_cast<std::size_t>(me)].get()) {}

  int me() const { return me_; }
  static constexpr std::size_t kAreas = 16;
  std::byte* heap() const { return memory_ + kAreas * kAreaBytes; }

  // All members make it with the same number of an area, which no other group of theirs has. Null for others.
  std::unique_ptr<Group> group(const std::vector<int>& pes, std::size_t area, Step first_step = 0) const {
    Group::Setting setting;
    const auto found = std::find(pes.begin(), pes.end(), me_);
    if (found == pes.end()) return nullptr;
    setting.me = static_cast<unsigned>(found - pes.begin());
    auto* const mine = reinterpret_cast<Area*>(memory_ + area * kAreaBytes);
    for (const int pe : pes) setting.members.push_back({pe, stage_.nodes[static_cast<std::size_t>(pe)], mine});
    setting.first_step = first_step;
    setting.crowded = stage_.crowded;
    setting.reach = std::make_unique<StageReach>(stage_, me_, static_cast<unsigned>(me_));
    return std::make_unique<Group>(std::move(setting));
  }

 private:
  const Stage& stage_;
  int me_;
  std::byte* memory_;
};

// All PEs do it, each in a thread of its own.
inline void play(Stage& stage, const std::function<void(Pe&)>& act) {
  stage.memory.clear();
  for (int pe = 0; pe < stage.pes(); ++pe) {
    // Aligned for areas; zeros.
    stage.memory.emplace_back(new (std::align_val_t{kAreaBytes}) std::byte[stage.bytes]{},
                              [](std::byte* memory) { ::operator delete[](memory, std::align_val_t{kAreaBytes}); });
  }
  std::vector<std::thread> threads;
  for (int me = 0; me < stage.pes(); ++me) {
    threads.emplace_back([&, me] {
      Pe pe(stage, me);
      act(pe);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

inline Stage one_node(int pes, bool crowded = false) {
  Stage stage;
  stage.nodes.assign(static_cast<std::size_t>(pes), 0);
  stage.crowded = crowded;
  return stage;
}

inline std::vector<int> all_of(const Stage& stage) {
  std::vector<int> pes;
  for (int pe = 0; pe < stage.pes(); ++pe) pes.push_back(pe);
  return pes;
}

}  // namespace weir::shmem::test
