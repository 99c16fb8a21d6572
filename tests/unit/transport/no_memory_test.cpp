// SPDX-License-Identifier: Apache-2.0

#include "transport/no_memory.hpp"

#include <gtest/gtest.h>

#include <array>

#include "transport/handlers.hpp"

namespace weir::transport {
namespace {

TEST(MessagesWithoutMemoryDeathTest, EndTheProcessWithTheReason) {
  EXPECT_DEATH(or_end_without_memory("a message that is kept", [] { throw std::bad_alloc(); }),
               "weir: no memory for a message that is kept, and messages cannot be left out: give the ranks");
}

TEST(MessagesWithoutMemoryDeathTest, EndTheProcessAlsoWhereAHandlerHasNone) {
  Handlers handlers;
  handlers.set(
      1, [](void*, Rank, std::span<const std::byte>) { throw std::bad_alloc(); }, nullptr);
  EXPECT_DEATH(handlers.run(1, Rank{0}, {}), "weir: no memory for what a message from another rank brings");
}

TEST(MessagesWithoutMemory, WhatHasMemoryIsDone) {
  EXPECT_EQ(or_end_without_memory("nothing", [] { return 7; }), 7);
}

}  // namespace
}  // namespace weir::transport
