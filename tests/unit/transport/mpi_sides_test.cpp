// SPDX-License-Identifier: Apache-2.0

// The two sides of what goes between hosts, the one that asks and the owner, over an MPI that is only a table of
// functions: it keeps what is sent, and ends when the test says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "transport/mpi/asker.hpp"
#include "transport/mpi/losses.hpp"
#include "transport/mpi/owner.hpp"

namespace weir::transport::mpi {
namespace {

using testing::HasSubstr;

struct Arrived {
  Record record;
  std::vector<std::byte> bytes;
};

// What the table's functions know; of one test.
struct Wire {
  std::vector<Arrived> records;
  std::uint64_t large = 0;  // bytes of messages that are no packets
  bool ends = true;         // whether an operation that is looked at has ended
  int error = 0;            // of the next large one
} wire;

int fake_send(const void* from, std::uint64_t bytes, int /*to*/, int tag, WeirMpiRequest* /*request*/) {
  if (static_cast<Tag>(tag) != Tag::packet) {
    wire.large += bytes;
    return wire.error;
  }
  const auto* at = static_cast<const std::byte*>(from);
  for (const std::byte* const end = at + bytes; at != end;) {
    Arrived arrived;
    std::memcpy(&arrived.record, at, sizeof arrived.record);
    arrived.bytes.assign(at + sizeof arrived.record, at + sizeof arrived.record + arrived.record.bytes);
    at += size_of(arrived.record);
    wire.records.push_back(std::move(arrived));
  }
  return 0;
}

int fake_receive(void* /*to*/, std::uint64_t bytes, int /*from*/, int /*tag*/, WeirMpiRequest* /*request*/) {
  wire.large += bytes;
  return wire.error;
}

int fake_test(WeirMpiRequest* /*request*/, WeirMpiOutcome* outcome) {
  outcome->done = wire.ends ? 1 : 0;
  return 0;
}

void fake_text(int error, char* text, int room) {
  std::snprintf(text, static_cast<std::size_t>(room), "error %d", error);
}

WeirMpiCalls fake_calls() {
  WeirMpiCalls calls{};
  calls.name = "No MPI";
  calls.send = fake_send;
  calls.receive = fake_receive;
  calls.test = fake_test;
  calls.text_of_error = fake_text;
  return calls;
}

// Rank 0 asks, rank 1 owns a region; rank 2 is the other one.
class MpiSides : public testing::Test {
 protected:
  static constexpr Rank kAsker{0}, kOwner{1};
  static constexpr std::uint32_t kRanks = 3;
  static constexpr RegionId kRegion{0};
  static constexpr std::size_t kWords = 8192;

  MpiSides() {
    wire = {};
    regions_.add(kRegion, reinterpret_cast<std::byte*>(memory_.data()), Bytes{kWords * sizeof(std::uint64_t)});
  }

  std::vector<Arrived> sent(Outbox& outbox) {
    wire.records.clear();
    outbox.pump([](const Failure& /*failure*/) { FAIL() << "no operation has failed"; });
    return std::move(wire.records);
  }
  // What was asked goes to the owner as one packet, the answers come back.
  std::vector<Arrived> answer() {
    for (const Arrived& one : sent(to_owner_)) EXPECT_EQ(owner_.serve(kAsker, one.record, one.bytes), 0);
    owner_.send_done();
    std::vector<Arrived> answers = sent(to_asker_);
    for (const Arrived& one : answers) asker_.take_answer(kOwner, one.record, one.bytes);
    return answers;
  }
  static bool poll(Transfers& transfers) {
    return transfers.poll([](const Failure& /*failure*/) { FAIL() << "no operation has failed"; });
  }
  static Location word(std::uint64_t index) { return {kOwner, kRegion, index * sizeof(std::uint64_t)}; }

