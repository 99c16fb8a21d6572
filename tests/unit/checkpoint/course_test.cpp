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

TEST_F(Courses, ARankThatDoesNotReachTheFolderSaysSo) {
  const std::string own = folder_ + "/of rank 1";
  ASSERT_TRUE(fs::create_directory(own));
  const auto apart = Course::open({own, 0, "", 1, 2});
  ASSERT_TRUE(apart);
  ASSERT_TRUE(courses_[0]->begin());
  const auto image = (*apart)->open_image({});
  EXPECT_EQ(image.status().code, base::Code::io_error);
  EXPECT_EQ(image.status().message,
            own + "/next: rank 0 has made this folder, and this rank does not see it: give one that all ranks reach");
}

TEST_F(Courses, AnImageIsWrittenOverNoOther) {
  arrive();
  ASSERT_TRUE(courses_[0]->begin());
  write(0);
  write(1);
  EXPECT_THAT(courses_[1]->open_image({}).status().message, HasSubstr("next/image.1: cannot be written: File exists"));
  EXPECT_TRUE(courses_[0]->publish()) << "the one that was there is whole";
}

TEST_F(Courses, ARankThatHasMadeAnotherNumberOfRuntimesIsRefused) {
  courses_[1] = std::move(Course::open({folder_, 0, "", 1, 2}).value());  // its second
  ASSERT_TRUE(courses_[1]->variables().keep("number", &numbers_[1], sizeof(int)));
  arrive();
  ASSERT_TRUE(courses_[0]->begin());
  write(0);
  write(1);
  EXPECT_THAT(courses_[0]->publish().message, HasSubstr("rank 1 has spawned other tasks than rank 0 before wait 1"));
}

TEST_F(Courses, TheFolderCountsHoweverItIsSpelt) {
  arrive();
  ASSERT_TRUE(courses_[0]->begin());
  write(0);
  write(1);
  ASSERT_TRUE(courses_[0]->publish());
  EXPECT_TRUE((*Course::open({"", 0, folder_ + "/.", 2, 2}))->restarting());
  EXPECT_FALSE((*Course::open({"", 0, folder_ + "//", 2, 2}))->restarting()) << "its second";
}

// As a span that is empty names it, or an array without columns.
TEST_F(Courses, MemoryWithoutBytesNeedNotBeKept) {
  const double outside[3] = {};
  courses_[0]->note_written("empty", {outside, 0, 1, 0});
  courses_[0]->note_written("empty", {outside, 0, 3, sizeof *outside});
  courses_[0]->note_written("empty", {nullptr, 0, 1, 0});
  courses_[0]->note_written("empty", {outside, sizeof *outside, 0, 0});
  EXPECT_TRUE(courses_[0]->possible());
  courses_[0]->note_written("full", {outside, sizeof *outside, 1, 0});
  EXPECT_THAT(courses_[0]->possible().message, HasSubstr("task \"full\" writes 8 bytes of the program"));
}

// Of programs whose checkpoints are no points.
class Moments : public Courses {
 protected:
  Moments() {
    courses_.clear();
    for (std::uint32_t rank = 0; rank < 2; ++rank) courses_.push_back(open(rank));
  }
  std::unique_ptr<Course> open(std::uint32_t rank) const {
    return std::move(Course::open({folder_, 0, "", rank, 2, true}).value());
  }
  void begin(std::uint64_t moment) {
    ASSERT_TRUE(courses_[0]->begin());
    for (const auto& course : courses_) course->note_moment(moment);
  }
  void make(std::uint64_t moment) {
    begin(moment);
    write(0);
    write(1);
    ASSERT_TRUE(courses_[0]->publish());
  }
  base::Status past(std::uint32_t rank) const { return Past::open_each(folder_, {rank, 2}).status(); }
};

TEST_F(Moments, AnImageOfAnotherMomentIsNoPartOfTheCheckpoint) {
  make(5);
  begin(6);
  write(0);
  fs::copy_file(folder_ + "/checkpoint.1/image.1", folder_ + "/next/image.1");
  const base::Status status = courses_[0]->publish();
  EXPECT_EQ(status.code, base::Code::bad_input);
  EXPECT_EQ(status.message, folder_ + "/next/image.1: it is a part of another checkpoint");

  fs::copy_file(folder_ + "/checkpoint.1/image.1", folder_ + "/old");
  make(7);
  EXPECT_TRUE(past(1));
  fs::rename(folder_ + "/old", folder_ + "/checkpoint.2/image.1");
  EXPECT_TRUE(past(0));
  EXPECT_THAT(past(1).message, HasSubstr("checkpoint.2/image.1: it is a part of another checkpoint than"));
}

TEST_F(Moments, ARankReadsItsOwnImageAndAmongOthersAll) {
  make(5);
  const auto own = Past::open_each(folder_, {1, 2});
  ASSERT_TRUE(own);
  ASSERT_EQ(own->size(), 1U);
  EXPECT_EQ((*own)[0]->writer(), 1U);
  for (const Past::Reader& reader : {Past::Reader{0, 1}, {2, 3}}) {
    const auto all = Past::open_each(folder_, reader);
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ((*all)[0]->writer(), 0U);
    EXPECT_EQ((*all)[1]->writer(), 1U);
  }
  fs::remove(folder_ + "/checkpoint.1/image.0");
  EXPECT_TRUE(past(1));
  EXPECT_THAT(Past::open_each(folder_, {1, 3}).status().message, HasSubstr("checkpoint.1/image.0: cannot be read"));
}

TEST_F(Moments, ARankThatHasMissedAMomentTakesPartInTheNext) {
  courses_[0]->note_moment(5);
  make(6);
  EXPECT_TRUE(past(0));
  EXPECT_TRUE(past(1));
}

}  // namespace
}  // namespace weir::checkpoint
