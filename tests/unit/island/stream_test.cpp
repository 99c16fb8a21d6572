// SPDX-License-Identifier: Apache-2.0

#include "island/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "child.hpp"
#include "kinds.hpp"

namespace weir::island {
namespace {

class Streams : public OverKinds {};

std::vector<std::byte> message(std::mt19937& random) {
  std::vector<std::byte> bytes(random() % 20000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// The sender must not write to a place before its receiver has read it.
TEST_P(Streams, BytesOfAnyLengthArriveInTheirOrder) {
  constexpr int kMessages = 200;
  auto memory = SharedMemory::map({{sizeof(Stream)}}, GetParam(), 3).value();
  auto* const stream = ::new (memory->data()) Stream;
  Child sender([&] {
    memory->enter_process(1);
    std::mt19937 random(7);
    StreamOut out(*stream);
    for (int i = 0; i < kMessages; ++i) out.send(*memory, message(random), [] { sched_yield(); });
    return 0;
  });
  std::mt19937 random(7);
  StreamIn in(*stream);
  for (int i = 0; i < kMessages; ++i) {
    const std::vector<std::byte> expected = message(random);
    while (!in.receive(*memory, expected.size())) {
      ASSERT_FALSE(sender.has_ended() && !in.receive(*memory, expected.size())) << "message " << i;
      sched_yield();
    }
    ASSERT_TRUE(std::ranges::equal(in.bytes(), expected)) << "message " << i;
    in.clear();
  }
  EXPECT_EQ(sender.wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(Memory, Streams, testing::ValuesIn(kAllKinds), name_of);

}  // namespace
}  // namespace weir::island
