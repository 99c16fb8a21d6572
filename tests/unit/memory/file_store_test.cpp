// SPDX-License-Identifier: Apache-2.0

#include "memory/file_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>
#include <semaphore>
#include <thread>

#include "../platform/denied_calls.hpp"
#include "../platform/io_support.hpp"
#include "platform/faulty_io.hpp"
#include "sizes.hpp"

namespace weir::memory {
namespace {

using base::Code;
using platform::AlignedMemory;
using platform::temporary_folder;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

std::unique_ptr<platform::AsyncIo> engine(std::vector<platform::IoFault> faults = {}) {
  auto io = platform::open_async_io({.piece_bytes = 65536}).value();
  return std::make_unique<platform::FaultyIo>(std::move(io), std::move(faults));
}

base::Status transfer(FileStore& store, bool write, Range extent, const AlignedMemory& memory, std::string_view block) {
  struct Answer {
    std::binary_semaphore there{0};
    base::Status status;
  };
  const auto answer = std::make_unique<Answer>();
  FileTransfer moved;
  moved.range = extent;
  moved.memory = memory.data();
  moved.bytes = memory.size();
  moved.write = write;
  moved.block = block;
  moved.user = answer.get();
  moved.done = [](FileTransfer& ended, const base::Status& status) noexcept {
    auto& to = *static_cast<Answer*>(ended.user);
    to.status = status;
    to.there.release();
  };
  store.start(moved);
  answer->there.acquire();
  return answer->status;
}

class FileStoreTest : public testing::Test {
 protected:
  // Eight blocks fill it, and every other one leaves: half of it is free, in pieces of a MiB.
  static std::vector<Range> leave_pieces(FileStore& store, const AlignedMemory& block) {
    std::vector<Range> all;
    for (int i = 0; i < 8; ++i) {
      all.push_back(store.reserve(kMiB, "piece").value());
      EXPECT_TRUE(transfer(store, true, all.back(), block, "piece"));
    }
    std::vector<Range> left;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % 2 == 0)
        store.free(all[i]);
      else
        left.push_back(all[i]);
    }
    return left;
  }
  static std::uint64_t on_disk(const FileStore& store) {
    struct stat file {};
    fstat(store.descriptor(), &file);
    return static_cast<std::uint64_t>(file.st_blocks) * 512;
  }

  std::unique_ptr<FileStore> open(std::uint64_t capacity, std::vector<platform::IoFault> faults = {}) {
    return open_at(temporary_folder(), capacity, std::move(faults)).value();
  }
  base::Result<std::unique_ptr<FileStore>> open_at(const std::string& path, std::uint64_t capacity = kMiB,
                                                   std::vector<platform::IoFault> faults = {}) {
    engines_.push_back(engine(std::move(faults)));
    return FileStore::open({path, Bytes{capacity}}, *engines_.back());
  }
  ~FileStoreTest() override { fs::remove(path_); }

  const std::string path_ = temporary_folder() + "/weir_file_store_test." + std::to_string(getpid());
  std::deque<std::unique_ptr<platform::AsyncIo>> engines_;
};

TEST_F(FileStoreTest, BlocksOfSeveralThreadsComeBackAsTheyWere) {
  const auto store = open(16 * kMiB);
  const auto visit = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Range> extents;
    std::deque<AlignedMemory> blocks;
    for (int i = 0; i < 20; ++i) {
      blocks.emplace_back(1 + random() % 150'000, static_cast<int>(random()));
      extents.push_back(store->reserve(blocks.back().size(), "a").value());
      ASSERT_TRUE(transfer(*store, true, extents.back(), blocks.back(), "a"));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const AlignedMemory read(blocks[i].size());
      ASSERT_TRUE(transfer(*store, false, extents[i], read, "a"));
      ASSERT_TRUE(std::equal(read.span().begin(), read.span().end(), blocks[i].data())) << "seed " << seed;
      store->free(extents[i]);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 4; ++i) threads.emplace_back(visit, i);
  }
  EXPECT_EQ(store->used(), 0U);
  EXPECT_LE(store->peak(), 16 * kMiB);
}

TEST_F(FileStoreTest, TheCapacityIsExactAndWhatDoesNotFitIsNamed) {
  const auto store = open(2 * kMiB + 5);
  EXPECT_EQ(store->capacity(), 2 * kMiB);
  const auto all = store->reserve(2 * kMiB, "all");
  ASSERT_TRUE(all);
  const auto more = store->reserve(1, "A[3]");
  EXPECT_EQ(more.status().code, Code::no_space);
  EXPECT_THAT(more.status().message, AllOf(HasSubstr("file tier " + temporary_folder()), HasSubstr("block 'A[3]'"),
                                           HasSubstr("2 MiB of 2 MiB in use")));
  store->free(*all);
  EXPECT_TRUE(store->reserve(1, "A[3]"));
}