  const WeirMpiCalls calls_ = fake_calls();
  std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(kWords);
  RegionTable regions_;
  Outbox to_owner_{calls_, kRanks}, to_asker_{calls_, kRanks};
  Transfers asked_{calls_}, served_{calls_};
  Asker asker_{regions_, to_owner_, asked_, kRanks};
  Owner owner_{regions_, to_asker_, served_};
};

TEST_F(MpiSides, PutsAndAddsOfAChannelAreAnsweredByOneRecord) {
  Pending& pending = asker_.pending().open();
  const std::uint64_t value = 7;
  EXPECT_EQ(asker_.put(pending, word(1), reinterpret_cast<const std::byte*>(&value), sizeof value, nullptr), 0);
  EXPECT_EQ(asker_.put(pending, word(2), reinterpret_cast<const std::byte*>(&value), sizeof value, nullptr), 0);
  asker_.atomic(pending, word(2), {AtomicOp::add, AtomicWidth::bits64, 5, 0}, nullptr, nullptr);
  EXPECT_EQ(pending.of(kOwner), 3U);
  const std::vector<Arrived> answers = answer();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].record.kind, Kind::done);
  EXPECT_EQ(answers[0].record.count, 3U);
  EXPECT_EQ(pending.all(), 0U);
  EXPECT_EQ(memory_[1], 7U);
  EXPECT_EQ(memory_[2], 12U);
}

TEST_F(MpiSides, EachChannelIsToldOfItsOwnPuts) {
  Pending& one = asker_.pending().open();
  Pending& other = asker_.pending().open();
  const std::uint64_t value = 7;
  for (Pending* pending : {&one, &other, &one})
    EXPECT_EQ(asker_.put(*pending, word(0), reinterpret_cast<const std::byte*>(&value), sizeof value, nullptr), 0);
  EXPECT_EQ(answer().size(), 3U);
  EXPECT_EQ(one.all() + other.all(), 0U);
}

TEST_F(MpiSides, WhatIsFetchedIsThereWhenItsCounterIsZero) {
  Pending& pending = asker_.pending().open();
  memory_[3] = 40;
  memory_[4] = 41;
  std::uint64_t got = 0, old = 0;
  std::uint32_t left = 0;
  EXPECT_EQ(asker_.get(pending, reinterpret_cast<std::byte*>(&got), word(4), sizeof got, &left), 0);
  asker_.atomic(pending, word(3), {AtomicOp::fetch_add, AtomicWidth::bits64, 2, 0}, &old, &left);
  EXPECT_EQ(left, 2U);
  answer();
  EXPECT_EQ(left, 0U);
  EXPECT_EQ(pending.all(), 0U);
  EXPECT_EQ(got, 41U);
  EXPECT_EQ(old, 40U);
  EXPECT_EQ(memory_[3], 42U);
}

TEST_F(MpiSides, ALargePutIsReadUntilItsMessageEndsAndDoneWhenTheOwnerHasIt) {
  Pending& pending = asker_.pending().open();
  const std::vector<std::byte> bytes(kInlineBytes + 1);
  std::uint32_t left = 0;
  EXPECT_EQ(asker_.put(pending, word(0), bytes.data(), bytes.size(), &left), 0);
  EXPECT_EQ(answer().size(), 0U) << "an answer before the message has come";
  EXPECT_EQ(left, 1U);
  EXPECT_EQ(pending.large(), 1U);
  EXPECT_TRUE(poll(asked_));
  EXPECT_EQ(left, 0U);
  EXPECT_EQ(pending.large(), 1U);
  EXPECT_TRUE(poll(served_));
  answer();
  EXPECT_EQ(pending.large() + pending.all(), 0U);
  EXPECT_EQ(wire.large, 2 * bytes.size()) << "sent and received once each";
}

TEST_F(MpiSides, ALargeGetEndsWithItsMessage) {
  Pending& pending = asker_.pending().open();
  std::vector<std::byte> bytes(kInlineBytes + 1);
  std::uint32_t left = 0;
  EXPECT_EQ(asker_.get(pending, bytes.data(), word(0), bytes.size(), &left), 0);
  EXPECT_EQ(answer().size(), 0U);
  EXPECT_EQ(left, 1U);
  EXPECT_TRUE(poll(asked_));
  EXPECT_EQ(left + pending.all(), 0U);
}

TEST_F(MpiSides, WhatMpiRefusesIsNotPending) {
  Pending& pending = asker_.pending().open();
  std::vector<std::byte> bytes(kInlineBytes + 1);
  std::uint32_t left = 0;
  wire.error = 17;
  EXPECT_EQ(asker_.put(pending, word(0), bytes.data(), bytes.size(), &left), 17);
  EXPECT_EQ(asker_.get(pending, bytes.data(), word(0), bytes.size(), &left), 17);
  EXPECT_EQ(left + pending.all() + pending.large(), 0U);
  EXPECT_TRUE(to_owner_.is_empty());
  Record record{.kind = Kind::put_large};
  record.operand = bytes.size();
  EXPECT_EQ(owner_.serve(kAsker, record, {}), 17);
}

