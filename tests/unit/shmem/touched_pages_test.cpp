// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/touched_pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace weir::shmem {
namespace {

class TouchedPagesOf : public testing::Test {
 protected:
  static constexpr std::size_t kPages = 3000;  // more than are asked for at once
  const std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes_ = kPages * page_;
  std::byte* const from_ = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  const int file_ = memfd_create("test", MFD_CLOEXEC);
  const int made_ = ftruncate(file_, static_cast<off_t>(bytes_));
  std::byte* const to_ = map(MAP_SHARED, file_);
  const int other_file_ = memfd_create("other", MFD_CLOEXEC);
  const int other_made_ = ftruncate(other_file_, static_cast<off_t>(bytes_));
  const std::uintptr_t begin_ = reinterpret_cast<std::uintptr_t>(from_);

  std::byte* map(int flags, int file) const {
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, file, 0);
    madvise(memory, bytes_, MADV_NOHUGEPAGE);  // what is touched is one page
    return static_cast<std::byte*>(memory);
  }
  // How much memory the file has got.
  std::size_t pages_in_file() const {
    struct stat status {};
    fstat(file_, &status);
    return static_cast<std::size_t>(status.st_blocks) * 512 / page_;
  }
  void TearDown() override {
    munmap(from_, bytes_);
    munmap(to_, bytes_);
    close(file_);
    close(other_file_);
  }
};

TEST_F(TouchedPagesOf, PrivateMemoryAreCopiedAndOthersStayWithoutMemory) {
  from_[0] = from_[5 * page_ + 1] = from_[2999 * page_] = std::byte{7};
  from_[9 * page_] = std::byte{0};  // touched, and zero
  TouchedPages(begin_).copy({from_, bytes_}, to_);
  EXPECT_EQ(pages_in_file(), 3U);
  EXPECT_TRUE(to_[0] == std::byte{7} && to_[5 * page_ + 1] == std::byte{7} && to_[2999 * page_] == std::byte{7});
}

TEST_F(TouchedPagesOf, AFileAreCopiedThoughNobodyTouchedThem) {
  ASSERT_EQ(pwrite(other_file_, "xy", 2, static_cast<off_t>(2 * page_)), 2);
  const std::byte* const mapped = map(MAP_PRIVATE, other_file_);
  TouchedPages touched(reinterpret_cast<std::uintptr_t>(mapped) + 4 * page_);
  EXPECT_EQ(touched.untouched({mapped, bytes_}), 0U);
  touched.copy({mapped, bytes_}, to_);
  EXPECT_EQ(to_[2 * page_], std::byte{'x'});
  EXPECT_EQ(pages_in_file(), 1U) << "zeros of the file need no memory";
}

TEST_F(TouchedPagesOf, MemoryEndARunOfUntouchedOnes) {
  from_[100 * page_] = std::byte{1};
  TouchedPages touched(begin_);
  EXPECT_EQ(touched.untouched({from_, bytes_}), 100 * page_);
  EXPECT_EQ(touched.untouched({from_ + 100 * page_, 7 * page_}), 0U);
  EXPECT_EQ(touched.untouched({from_ + 101 * page_, 7 * page_}), 7 * page_);
  EXPECT_EQ(touched.untouched({from_ + 101 * page_, bytes_ - 101 * page_}), 2048 * page_) << "what one look tells";
  from_[101 * page_] = std::byte{1};
  EXPECT_EQ(touched.untouched({from_ + 101 * page_, 7 * page_}), 0U) << "each call looks anew";
}

TEST_F(TouchedPagesOf, AFileOfMemoryEndARunOfUntouchedOnes) {
  to_[300 * page_] = std::byte{9};
  EXPECT_EQ(untouched(file_, 0, bytes_), 300 * page_);
  EXPECT_EQ(untouched(file_, 0, 5 * page_), 5 * page_);
  EXPECT_EQ(untouched(file_, 300 * page_, page_), 0U);
  EXPECT_EQ(untouched(file_, 301 * page_, 7 * page_), 7 * page_);
  EXPECT_EQ(untouched(-1, 0, page_), 0U) << "unknown counts as touched";
}

TEST_F(TouchedPagesOf, AFileOfMemoryAreCopiedFromAnyPlaceInIt) {
  to_[2 * page_] = to_[300 * page_] = to_[599 * page_ + 5] = std::byte{9};
  ASSERT_TRUE(copy_touched(file_, 2 * page_, {from_, bytes_ - 2 * page_}));
  EXPECT_EQ(from_[0], std::byte{9});
  EXPECT_EQ(from_[298 * page_], std::byte{9});
  EXPECT_EQ(from_[597 * page_ + 5], std::byte{9});
  EXPECT_EQ(pages_in_file(), 3U) << "what is read gets no memory";
  EXPECT_TRUE(copy_touched(file_, 3 * page_, {from_, page_})) << "nothing there";
  EXPECT_FALSE(copy_touched(-1, 0, {from_, page_}));
}

// As one that is cut off meanwhile: a file of the kernel's, of which less can be read than its size.
TEST_F(TouchedPagesOf, AFileThatEndsEarlyAreNotCopiedWhateverErrorWasBefore) {
  const int file = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
  if (file < 0 || lseek(file, 0, SEEK_HOLE) < 4096) GTEST_SKIP() << "no such file here";
  errno = EINTR;
  EXPECT_FALSE(copy_touched(file, 0, {from_, 4096}));
  close(file);
}

}  // namespace
}  // namespace weir::shmem
