// SPDX-License-Identifier: Apache-2.0

// The files that a trace is made in: one without a name, and one that is a part until it is whole.
#include "platform/scratch_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/part_file.hpp"
#include "temporary_path.hpp"

namespace weir::platform {
namespace {

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

TEST(ScratchFile, LeavesNothingInItsFolder) {
  const trace::TemporaryPath path;
  auto file = ScratchFile::create_for(path.file());
  ASSERT_TRUE(file) << file.status().message;
  ASSERT_TRUE(file->append(bytes("half a")));
  EXPECT_EQ(path.files(), 0);
}

TEST(ScratchFile, GivesBackWhatWasAppended) {
  const trace::TemporaryPath path;
  auto file = ScratchFile::create_for(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(bytes("some ")));
  ASSERT_TRUE(file->append(bytes("bytes")));
  std::array<std::byte, 4> four;
  ASSERT_TRUE(file->read(3, four));
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(four.data()), 4), "e by");
  EXPECT_FALSE(file->read(8, four));
  file->forget(2);
  ASSERT_TRUE(file->read(4, four));
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(four.data()), 4), " byt");
}

TEST(ScratchFile, IsAppendedToWhereItWasShortened) {
  const trace::TemporaryPath path;
  auto file = ScratchFile::create_for(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(bytes("some bytes")));
  ASSERT_TRUE(file->shorten(5));
  EXPECT_EQ(file->size(), 5u);
  ASSERT_TRUE(file->append(bytes("thing")));
  std::array<std::byte, 10> all;
  ASSERT_TRUE(file->read(0, all));
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(all.data()), 10), "some thing");
}

TEST(ScratchFile, SaysAtOnceThatAPathCannotBeWritten) {
  const trace::TemporaryPath path;
  const auto missing = ScratchFile::create_for(path.folder() + "/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.status().code, base::Code::io_error);
  EXPECT_NE(missing.status().message.find("/no/such/file: cannot be written: No such file"), std::string::npos);
  EXPECT_FALSE(ScratchFile::create_for(path.folder()));
}

TEST(PartFile, LeavesTheFileAsItWasUntilItIsPublishedAndItsPartWhenItNeverIs) {
  const trace::TemporaryPath path;
  std::ofstream(path.file()) << "before";
  {
    auto file = PartFile::create(path.file());
    ASSERT_TRUE(file) << file.status().message;
    ASSERT_TRUE((*file)->append("half a"));
    EXPECT_EQ(contents(path.file()), "before");
  }
  EXPECT_EQ(contents(path.file()), "before");
  EXPECT_EQ(contents(path.file() + ".part"), "half a");
  auto again = PartFile::create(path.file());
  ASSERT_TRUE(again);
  ASSERT_TRUE((*again)->append("all"));
  ASSERT_TRUE((*again)->publish("."));
  EXPECT_EQ(contents(path.file()), "all.");
  EXPECT_EQ(path.files(), 1);
}

TEST(PartFile, GrowsAgainAfterItWasPublished) {
  const trace::TemporaryPath path;
  auto file = PartFile::create(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append("one"));
  ASSERT_TRUE((*file)->publish(", and a long end"));
  ASSERT_TRUE((*file)->reopen());
  EXPECT_FALSE(std::filesystem::exists(path.file()));
  ASSERT_TRUE((*file)->append(", two"));
  ASSERT_TRUE((*file)->publish("."));
  EXPECT_EQ(contents(path.file()), "one, two.");
  EXPECT_EQ(path.files(), 1);
}

TEST(PartFile, GrowsAgainThoughSomebodyHasTakenItAway) {
  const trace::TemporaryPath path;
  auto file = PartFile::create(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append("one"));
  ASSERT_TRUE((*file)->publish("."));
  std::filesystem::rename(path.file(), path.folder() + "/kept");
  std::ofstream(path.file()) << "somebody's";
  ASSERT_TRUE((*file)->reopen());
  EXPECT_EQ(contents(path.file()), "somebody's");
  ASSERT_TRUE((*file)->append(", two"));
  ASSERT_TRUE((*file)->publish("!"));
  EXPECT_EQ(contents(path.file()), "one, two!");
  EXPECT_EQ(contents(path.folder() + "/kept"), "one.");
}

TEST(PartFile, OfTwoThatAreWrittenAtOnceHasTwoNamesAndTheLastOneWins) {
  const trace::TemporaryPath path;
  auto one = PartFile::create(path.file());
  auto two = PartFile::create(path.file());
  ASSERT_TRUE(one && two);
  EXPECT_EQ(path.files(), 2);
  ASSERT_TRUE((*one)->append("one"));
  ASSERT_TRUE((*two)->append("two"));
  ASSERT_TRUE((*one)->publish(""));
  EXPECT_EQ(contents(path.file()), "one");
  ASSERT_TRUE((*two)->publish(""));
  EXPECT_EQ(contents(path.file()), "two");
  EXPECT_EQ(path.files(), 1);
}

TEST(PartFile, GoesAwayWhenItIsDiscarded) {
  const trace::TemporaryPath path;
  auto file = PartFile::create(path.file());
  ASSERT_TRUE(file);
  (*file)->discard();
  EXPECT_EQ(path.files(), 0);
}

TEST(PartFile, WritesThroughASymbolicLinkAndIntoWhatIsNoRegularFile) {
  const trace::TemporaryPath path;
  std::ofstream(path.folder() + "/real") << "before";
  std::filesystem::create_symlink("real", path.file());
  auto file = PartFile::create(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->publish("after"));
  EXPECT_TRUE(std::filesystem::is_symlink(path.file()));
  EXPECT_EQ(contents(path.folder() + "/real"), "after");
  auto null = PartFile::create("/dev/null");
  ASSERT_TRUE(null);
  ASSERT_TRUE((*null)->append("text"));
  EXPECT_TRUE((*null)->publish("."));
}

}  // namespace
}  // namespace weir::platform
