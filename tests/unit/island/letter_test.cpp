// SPDX-License-Identifier: Apache-2.0

#include "island/letter.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "child.hpp"
#include "exchange.hpp"
#include "kinds.hpp"

namespace weir::island {
namespace {

std::unique_ptr<SharedMemory> map(IslandMemory kind, std::size_t bytes, std::uint64_t seed = 0) {
  return SharedMemory::map({{bytes}}, kind, seed).value();
}

template <std::size_t kBytes>
void fill(Letter<kBytes>& letter, std::size_t length, int first) {
  for (std::size_t i = 0; i < length; ++i) letter.payload()[i] = static_cast<std::byte>(first + static_cast<int>(i));
}

bool holds(std::span<const std::byte> bytes, std::size_t length, int first) {
  if (bytes.size() != length) return false;
  for (std::size_t i = 0; i < length; ++i) {
    if (bytes[i] != static_cast<std::byte>(first + static_cast<int>(i))) return false;
  }
  return true;
}

TEST(Letter, IsThereUnderItsNumberOnly) {
  const auto memory = map(IslandMemory::coherent, 4096);
  auto& letter = *new (memory->data()) Letter<128>;
  EXPECT_FALSE(letter.take(*memory, 1));
  fill(letter, 5, 'a');
  letter.post(*memory, 1, 5);
  EXPECT_FALSE(letter.take(*memory, 2));
  ASSERT_TRUE(letter.take(*memory, 1));
  EXPECT_TRUE(holds(*letter.take(*memory, 1), 5, 'a')) << "it stays until the sender writes again";
  letter.post(*memory, 2, 0);
  EXPECT_FALSE(letter.take(*memory, 1));
  ASSERT_TRUE(letter.take(*memory, 2));
  EXPECT_TRUE(letter.take(*memory, 2)->empty());
}

TEST(LetterDeathTest, IsNotLongerThanItsPayload) {
  const auto memory = map(IslandMemory::coherent, 4096);
  auto& letter = *new (memory->data()) Letter<64>;
  EXPECT_DEATH(letter.post(*memory, 1, 57), "longer than its payload");
}

// ---- Between two processes ----

class Letters : public OverKinds {};

// All letters come back, from a first number on.
template <std::size_t kBytes, std::uint32_t kPlaces>
void exchange(IslandMemory kind, std::uint64_t seed, std::uint32_t first, std::uint64_t letters) {
  SCOPED_TRACE(testing::Message() << "letters of " << kBytes << " bytes, seed " << seed);
  const auto memory = map(kind, Exchange<kBytes, kPlaces>::bytes(), seed);
  Exchange<kBytes, kPlaces> exchange(*memory);
  Child child([&] {
    memory->enter_process(1);
    return exchange.answer(first, letters, [] { return false; }) ? 0 : 1;
  });
  EXPECT_TRUE(exchange.ask(first, letters, [&] { return child.has_ended(); }));
  EXPECT_EQ(child.wait(), 0);
}

TEST_P(Letters, ComeWholeInAllLengths) {
  exchange<64, 4>(GetParam(), 1, 1, 2000);
  exchange<128, 1>(GetParam(), 2, 1, 2000);
  exchange<512, 8>(GetParam(), 3, 1, 5000);
}

TEST_P(Letters, MayHaveNumbersThatWrapAround) { exchange<192, 8>(GetParam(), 1, ~std::uint32_t{0} - 500, 1000); }

TEST_P(Letters, ComeWholeByTheThousand) {
  // Many places, so that two processes on one core need not change over for each letter.
  if (GetParam() == IslandMemory::checked) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) exchange<256, 64>(GetParam(), seed, 1, 20'000);
  } else {
    exchange<256, 256>(GetParam(), 0, 1, GetParam() == IslandMemory::coherent ? 300'000 : 30'000);
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, Letters, testing::ValuesIn(kAllKinds), name_of);

// ---- The checker can fail: mistakes that hardware without coherence would punish now and then, it does at once ----

enum Found { whole, old_bytes, wrong_length };

// What a receiver in another process takes as letter 1, of 200 bytes, when the sender's steps are those of `send`; the
// last argument of that waits until the receiver is done.
template <class Send>
int found_after(Send send) {
  const auto memory = map(IslandMemory::checked, 4096);
  auto& letter = *new (memory->data()) Letter<256>;
  memory->invalidate(&letter, sizeof(letter));
  Child receiver([&] {
    memory->enter_process(1);
    // The lines may be in a cache from before.
    memory->invalidate(&letter, sizeof(letter));
    auto found = letter.take(*memory, 1);
    while (!found) {
      sched_yield();
      found = letter.take(*memory, 1);
    }
    if (found->size() != 200) return wrong_length;
    return holds(*found, 200, 3) ? whole : old_bytes;
  });
  send(*memory, letter, [&] { receiver.wait(); });
  return receiver.wait();
}

// The first line of a letter, for senders that do not post().
struct Bare {
  alignas(kLine) std::uint32_t number;
  std::uint32_t length;
};
void announce(Memory& memory, Letter<256>& letter) {
  auto& bare = reinterpret_cast<Bare&>(letter);
  bare.length = 200;
  bare.number = 1;
  memory.write_back(&letter, kLine);
}

TEST(LetterMistakes, NoneIsFoundInAPost) {
  EXPECT_EQ(found_after([](Memory& memory, Letter<256>& letter, auto) {
              fill(letter, 200, 3);
              letter.post(memory, 1, 200);
            }),
            whole);
}

TEST(LetterMistakes, ANumberBeforeTheBodyIsCaught) {
  EXPECT_EQ(found_after([](Memory& memory, Letter<256>& letter, auto others_turn) {
              announce(memory, letter);
              others_turn();
              fill(letter, 200, 3);
              memory.write_back(&letter, sizeof(letter));
            }),
            old_bytes);
}

TEST(LetterMistakes, ABodyThatIsNotWrittenBackIsCaught) {
  EXPECT_EQ(found_after([](Memory& memory, Letter<256>& letter, auto) {
              fill(letter, 200, 3);
              announce(memory, letter);
            }),
            old_bytes);
}

}  // namespace
}  // namespace weir::island
