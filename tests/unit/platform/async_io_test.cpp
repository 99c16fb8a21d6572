// SPDX-License-Identifier: Apache-2.0

#include "platform/async_io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include "io_support.hpp"

namespace weir::platform {
namespace {

using base::Code;
using testing::HasSubstr;

constexpr std::size_t kPiece = 16384;

std::unique_ptr<AsyncIo> engine(IoBackend backend, unsigned depth = 3) {
  auto io = open_async_io({.backend = backend, .depth = depth, .piece_bytes = kPiece});
  return io ? std::move(*io) : nullptr;
}

class AsyncIoTest : public testing::TestWithParam<IoBackend> {
 protected:
  void SetUp() override {
    if (io_ == nullptr) GTEST_SKIP() << "io_uring is forbidden here";
  }

  std::unique_ptr<AsyncIo> io_ = engine(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Backends, AsyncIoTest, testing::Values(IoBackend::uring, IoBackend::threads),
                         [](const auto& test) { return test.param == IoBackend::uring ? "uring" : "threads"; });

// One thread's part of the file, and what it has to hold.
void random_transfers(AsyncIo& io, int fd, std::size_t begin, std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> model(size), data(size);
  ASSERT_TRUE(transfer(io, fd, true, begin, model));
  for (int i = 0; i < 60; ++i) {
    const std::size_t at = random() % size;
    const auto part = std::span(data).subspan(at, 1 + random() % (size - at));
    const auto expected = std::span(model).subspan(at, part.size());
    const bool write = random() % 2 == 0;
    for (std::byte& byte : part) byte = static_cast<std::byte>(random());
    ASSERT_TRUE(transfer(io, fd, write, begin + at, part));
    if (write) std::copy(part.begin(), part.end(), expected.begin());
    ASSERT_TRUE(std::equal(part.begin(), part.end(), expected.begin())) << "transfer " << i << " of seed " << seed;
  }
}

TEST_P(AsyncIoTest, RandomTransfersFromSeveralThreadsAgreeWithAModel) {
  const TestFile file;
  constexpr std::size_t kPart = 150'001;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] { random_transfers(*io_, file.fd(), i * kPart, kPart, 7 + i); });
  }
}

TEST_P(AsyncIoTest, MoreRequestsThanFitInFlightAreAllAnswered) {
  const TestFile file;
  constexpr std::size_t kCount = 1000;
  std::vector<std::byte> data(kCount * 100);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * i);
  std::deque<Waited> requests(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    requests[i].set(file.fd(), true, i * 100, data.data() + i * 100, 100);
    requests[i].submit_to(*io_);
  }
  for (auto& request : requests) EXPECT_TRUE(request.wait());
  std::vector<std::byte> read(data.size());
  EXPECT_TRUE(transfer(*io_, file.fd(), false, 0, read));
  EXPECT_EQ(read, data);
}

TEST_P(AsyncIoTest, WaitsForEveryAnswerWhenItIsDestroyed) {
  const TestFile file;
  std::vector<std::byte> data(1 << 20);
  std::deque<Waited> requests(50);
  for (auto& request : requests) {
    request.set(file.fd(), true, 0, data.data(), data.size());
    request.submit_to(*io_);
  }
  io_.reset();
  for (auto& request : requests) {
    EXPECT_EQ(request.answers(), 1);
    EXPECT_TRUE(request.wait());
  }
}

struct Chain {
  AsyncIo& io;
  int left;
  Waited last;
};

void submit_again(IoRequest& request, const base::Status&) noexcept {
  auto& chain = *static_cast<Chain*>(request.user);
  --chain.left > 0 ? chain.io.submit(&request) : chain.io.submit(&chain.last.request);
}

TEST_P(AsyncIoTest, AnAnswerMaySubmitAgain) {
  const TestFile file;
  std::vector<std::byte> data(100);
  Chain chain{*io_, 200, {}};
  chain.last.set(file.fd(), true, 0, data.data(), data.size());
  IoRequest first{
      .fd = file.fd(), .data = data.data(), .bytes = data.size(), .write = true, .done = submit_again, .user = &chain};
  io_->submit(&first);
  EXPECT_TRUE(chain.last.wait());
  EXPECT_EQ(chain.left, 0);
}

TEST_P(AsyncIoTest, NothingToTransferSucceedsWithoutAFile) { EXPECT_TRUE(transfer(*io_, -1, false, 0, {})); }

TEST_P(AsyncIoTest, ReadsPastTheEndFailEvenWhenAllButOneByteIsThere) {
  const TestFile file;
  std::vector<std::byte> data(3 * kPiece);
  ASSERT_TRUE(transfer(*io_, file.fd(), true, 0, std::span(data).first(data.size() - 1)));
  Waited read(file.fd(), false, 0, data.data(), data.size());
  const auto status = read.submit_to(*io_).wait();
  EXPECT_EQ(status.code, Code::io_error);
  EXPECT_THAT(status.message, HasSubstr("read of 49152 bytes at offset 0"));
  EXPECT_EQ(read.request.error, kEndOfFile);
  EXPECT_EQ(read.request.transferred, 2 * kPiece);
}

TEST_P(AsyncIoTest, ReadsOfAnEmptyFileFail) {
  const TestFile file;
  std::vector<std::byte> data(1);
  Waited read(file.fd(), false, 1 << 20, data.data(), 1);
  EXPECT_FALSE(read.submit_to(*io_).wait());
  EXPECT_EQ(read.request.error, kEndOfFile);
}

TEST_P(AsyncIoTest, DirectTransfersNeedNoMoreThanAlignment) {
  const TestFile file(O_DIRECT);
  if (file.fd() < 0) GTEST_SKIP() << "no O_DIRECT in " << temporary_folder();
  const AlignedMemory written(5 * kPiece + 4096, 1), read(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) written.data()[i] = static_cast<std::byte>(i / 4096 + i % 251);
  EXPECT_TRUE(transfer(*io_, file.fd(), true, 8192, written.span()));
  EXPECT_TRUE(transfer(*io_, file.fd(), false, 8192, read.span()));
  EXPECT_TRUE(std::equal(read.span().begin(), read.span().end(), written.data()));
}

TEST_P(AsyncIoTest, DirectTransfersFromOddAddressesAreErrorsNotCrashes) {
  const TestFile file(O_DIRECT);
  if (file.fd() < 0) GTEST_SKIP() << "no O_DIRECT in " << temporary_folder();
  const AlignedMemory data(3 * kPiece);
  EXPECT_EQ(transfer(*io_, file.fd(), true, 1, data.span()).code, Code::io_error);
  EXPECT_EQ(transfer(*io_, file.fd(), true, 0, data.span().subspan(1, 4096)).code, Code::io_error);
}

TEST_P(AsyncIoTest, DirectReadsOfAFileWithAnOddEndFail) {
  const TestFile file(O_DIRECT);
  if (file.fd() < 0) GTEST_SKIP() << "no O_DIRECT in " << temporary_folder();
  ASSERT_EQ(ftruncate(file.fd(), 5000), 0);
  const AlignedMemory data(8192);
  Waited read(file.fd(), false, 0, data.data(), data.size());
  EXPECT_FALSE(read.submit_to(*io_).wait());
  EXPECT_EQ(read.request.error, kEndOfFile);
}

TEST_P(AsyncIoTest, AClosedDescriptorIsAnErrorOfTheRequestAlone) {
  const TestFile file;
  int closed;
  {
    const TestFile other;
    closed = other.fd();
  }
  std::vector<std::byte> data(5 * kPiece);
  Waited bad(closed, true, 0, data.data(), data.size());
  Waited good(file.fd(), true, 0, data.data(), data.size());
  bad.submit_to(*io_);
  good.submit_to(*io_);
  EXPECT_EQ(bad.wait().code, Code::io_error);
  EXPECT_EQ(bad.request.error, EBADF);
  EXPECT_TRUE(good.wait());
}

TEST_P(AsyncIoTest, AFullDeviceIsNoSpace) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  std::vector<std::byte> data(3 * kPiece);
  const auto status = transfer(*io_, full, true, 0, data);
  EXPECT_EQ(status.code, Code::no_space);
  EXPECT_THAT(status.message, HasSubstr("write of 49152 bytes"));
  close(full);
}

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_P(AsyncIoTest, AWriteThatGoesOnAfterAShortOneFindsWhatIsWrong) {
  const TestFile file;
  const FileSizeLimit limit(kPiece / 2 + 100);  // the kernel writes so many bytes, then says no, with SIGXFSZ
  std::vector<std::byte> data(kPiece);
  Waited write(file.fd(), true, 0, data.data(), data.size());
  EXPECT_EQ(write.submit_to(*io_).wait().code, Code::no_space);
  EXPECT_EQ(write.request.error, EFBIG);
  EXPECT_EQ(write.request.transferred, 0U);
}

