// SPDX-License-Identifier: Apache-2.0

// A checkpoint of more ranks than a process may have files open.
#include "checkpoint/past.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/folder.hpp"

namespace weir::checkpoint {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// So many files more than are open now.
class MoreFiles {
 public:
  explicit MoreFiles(std::size_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const auto open = std::distance(fs::directory_iterator("/proc/self/fd"), {});
    const rlimit limit{static_cast<rlim_t>(open) + more, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~MoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  MoreFiles(const MoreFiles&) = delete;
  MoreFiles& operator=(const MoreFiles&) = delete;

 private:
  rlimit before_{};
};

class PastsOfManyRanks : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kRanks = 100;
  static constexpr std::size_t kBytes = 3000;

  PastsOfManyRanks() {
    std::string name = ::testing::TempDir() + "weir_past_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    fs::create_directory(whole());
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const auto image = ImageWriter::create(image_in(whole(), rank), {{rank, kBytes, fmt::format("b[{}]", rank)}});
      (*image)->write(0, 0, contents_of(rank));
      if (!(*image)->finish({.rank = rank, .ranks = kRanks})) std::abort();
    }
    Record record;
    record.ranks = kRanks;
    if (!write_record(record_in(whole()), record)) std::abort();
  }
  ~PastsOfManyRanks() override { fs::remove_all(folder_); }

  std::string whole() const { return folder_ + "/checkpoint.1"; }
  static std::vector<std::byte> contents_of(std::uint32_t rank) {
    return std::vector<std::byte>(kBytes, static_cast<std::byte>(rank));
  }

  std::string folder_;
};

TEST_F(PastsOfManyRanks, AreReadWithFewFiles) {
  const MoreFiles few(8);
  auto past = Past::open(folder_);
  ASSERT_TRUE(past) << past.status().message;
  std::vector<Contents> claimed;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const auto contents = (*past)->claim(rank, fmt::format("b[{}]", rank), kBytes);
    ASSERT_TRUE(contents) << contents.status().message;
    claimed.push_back(*contents);
  }
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    std::vector<std::byte> read(kBytes), parts(kBytes);
    const base::Status status = claimed[rank].read_all(read);
    ASSERT_TRUE(status) << status.message;
    EXPECT_EQ(read, contents_of(rank));
    auto open = claimed[rank].open();
    ASSERT_TRUE(open) << open.status().message;
    ASSERT_TRUE(open->read(std::span(parts).first(1000)));
    EXPECT_THAT(open->check().message, HasSubstr("does not fit"));
    ASSERT_TRUE(open->read(std::span(parts).subspan(1000)));
    EXPECT_TRUE(open->check());
    EXPECT_EQ(parts, read);
  }
  EXPECT_TRUE((*past)->check_all_claimed());
}

TEST_F(PastsOfManyRanks, WhatIsGoneWhenItIsReadIsNamed) {
  const auto past = Past::open(folder_);
  ASSERT_TRUE(past) << past.status().message;
  const auto contents = (*past)->contents(7, "b[7]", kBytes);
  ASSERT_TRUE(contents) << contents.status().message;
  fs::remove(image_in(whole(), 7));
  std::vector<std::byte> read(kBytes);
  EXPECT_THAT(contents->read_all(read).message, HasSubstr("checkpoint.1/image.7: cannot be read: No such file"));
}

}  // namespace
}  // namespace weir::checkpoint