TEST_F(MpiSides, AnAnswerToAChannelThatIsClosedIsThrownAway) {
  Pending& pending = asker_.pending().open();
  std::uint64_t got = 5;
  std::uint32_t left = 0;
  EXPECT_EQ(asker_.get(pending, reinterpret_cast<std::byte*>(&got), word(0), sizeof got, &left), 0);
  asker_.pending().close(pending);
  answer();
  EXPECT_EQ(got, 5U);
  EXPECT_EQ(left, 1U);
}

TEST_F(MpiSides, NothingGoesBeyondTheEndOfARegionOrToOneThatIsNotThere) {
  const std::uint64_t end = kWords * sizeof(std::uint64_t);
  EXPECT_EQ(regions_.at(0, end, 0), reinterpret_cast<std::byte*>(memory_.data()) + end);
  EXPECT_DEATH(regions_.at(0, end, 1), "beyond the end of its region");
  EXPECT_DEATH(regions_.at(0, 8, ~std::uint64_t{0}), "beyond the end of its region");
  EXPECT_DEATH(regions_.at(1, 0, 0), "a region that is not there");
  regions_.remove(kRegion);
  EXPECT_DEATH(regions_.at(0, 0, 0), "a region that is not there");
}

TEST_F(MpiSides, OfALostRankNothingWaits) {
  Losses losses(calls_, to_owner_, asked_, kAsker, kRanks);
  Pending& pending = asker_.pending().open();
  const std::vector<std::byte> bytes(kInlineBytes + 1);
  EXPECT_EQ(asker_.put(pending, word(0), bytes.data(), bytes.size(), nullptr), 0);
  EXPECT_FALSE(losses.has_some());
  losses.note(Failure{1, 17});
  EXPECT_EQ(to_owner_.backlog(kOwner), 0U);
  EXPECT_TRUE(asked_.is_empty());
  EXPECT_TRUE(losses.has_some());
  EXPECT_TRUE(losses.status_of(Rank{2}));
  EXPECT_EQ(losses.status_of(kOwner).code, base::Code::lost);
  EXPECT_THAT(losses.status_of(kOwner).message, HasSubstr("rank 1 does not answer rank 0: No MPI: error 17"));
}

TEST_F(MpiSides, TheFirstLossIsTheOneThatIsToldOf) {
  Losses losses(calls_, to_owner_, asked_, kAsker, kRanks);
  losses.note(Rank{2}, "it was killed");
  losses.note(Rank{1}, "it was killed later");
  EXPECT_EQ(losses.first()->rank, Rank{2});
  EXPECT_EQ(losses.status_of(Rank{1}).message, "it was killed");
}

TEST_F(MpiSides, WhenMpiDoesNotSayWhoFailedNoRankCanBeReached) {
  Losses losses(calls_, to_owner_, asked_, kAsker, kRanks);
  losses.note(Failure{-1, 17});
  EXPECT_THAT(losses.status_of(Rank{2}).message, HasSubstr("MPI does not say which: No MPI: error 17"));
}

TEST_F(MpiSides, OnceThisRankHasLeftNoOtherIsLost) {
  Losses losses(calls_, to_owner_, asked_, kAsker, kRanks);
  losses.close();
  losses.note(Rank{2}, "it has ended");
  EXPECT_FALSE(losses.has(Rank{2}));
  EXPECT_FALSE(losses.has_some());
}

TEST(PendingTable, GivesTheNumberOfOneThatWasClosedAgain) {
  PendingTable table(2);
  Pending& first = table.open();
  const Pending& second = table.open();
  const std::uint16_t id = first.id();
  EXPECT_NE(id, second.id());
  table.close(first);
  EXPECT_EQ(table.find(id), nullptr);
  EXPECT_EQ(table.find(99), nullptr);
  const Pending& third = table.open();
  EXPECT_EQ(third.id(), id);
  EXPECT_EQ(table.find(id), &third);
  EXPECT_EQ(table.find(second.id()), &second);
}

}  // namespace
}  // namespace weir::transport::mpi