TEST_P(AsyncIoTest, RegisteredMemoryIsReadAndWrittenLikeOther) {
  const TestFile file;
  const AlignedMemory memory(1 << 20, 3), plain(1 << 20);
  io_->register_memory(memory.span());
  for (int round = 0; round < 3; ++round) {
    std::fill(memory.span().begin(), memory.span().end(), static_cast<std::byte>(round));
    ASSERT_TRUE(transfer(*io_, file.fd(), true, 0, memory.span()));
    ASSERT_TRUE(transfer(*io_, file.fd(), false, 0, plain.span()));
    ASSERT_TRUE(std::equal(plain.span().begin(), plain.span().end(), memory.data()));
  }
  io_->forget_memory(memory.span());
  EXPECT_TRUE(transfer(*io_, file.fd(), true, 0, memory.span()));
}

TEST_P(AsyncIoTest, OptionsOutOfRangeAreNamed) {
  const auto pieces = open_async_io({.backend = GetParam(), .depth = 1, .piece_bytes = 100});
  EXPECT_EQ(pieces.status().code, Code::bad_option);
  EXPECT_THAT(pieces.status().message, HasSubstr("100 bytes"));
  EXPECT_EQ(open_async_io({.backend = GetParam(), .depth = 5000, .piece_bytes = 0}).status().code, Code::bad_option);
}

TEST(AsyncIo, ReportsWhatItDoes) {
  EXPECT_THAT(engine(IoBackend::threads)->report(), HasSubstr("threads: 3"));
  const auto io = engine(IoBackend::uring);
  if (io == nullptr) GTEST_SKIP() << "io_uring is forbidden here";
  EXPECT_THAT(io->report(), HasSubstr("io_uring: up to 3 pieces of 16 KiB in flight, 0 MiB of memory registered"));
}

}  // namespace
}  // namespace weir::platform
