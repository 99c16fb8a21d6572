// SPDX-License-Identifier: Apache-2.0

// Messages of any length between ranks whose parts come late and mixed with those of others, by seeds.
#include "ocr/mail/mail.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "transport/loopback/world.hpp"

namespace weir::ocr {
namespace {

using transport::Transport;

std::byte content(Rank from, std::uint32_t number, std::size_t at) {
  return static_cast<std::byte>(static_cast<std::uint32_t>(from) * 31 + number * 7 + at);
}

// Notes what comes from whom, in which order.
class Noting final : public Performer {
 public:
  Answer perform(Rank from, Say what, Reader body) override {
    EXPECT_TRUE(Mail::is_performing());
    EXPECT_EQ(what, Say::satisfy);
    const auto number = body.get<std::uint32_t>();
    const auto values = body.get_all<std::byte>();
    EXPECT_EQ(number, next_[from]++) << "in the order in which they were sent";
    for (std::size_t at = 0; at < values.size(); ++at) {
      EXPECT_EQ(values[at], content(from, number, at));
      if (testing::Test::HasFailure()) break;
    }
    EXPECT_TRUE(body.rest().empty());
    ++count_;
    return {};
  }
  std::uint32_t count() const { return count_; }

 private:
  std::map<Rank, std::uint32_t> next_;
  std::uint32_t count_ = 0;
};

void all_to_all(Transport& transport, std::uint64_t seed, std::uint32_t messages) {
  Mail mail(transport);
  Noting noting;
  mail.set_performer(&noting);
  ASSERT_TRUE(transport.barrier());
  std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(transport.rank()));
  for (std::uint32_t number = 0; number < messages; ++number) {
    const std::size_t length = random() % 3 == 0 ? random() % 20'000 : random() % 100;
    std::vector<std::byte> values(length);
    for (std::size_t at = 0; at < length; ++at) values[at] = content(transport.rank(), number, at);
    mail.post_to_others(Say::satisfy, Writer().put(number).put_all(std::span<const std::byte>(values)));
    if (random() % 2 == 0) mail.perform_arrived();
  }
  const std::uint32_t others = transport.ranks() - 1;
  while (noting.count() < messages * others)
    if (!mail.perform_arrived()) transport.wait_for_arrival(1000);
  EXPECT_FALSE(Mail::is_performing());
  ASSERT_TRUE(transport.barrier());
  ASSERT_TRUE(transport.leave());
}

TEST(OcrMail, MessagesOfAnyLengthArriveOnceAndInOrder) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto outcome = transport::loopback::run({.ranks = 3, .seed = seed, .ranks_per_host = 2},
                                                  [&](Transport& rank) { all_to_all(rank, seed, 20); });
    for (const std::string& failure : outcome.failures) ADD_FAILURE() << "seed " << seed << ": " << failure;
  }
}

TEST(OcrMail, MessagesGoToAHundredRanks) {
  const auto outcome = transport::loopback::run({.ranks = 100, .seed = 7, .ranks_per_host = 10},
                                                [&](Transport& rank) { all_to_all(rank, 7, 1); });
  for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
}

TEST(OcrMail, AMessageThatFitsIsOnePart) {
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, Part::kMost, Part::kMost + 1, 3 * Part::kMost}) {
    const std::vector<std::byte> message(length, std::byte{5});
    std::size_t parts = 0;
    Assembly assembly;
    std::optional<std::vector<std::byte>> got;
    for_each_part(9, {message, {}}, [&](std::span<const std::byte> part) {
      EXPECT_LE(part.size(), Transport::kMaxMessage);
      EXPECT_FALSE(got);
      assembly.add(Rank{1}, part, [&](std::uint64_t number, std::span<const std::byte> whole) {
        EXPECT_EQ(number, 9);
        got.emplace(whole.begin(), whole.end());
      });
      ++parts;
    });
    EXPECT_EQ(parts, length == 0 ? 1 : (length + Part::kMost - 1) / Part::kMost);
    EXPECT_EQ(got, message);
  }
}

TEST(OcrMail, AskingEndsWhenNobodyAnswersAnyMore) {
  const auto outcome = transport::loopback::run({.ranks = 2, .seed = 3}, [](Transport& transport) {
    Mail mail(transport);
    ASSERT_TRUE(transport.barrier());
    mail.give_up();
    EXPECT_EQ(mail.ask(Rank{1 - static_cast<std::uint32_t>(transport.rank())}, Say::link, {}).code, OCR_ECANCELED);
    ASSERT_TRUE(transport.barrier());
    ASSERT_TRUE(transport.leave());
  });
  for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
}

}  // namespace
}  // namespace weir::ocr
