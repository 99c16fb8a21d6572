// SPDX-License-Identifier: Apache-2.0

#include "platform/faulty_io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "io_support.hpp"

namespace weir::platform {
namespace {

using Kind = IoFault::Kind;

std::unique_ptr<AsyncIo> plain() { return open_async_io({.backend = IoBackend::threads}).value(); }

TEST(FaultyIo, HitsTheRequestsThatItWasToldToAndNoOthers) {
  FaultyIo io(plain(), {{.write = true, .first = 2, .count = 2}});
  const TestFile file;
  std::byte byte{1};
  std::vector<int> errors;
  for (int i = 0; i < 5; ++i) {
    Waited write(file.fd(), true, 0, &byte, 1);
    const bool works{write.submit_to(io).wait()};
    EXPECT_EQ(works, write.request.error == 0);
    errors.push_back(write.request.error);
    EXPECT_EQ(write.request.bytes, 1U);
    EXPECT_TRUE(transfer(io, file.fd(), false, 0, {&byte, 1}));
  }
  EXPECT_THAT(errors, testing::ElementsAre(0, EIO, EIO, 0, 0));
  EXPECT_EQ(io.writes(), 5U);
  EXPECT_EQ(io.reads(), 5U);
}

TEST(FaultyIo, AShortTransferMovesTheFirstHalf) {
  FaultyIo io(plain(), {{.kind = Kind::short_transfer},
                        {.kind = Kind::short_transfer, .write = true, .first = 2, .error = ENOSPC}});
  const TestFile file;
  AlignedMemory ones(16384, 1), twos(16384, 2), read(16384);
  ASSERT_TRUE(transfer(io, file.fd(), true, 0, ones.span()));
  EXPECT_EQ(transfer(io, file.fd(), true, 0, twos.span()).code, base::Code::no_space);
  Waited end(file.fd(), false, 0, read.data(), read.size());
  EXPECT_EQ(end.submit_to(io).wait().code, base::Code::io_error);
  EXPECT_EQ(end.request.error, kEndOfFile);
  ASSERT_TRUE(transfer(io, file.fd(), false, 0, read.span()));
  EXPECT_EQ(read.data()[8191], std::byte{2});
  EXPECT_EQ(read.data()[8192], std::byte{1});
}

TEST(FaultyIo, ADelayedRequestIsAnsweredAfterLaterOnes) {
  FaultyIo io(plain(), {{.kind = Kind::delay, .write = true, .delay = std::chrono::milliseconds(20)}});
  const TestFile file;
  std::byte late{1}, early{2}, read{};
  Waited delayed(file.fd(), true, 0, &late, 1);
  delayed.submit_to(io);
  ASSERT_TRUE(transfer(io, file.fd(), true, 1, {&early, 1}));
  ASSERT_TRUE(delayed.wait());
  ASSERT_TRUE(transfer(io, file.fd(), false, 0, {&read, 1}));
  EXPECT_EQ(read, late);
}

TEST(FaultyIo, AnswersWhatItDelayedBeforeItEnds) {
  const TestFile file;
  std::byte byte{1};
  Waited delayed(file.fd(), true, 0, &byte, 1);
  {
    FaultyIo io(plain(), {{.kind = Kind::delay, .write = true, .delay = std::chrono::milliseconds(5)}});
    delayed.submit_to(io);
  }
  EXPECT_EQ(delayed.answers(), 1);
}

}  // namespace
}  // namespace weir::platform
