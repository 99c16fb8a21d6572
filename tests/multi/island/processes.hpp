// SPDX-License-Identifier: Apache-2.0

// Options for tests on worker processes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <tuple>

#include "island/flush_memory.hpp"
#include "weir/island.hpp"

namespace weir::island {

inline Options options_of(int workers, IslandMemory memory, int seed = 1) {
  Options options;
  options.workers = workers;
  options.bind = Bind::none;
  options.island_memory = memory;
  options.island_heap = 16;
  options.island_seed = seed;
  return options;
}

// One byte that all processes may take, once.
class Token {
 public:
  Token() {
    EXPECT_EQ(::pipe(ends_), 0);
    put();
  }
  ~Token() {
    ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;
  void put() const { EXPECT_EQ(::write(ends_[1], "", 1), 1); }
  // No more will come from this process; those forked from now on can put none.
  void close_writing() {
    ::close(ends_[1]);
    ends_[1] = -1;
  }
  int reading() const { return ends_[0]; }

 private:
  int ends_[2];
};

inline bool take(int reading) {
  char byte;
  return ::read(reading, &byte, 1) == 1;
}

// The text of the weir::Error that `act` throws.
template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Every kind of memory, with 1, 2 and 8 workers.
class OnIslands : public testing::TestWithParam<std::tuple<IslandMemory, int>> {
 protected:
  void SetUp() override {
    if (const base::Status usable = FlushMemory::usable(); std::get<0>(GetParam()) == IslandMemory::flush && !usable)
      GTEST_SKIP() << usable.message;
  }
  static Options options(int seed = 1) { return options_of(std::get<1>(GetParam()), std::get<0>(GetParam()), seed); }
};

inline std::string name_of(const testing::TestParamInfo<std::tuple<IslandMemory, int>>& info) {
  static constexpr const char* kNames[] = {"coherent", "flush", "checked"};
  return kNames[static_cast<int>(std::get<0>(info.param))] + std::to_string(std::get<1>(info.param));
}

}  // namespace weir::island