TEST_F(FileStoreTest, SpaceIsOnTheDiskOnceItIsReserved) {
  const auto store = open(8 * kMiB);
  ASSERT_TRUE(store->reserve(8 * kMiB, "a"));
  struct stat file {};
  ASSERT_EQ(fstat(store->descriptor(), &file), 0);
  EXPECT_EQ(file.st_size, 8 * kMiB);
}

TEST_F(FileStoreTest, MoreThanTheDiskHasIsRefusedAtOnceWithBothNumbers) {
  const auto store = open_at(temporary_folder(), std::uint64_t{1} << 60);
  EXPECT_EQ(store.status().code, Code::no_space);
  EXPECT_THAT(store.status().message, AllOf(HasSubstr("TiB asked"), HasSubstr("free there")));
}

// ramfs, in a process whose mounts are its own.
TEST_F(FileStoreTest, ASystemThatDoesNotSayHowLargeItIsGivesWhatIsAsked) {
  constexpr int kNoMounts = 76;
  const std::string folder = temporary_folder() + "/weir-ramfs-XXXXXX";
  std::string name = folder;
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const int end = test::ended_with([&] {
    const bool own = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    if (!own || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", name.c_str(), "ramfs", 0, nullptr) != 0)
      return kNoMounts;
    const auto store = open_at(name, 8 * kMiB);
    if (!store || !(*store)->reserve(8 * kMiB, "a")) return 1;
    const auto most = open_at(name, 0);
    return !most && most.status().message.find("say how much the tier may have") != std::string::npos ? 0 : 2;
  });
  fs::remove_all(name);
  if (end == kNoMounts) GTEST_SKIP() << "no ramfs can be mounted here";
  EXPECT_EQ(end, 0);
}

TEST_F(FileStoreTest, WithoutACapacityItTakesMostOfWhatIsFree) {
  const auto free = fs::space(temporary_folder()).available;
  const auto capacity = open(0)->capacity();
  EXPECT_GT(capacity, free / 2);
  EXPECT_LT(capacity, free);
}

TEST_F(FileStoreTest, AFullDiskIsKnownWhenABlockIsReserved) {
  const auto store = open(8 * kMiB);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{4 * kMiB, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_TRUE(store->reserve(3 * kMiB, "a"));
  const auto refused = store->reserve(2 * kMiB, "b");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(refused.status().code, Code::no_space);
  EXPECT_THAT(refused.status().message,
              AllOf(HasSubstr("block 'b' of 2097152 bytes at offset 3145728"), HasSubstr("give the tier less")));
  EXPECT_EQ(store->used(), 3 * kMiB);
  EXPECT_TRUE(store->reserve(2 * kMiB, "b")) << "there is room again";
}

TEST_F(FileStoreTest, FreeRoomInPiecesIsRoomForOneLargeBlockAndTheDiskHoldsNoMoreThanTheCapacity) {
  constexpr std::uint64_t kOfTheFileSystem = 64 << 10;  // its own, for where the pieces are
  const auto store = open(8 * kMiB);
  const AlignedMemory piece(kMiB, 1), large(4 * kMiB, 2), read(kMiB), read_large(4 * kMiB);
  const std::vector<Range> left = leave_pieces(*store, piece);
  const auto range = store->reserve(4 * kMiB, "large");
  ASSERT_TRUE(range) << range.status().message;
  ASSERT_TRUE(transfer(*store, true, *range, large, "large"));
  EXPECT_FALSE(store->reserve(1, "more")) << "the capacity is exact all the same";
  EXPECT_LE(on_disk(*store), 8 * kMiB + kOfTheFileSystem);
  for (const Range one : left) {
    ASSERT_TRUE(transfer(*store, false, one, read, "piece"));
    EXPECT_TRUE(std::equal(read.span().begin(), read.span().end(), piece.data()));
    store->free(one);
  }
  ASSERT_TRUE(transfer(*store, false, *range, read_large, "large"));
  EXPECT_TRUE(std::equal(read_large.span().begin(), read_large.span().end(), large.data()));
  store->free(*range);
  EXPECT_LE(on_disk(*store), kOfTheFileSystem);
  EXPECT_EQ(store->used(), 0U);
  EXPECT_EQ(store->peak(), 8 * kMiB);
}

TEST_F(FileStoreTest, WhatWasPunchedIsOnTheDiskAgainWhenItIsReserved) {
  const auto store = open(8 * kMiB);
  const AlignedMemory piece(kMiB, 1), read(kMiB);
  leave_pieces(*store, piece);
  const auto beyond = store->reserve(2 * kMiB, "large");
  ASSERT_TRUE(beyond);
  const std::uint64_t before = on_disk(*store);
  const auto again = store->reserve(kMiB, "again");
  ASSERT_TRUE(again);
  EXPECT_LT(again->offset, store->capacity());
  EXPECT_GE(on_disk(*store), before + kMiB);
  ASSERT_TRUE(transfer(*store, true, *again, piece, "again"));
  ASSERT_TRUE(transfer(*store, false, *again, read, "again"));
  EXPECT_TRUE(std::equal(read.span().begin(), read.span().end(), piece.data()));
}

TEST_F(FileStoreTest, AFileSystemWithoutHolesIsNamedWhenFreeRoomIsInPieces) {
  engines_.push_back(engine());
  const auto store = FileStore::open({temporary_folder(), Bytes{8 * kMiB}, false}, *engines_.back()).value();
  const AlignedMemory piece(kMiB, 1);
  leave_pieces(*store, piece);
  const auto refused = store->reserve(2 * kMiB, "large");
  EXPECT_EQ(refused.status().code, Code::no_space);
  EXPECT_THAT(refused.status().message,
              AllOf(HasSubstr("4 MiB of 8 MiB in use, the largest hole has 1048576 bytes"),
                    HasSubstr("its file system cannot punch holes"), HasSubstr("give the tier more")));
  EXPECT_TRUE(store->reserve(kMiB, "small"));
}

TEST_F(FileStoreTest, ALimitOnTheLengthOfFilesIsNamedWhenFreeRoomIsInPieces) {
  const auto store = open(8 * kMiB);
  const AlignedMemory piece(kMiB, 1);
  leave_pieces(*store, piece);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{8 * kMiB, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const auto refused = store->reserve(2 * kMiB, "large");
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(refused.status().code, Code::no_space);
  EXPECT_THAT(refused.status().message, HasSubstr("the file may be no longer (ulimit -f)"));
  EXPECT_EQ(store->used(), 4 * kMiB);
  EXPECT_TRUE(store->reserve(2 * kMiB, "large"));
}

TEST_F(FileStoreTest, ANewFileHasNoNameWhileItIsUsed) {
  const auto store = open_at(path_);
  ASSERT_TRUE(store);
  EXPECT_FALSE(fs::exists(path_));
  const AlignedMemory block(100'000, 5);
  const auto extent = (*store)->reserve(block.size(), "a");
  EXPECT_TRUE(transfer(**store, true, *extent, block, "a"));
}

TEST_F(FileStoreTest, AFileWithSomethingInItIsLeftAlone) {
  std::ofstream(path_) << "precious";
  const auto store = open_at(path_);
  EXPECT_EQ(store.status().code, Code::bad_option);
  EXPECT_THAT(store.status().message, HasSubstr("a file with 8 bytes is there, and is left alone"));
  EXPECT_EQ(fs::file_size(path_), 8U);
}

TEST_F(FileStoreTest, AnEmptyFileKeepsItsNameAndIsEmptyAgainAtTheEnd) {
  std::ofstream{path_};
  {
    const auto store = open_at(path_);
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->reserve(100, "a"));
    EXPECT_GT(fs::file_size(path_), 0U);
    const auto second = open_at(path_);
    EXPECT_EQ(second.status().code, Code::bad_option);
    EXPECT_THAT(second.status().message, HasSubstr("another program uses it"));
  }
  EXPECT_EQ(fs::file_size(path_), 0U);
}

TEST_F(FileStoreTest, WithoutLocksAFileThatIsThereIsRefusedAndANewOneIsNot) {
  std::ofstream{path_};
  test::expect_well_without({SYS_flock}, ENOLCK, [&] {
    const base::Status there = open_at(path_).status();
    if (there.code != Code::unsupported) return 1;
    if (there.message.find("its file system has no locks (No locks available)") == std::string::npos) return 2;
    return open_at(path_ + ".new") ? 0 : 3;
  });
}

TEST_F(FileStoreTest, PathsThatCannotHoldAFileAreErrorsThatNameThem) {
  EXPECT_EQ(open_at("/dev/null").status().code, Code::bad_option);
  const auto nowhere = open_at("/no/such/folder/file");
  EXPECT_EQ(nowhere.status().code, Code::not_found);
  EXPECT_THAT(nowhere.status().message, HasSubstr("/no/such/folder/file"));
  EXPECT_FALSE(open_at("/proc"));
}

TEST_F(FileStoreTest, AFileThatOthersShortenIsAnErrorAndNeverZeros) {
  const auto store = open(4 * kMiB);
  const AlignedMemory block(kMiB, 1), read(kMiB, 2);
  const auto first = store->reserve(kMiB, "first"), rest = store->reserve(3 * kMiB, "last");
  ASSERT_TRUE(transfer(*store, true, *first, block, "first"));
  ASSERT_EQ(ftruncate(store->descriptor(), 0), 0);
  const auto status = transfer(*store, false, *first, read, "first");
  EXPECT_EQ(status.code, Code::io_error);
  EXPECT_THAT(status.message, AllOf(HasSubstr("reading block 'first', 1048576 bytes at offset 0"),
                                    HasSubstr("the file has become shorter")));
  EXPECT_FALSE(transfer(*store, true, {rest->offset + 2 * kMiB, kMiB}, block, "last"));
  ASSERT_EQ(ftruncate(store->descriptor(), 4 * kMiB), 0);
  EXPECT_FALSE(transfer(*store, false, *first, read, "first")) << "long enough again, but with zeros";
}

TEST_F(FileStoreTest, AnExtentThatIsMappedShowsWhatWasTransferredAndTheOtherWayRound) {
  const auto store = open(4 * kMiB);
  static_cast<void>(store->reserve(kMiB, "other"));
  const auto extent = store->reserve(100'000, "block");
  const AlignedMemory ones(100'000, 1), twos(100'000, 2), read(100'000);
  for (const AlignedMemory* written : {&ones, &twos}) {
    ASSERT_TRUE(transfer(*store, true, *extent, *written, "block"));
    const auto mapped = store->map(*extent, "block");
    ASSERT_TRUE(mapped) << mapped.status().message;
    ASSERT_TRUE(store->touch(*mapped, *extent, "block"));
    EXPECT_EQ((*mapped)[99'999], written->data()[99'999]);
    (*mapped)[50'000] = std::byte{7};
    FileStore::unmap(*mapped, *extent);
    ASSERT_TRUE(transfer(*store, false, *extent, read, "block"));
    EXPECT_EQ(read.data()[50'000], std::byte{7});
    EXPECT_EQ(read.data()[50'001], written->data()[50'001]);
  }
}

TEST_F(FileStoreTest, AnExtentOfAFileThatOthersShortenIsAnErrorBeforeItIsUsed) {
  const auto store = open(4 * kMiB);
  const auto extent = store->reserve(kMiB, "block");
  ASSERT_EQ(ftruncate(store->descriptor(), 0), 0);
  const auto mapped = store->map(*extent, "block");
  ASSERT_TRUE(mapped) << mapped.status().message;
  const base::Status status = store->touch(*mapped, *extent, "block");
  EXPECT_EQ(status.code, Code::io_error);
  EXPECT_THAT(status.message, AllOf(HasSubstr("using block 'block' in place, 1048576 bytes at offset 0, failed"),
                                    HasSubstr("the file has become shorter")));
  FileStore::unmap(*mapped, *extent);
}

TEST_F(FileStoreTest, AnErrorOfTheDiskNamesFileBlockAndOffsetAndHarmsNoOtherBlock) {
  const auto store = open(4 * kMiB, {{.first = 2}, {.write = true, .first = 3, .error = ENOSPC}});
  const AlignedMemory ones(5000, 1), read(5000);
  const auto a = store->reserve(5000, "A[0]"), b = store->reserve(5000, "A[1]");
  ASSERT_TRUE(transfer(*store, true, *a, ones, "A[0]"));
  ASSERT_TRUE(transfer(*store, true, *b, ones, "A[1]"));
  ASSERT_TRUE(transfer(*store, false, *a, read, "A[0]"));
  const auto failed = transfer(*store, false, *b, read, "A[1]");
  EXPECT_EQ(failed.code, Code::io_error);
  EXPECT_EQ(failed.message, "file tier " + temporary_folder() +
                                ": reading block 'A[1]', 5000 bytes at offset 8192, failed: Input/output error; look "
                                "for the disk's errors in the kernel's log, or name a place on another disk");
  EXPECT_EQ(transfer(*store, true, *a, ones, "A[0]").code, Code::no_space);
  EXPECT_TRUE(transfer(*store, false, *b, read, "A[1]"));
  EXPECT_TRUE(std::equal(read.span().begin(), read.span().end(), ones.data()));
}

TEST_F(FileStoreTest, AShortReadIsAnError) {
  const auto store = open(kMiB, {{.kind = platform::IoFault::Kind::short_transfer}});
  const AlignedMemory block(100'000, 1);
  const auto extent = store->reserve(block.size(), "a");
  ASSERT_TRUE(transfer(*store, true, *extent, block, "a"));
  EXPECT_EQ(transfer(*store, false, *extent, block, "a").code, Code::io_error);
}

}  // namespace
}  // namespace weir::memory
