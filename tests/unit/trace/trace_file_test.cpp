// SPDX-License-Identifier: Apache-2.0

// What is in the file of a trace stays there when more cannot be added.
#include "trace/trace_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "temporary_path.hpp"

namespace weir::trace {
namespace {

std::string whole_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// As by ulimit -f.
class FileLimit {
 public:
  explicit FileLimit(std::size_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

base::Status run_one(TraceFile& file) {
  const base::Result<std::uint16_t> runtime = file.begin({});
  return runtime ? file.end(*runtime, "a summary") : runtime.status();
}

TEST(TraceFile, HasTheRuntimesBeforeOneThatThereIsNoRoomFor) {
  const TemporaryPath path;
  const auto file = TraceFile::open(path.file());
  ASSERT_TRUE(file) << file.status().message;
  ASSERT_TRUE(run_one(**file));
  ASSERT_TRUE(run_one(**file));
  const std::string before = whole_of(path.file());
  base::Status refused;
  for (const std::size_t room : {0u, 50u, 100u}) {
    {
      const FileLimit limit(before.size() + room);
      refused = run_one(**file);
    }
    EXPECT_FALSE(refused) << room;
    EXPECT_EQ(whole_of(path.file()), before) << room;
    EXPECT_EQ(path.files(), 1) << "a part is left";
  }
  EXPECT_TRUE(run_one(**file));
  EXPECT_GT(whole_of(path.file()).size(), before.size());
  EXPECT_EQ(path.files(), 1);
}

TEST(TraceFile, OfAsManyRuntimesAsItCanHaveRefusesAnotherAndStays) {
  const TemporaryPath path;
  const auto file = TraceFile::open(path.file());
  ASSERT_TRUE(file) << file.status().message;
  for (std::size_t i = 0; i < TraceFile::kMostRuntimes; ++i) ASSERT_TRUE((*file)->begin({}));
  for (std::uint16_t i = 2; i != 0; ++i) static_cast<void>((*file)->give_up(i, base::Status::success()));
  ASSERT_TRUE((*file)->end(1, "a summary"));
  const base::Result<std::uint16_t> refused = (*file)->begin({});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.status().message.find("the name of another file"), std::string::npos) << refused.status().message;
  EXPECT_TRUE(std::filesystem::exists(path.file()));
  EXPECT_EQ(path.files(), 1) << "a part is left";
}

}  // namespace
}  // namespace weir::trace
