// SPDX-License-Identifier: Apache-2.0

// Ranks that write a checkpoint together, without tasks: when it is valid.
#include "checkpoint/course.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weir::checkpoint {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Courses : public ::testing::Test {
 protected:
  Courses() {
    std::string name = ::testing::TempDir() + "weir_course_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      auto course = Course::open({folder_, 0, "", rank, 2});
      courses_.push_back(std::move(course.value()));
      EXPECT_TRUE(courses_[rank]->variables().keep("number", &numbers_[rank], sizeof(int)));
    }
  }
  ~Courses() override { fs::remove_all(folder_); }

  // One wait later.
  void arrive() {
    for (const auto& course : courses_) {
      course->note_task("step");
      ASSERT_TRUE(course->arrive());
    }
  }
  void write(std::uint32_t rank) {
    const std::string contents = "contents of rank " + std::to_string(rank);
    auto image = courses_[rank]->open_image({{rank, contents.size(), "block " + std::to_string(rank)}});
    ASSERT_TRUE(image) << image.status().message;
    (*image)->write(0, 0, std::as_bytes(std::span(contents)));
    ASSERT_TRUE(courses_[rank]->finish_image(**image));
  }

  std::string folder_;
  int numbers_[2] = {};
  std::vector<std::unique_ptr<Course>> courses_;
};

TEST_F(Courses, ACheckpointIsValidOnceAllHaveWritten) {
  arrive();
  ASSERT_TRUE(courses_[0]->begin());
  write(0);
  EXPECT_THAT(courses_[0]->publish().message, HasSubstr("image.1: cannot be read"));
  EXPECT_THAT(Past::open(folder_).status().message, HasSubstr("only one that was being written"));
  write(1);
  ASSERT_TRUE(courses_[0]->publish());
  const auto past = Past::open(folder_);
  ASSERT_TRUE(past) << past.status().message;
  EXPECT_EQ((*past)->record().at.point, 1U);
  const auto contents = (*past)->claim(1, "block 1", 18);
  ASSERT_TRUE(contents) << contents.status().message;
  std::string read(18, ' ');
  ASSERT_TRUE(contents->read_all(std::as_writable_bytes(std::span(read))));
  EXPECT_EQ(read, "contents of rank 1");
  EXPECT_THAT((*past)->check_all_claimed().message, HasSubstr("it has block \"block 0\" of 18 bytes, which this run"));
}

TEST_F(Courses, AnImageOfTheCheckpointBeforeIsNoPartOfTheNext) {
  arrive();
  ASSERT_TRUE(courses_[0]->begin());
  write(0);
  write(1);
  ASSERT_TRUE(courses_[0]->publish());
  arrive();
  ASSERT_TRUE(courses_[0]->begin());
  write(0);
  fs::copy_file(folder_ + "/checkpoint.1/image.1", folder_ + "/next/image.1");
  EXPECT_THAT(courses_[0]->publish().message, HasSubstr("rank 1 has spawned other tasks than rank 0 before wait 2"));
  EXPECT_EQ((*Past::open(folder_))->record().at.point, 1U);
}

TEST_F(Courses, VariablesThatDifferFromRankToRankAreRefused) {
  arrive();
  numbers_[1] = 5;
  ASSERT_TRUE(courses_[0]->begin());
  write(0);
  write(1);
  const base::Status status = courses_[0]->publish();
  EXPECT_EQ(status.code, base::Code::unsupported);
  EXPECT_THAT(status.message, HasSubstr("have other values on rank 1 than on rank 0 at wait 1"));
}

}  // namespace
}  // namespace weir::checkpoint
