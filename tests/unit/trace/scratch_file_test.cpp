#include "platform/scratch_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "temporary_path.hpp"

namespace weir::platform {
namespace {

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ScratchFile, LeavesNothingInItsFolderUntilItIsPublished) {
  const trace::TemporaryPath path;
  {
    auto file = ScratchFile::create_for(path.file());
    ASSERT_TRUE(file) << file.status().message;
    ASSERT_TRUE(file->append("half a"));
    EXPECT_EQ(path.files(), 0);
  }
  EXPECT_EQ(path.files(), 0);
}

TEST(ScratchFile, PutsTheWholeInPlaceEachTimeItIsPublished) {
  const trace::TemporaryPath path;
  auto file = ScratchFile::create_for(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append("one"));
  ASSERT_TRUE(file->publish(path.file(), "."));
  EXPECT_EQ(contents(path.file()), "one.");
  ASSERT_TRUE(file->append(", two"));
  ASSERT_TRUE(file->publish(path.file(), "."));
  EXPECT_EQ(contents(path.file()), "one, two.");
  EXPECT_EQ(path.files(), 1);
}

TEST(ScratchFile, LeavesWhatWasPublishedAsItWasWhenMoreIsAppended) {
  const trace::TemporaryPath path;
  auto file = ScratchFile::create_for(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append("one"));
  ASSERT_TRUE(file->publish(path.file(), ", and a long end"));
  std::ifstream reader(path.file());
  ASSERT_TRUE(file->append(", two"));
  EXPECT_EQ(contents(path.file()), "one, and a long end");
  ASSERT_TRUE(file->publish(path.file(), "."));
  ASSERT_TRUE(file->publish(path.file(), "!"));
  EXPECT_EQ(contents(path.file()), "one, two!");
  std::ostringstream before;
  before << reader.rdbuf();
  EXPECT_EQ(before.str(), "one, and a long end");
}

TEST(ScratchFile, WritesThroughASymbolicLink) {
  const trace::TemporaryPath path;
  std::ofstream(path.folder() + "/real") << "before";
  std::filesystem::create_symlink("real", path.file());
  auto file = ScratchFile::create_for(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->publish(path.file(), "after"));
  EXPECT_TRUE(std::filesystem::is_symlink(path.file()));
  EXPECT_EQ(contents(path.folder() + "/real"), "after");
}

TEST(ScratchFile, SaysAtOnceThatAPathCannotBeWritten) {
  const trace::TemporaryPath path;
  const auto missing = ScratchFile::create_for(path.folder() + "/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.status().code, base::Code::io_error);
  EXPECT_NE(missing.status().message.find("/no/such/file: cannot be written: No such file"), std::string::npos);
  EXPECT_FALSE(ScratchFile::create_for(path.folder()));
}

TEST(ScratchFile, MapsWhatWasAppended) {
  const trace::TemporaryPath path;
  auto file = ScratchFile::create_for(path.file());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->map());
  EXPECT_TRUE(file->map()->empty());
  ASSERT_TRUE(file->append("some bytes"));
  const auto mapped = file->map();
  ASSERT_TRUE(mapped);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(mapped->data()), mapped->size()), "some bytes");
}

}  // namespace
}  // namespace weir::platform
