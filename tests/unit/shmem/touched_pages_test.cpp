// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/touched_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

namespace weir::shmem {
namespace {

class TouchedPages : public testing::Test {
 protected:
  static constexpr std::size_t kPages = 600;  // more than are asked for at once
  const std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes_ = kPages * page_;
  std::byte* const from_ = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  const int file_ = memfd_create("test", MFD_CLOEXEC);
  const int made_ = ftruncate(file_, static_cast<off_t>(bytes_));
  std::byte* const to_ = map(MAP_SHARED, file_);

  std::byte* map(int flags, int file) const {
    return static_cast<std::byte*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, file, 0));
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
  }
};

TEST_F(TouchedPages, AreCopiedAndOthersStayWithoutMemory) {
  from_[0] = from_[5 * page_ + 1] = from_[599 * page_] = std::byte{7};
  from_[9 * page_] = std::byte{0};  // touched, and zero
  copy_touched({from_, bytes_}, to_, reinterpret_cast<std::uintptr_t>(from_));
  EXPECT_EQ(pages_in_file(), 3U);
  EXPECT_TRUE(to_[0] == std::byte{7} && to_[5 * page_ + 1] == std::byte{7} && to_[599 * page_] == std::byte{7});
}

TEST_F(TouchedPages, OfTheFileAreAllCopied) {
  copy_touched({from_, bytes_}, to_, reinterpret_cast<std::uintptr_t>(from_) + 4 * page_);
  EXPECT_EQ(pages_in_file(), 4U);
}

TEST_F(TouchedPages, OfAFileOfMemoryAreCopiedFromAnyPlaceInIt) {
  to_[2 * page_] = to_[300 * page_] = to_[599 * page_ + 5] = std::byte{9};
  ASSERT_TRUE(copy_touched(file_, 2 * page_, {from_, bytes_ - 2 * page_}));
  EXPECT_EQ(from_[0], std::byte{9});
  EXPECT_EQ(from_[298 * page_], std::byte{9});
  EXPECT_EQ(from_[597 * page_ + 5], std::byte{9});
  EXPECT_EQ(pages_in_file(), 3U) << "what is read gets no memory";
  EXPECT_TRUE(copy_touched(file_, 3 * page_, {from_, page_})) << "nothing there";
  EXPECT_FALSE(copy_touched(-1, 0, {from_, page_}));
}

}  // namespace
}  // namespace weir::shmem
