// SPDX-License-Identifier: Apache-2.0

#include "island/segment.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "child.hpp"
#include "island/spread.hpp"
#include "platform/pages.hpp"

namespace weir::island {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class Segments : public testing::Test {
 protected:
  Segments() {
    std::string name = (std::filesystem::temp_directory_path() / "weir-segment-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Segments() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string make_file(std::size_t bytes, char content) const {
    std::ofstream(path("there")) << std::string(bytes, content);
    return path("there");
  }
  static std::string error_of(const Segment& segment) {
    const auto memory = map_segment(segment);
    return memory ? "no error" : memory.status().message;
  }

 private:
  std::filesystem::path folder_;
};

// What the kernel says of the mapping that begins there: its flags, "rd wr sh ...".
std::string flags_of(const void* start) {
  std::ifstream smaps("/proc/self/smaps");
  const std::string title = fmt::format("{:x}-", reinterpret_cast<std::uintptr_t>(start));
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    if (line.starts_with(title)) inside = true;
    if (inside && line.starts_with("VmFlags:")) return line;
  }
  return {};
}

TEST_F(Segments, MemoryWithoutANameWishesForLargePages) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) GTEST_SKIP() << "the kernel has no such pages";
  if (std::getenv("QEMU_LD_PREFIX") != nullptr) GTEST_SKIP() << "QEMU takes the advice and does nothing";
  const auto memory = map_segment({{4 * kMebibyte}, ""}).value();
  EXPECT_THAT(flags_of(memory->data()), HasSubstr(" hg"));
}

TEST_F(Segments, AFileThatIsMadeHasNoNameLeft) {
  const auto memory = map_segment({{kMebibyte}, path("new")}).value();
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  std::memset(memory->data(), 1, kMebibyte);
  struct stat found {};
  ASSERT_EQ(fstat(memory->descriptor(), &found), 0);
  EXPECT_EQ(static_cast<std::size_t>(found.st_size), kMebibyte);
}

TEST_F(Segments, AFileThatIsThereIsUsedAndStays) {
  const std::string file = make_file(kMebibyte, 'x');
  {
    const auto memory = map_segment({{kMebibyte / 2}, file}).value();
    EXPECT_EQ(memory->data()[0], std::byte{'x'});
    memory->data()[5] = std::byte{'y'};
  }
  std::ifstream written(file);
  std::string text(6, ' ');
  written.read(text.data(), 6);
  EXPECT_EQ(text, "xxxxxy");
}

TEST_F(Segments, WhatIsTooSmallIsRefusedWithBothSizes) {
  EXPECT_THAT(error_of({{3 * kMebibyte}, make_file(kMebibyte, 'x')}),
              AllOf(HasSubstr("3 MiB asked"), HasSubstr("1 MiB there")));
  // More than the file system has, so that a write would be a signal. QEMU notes each page that is mapped: it would
  // take some 20 GiB for them.
  if (std::getenv("QEMU_LD_PREFIX") != nullptr) return;
  struct stat device {};
  const std::string much = error_of({{std::uint64_t{1} << 42}, path("large")});
  EXPECT_TRUE(stat(path("large").c_str(), &device) != 0) << "the file is left";
  EXPECT_THAT(much, testing::AnyOf(AllOf(HasSubstr("MiB are needed"), HasSubstr("MiB free")),
                                   HasSubstr("File too large"), HasSubstr("Cannot allocate memory")));
}

TEST_F(Segments, WhatCannotBeMappedIsRefused) {
  EXPECT_THAT(error_of({{kMebibyte}, std::filesystem::temp_directory_path().string()}),
              HasSubstr("neither a file nor a device"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of({{kMebibyte}, path("pipe")}), HasSubstr("neither a file nor a device"));
  EXPECT_THAT(error_of({{kMebibyte}, "/dev/null"}), HasSubstr("no device of /dev/dax"));
  EXPECT_THAT(error_of({{kMebibyte}, path("no/such/folder")}), HasSubstr("cannot be made"));
}

// In a process whose mounts are its own, where that is allowed.
TEST_F(Segments, LargePagesAreThereOrAreMissedAtOnce) {
  constexpr int kNoMounts = 77;
  Child child([this] {
    const std::string folder = path("");
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.c_str(), "hugetlbfs", 0, nullptr) != 0)
      return kNoMounts;
    const auto memory = map_segment({{3 * kMebibyte}, path("large")});
    if (!memory) {
      std::fprintf(stderr, "%s\n", memory.status().message.c_str());
      return memory.status().message.find(" are free: ask for less") != std::string::npos ? 0 : 1;
    }
    std::memset((*memory)->data(), 1, 3 * kMebibyte);
    return (*memory)->size().count % (*memory)->granule() == 0 ? 0 : 2;
  });
  const int status = child.wait();
  if (status == kNoMounts) GTEST_SKIP() << "no hugetlbfs can be mounted here";
  EXPECT_EQ(status, 0);
}

std::string option_error(const char* nodes, int controllers, int stripe) {
  Options options;
  options.island_nodes = nodes;
  options.island_controllers = controllers;
  options.island_stripe = stripe;
  const auto segment = Segment::from(options);
  return segment ? "places " + std::to_string(segment->places) : segment.status().message;
}

TEST_F(Segments, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(option_error("", 0, 2048), "places 1");
  EXPECT_EQ(option_error("0,3,1", 3, 64), "places 3");
  EXPECT_EQ(option_error("", 4, 2048), "places 4");
  for (const char* const wrong : {"x", "0,", ",0", "0 1", "-1", "0,99999999999"})
    EXPECT_THAT(option_error(wrong, 0, 2048), HasSubstr("memory nodes' numbers")) << wrong;
  EXPECT_THAT(option_error("0,1", 4, 2048), HasSubstr("say two things"));
  EXPECT_THAT(option_error("", 0, 3000), AllOf(HasSubstr("a power of two"), HasSubstr("2048 or 4096")));
}

TEST_F(Segments, PagesAreOnTheNodesThatWereNamed) {
  const int node = 0;
  const auto memory = map_segment({{kMebibyte}, "", {node}, 1, kMebibyte / 4});
  if (!memory && memory.status().code == base::Code::unsupported) GTEST_SKIP() << memory.status().message;
  std::memset((*memory)->data(), 1, kMebibyte);
  const auto places = platform::places_of((*memory)->data(), {kMebibyte}, {&node, 1});
  if (!places) GTEST_SKIP() << places.status().message;
  EXPECT_EQ(places->elsewhere, 0u);
  EXPECT_GT(places->on_node, 0u);
  EXPECT_THAT(error_of({{kMebibyte}, "", {node, 1000}, 2, kMebibyte / 4}),
              AllOf(HasSubstr("stripe 1 of 256 KiB"), HasSubstr("NUMA node 1000")));
}

// ---- How parts lie ----

struct Shape {
  std::size_t part, stripe, places;
};

class Spreads : public testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, Spreads,
                         testing::Values(Shape{64, 4096, 4}, Shape{4096, 4096, 3}, Shape{3008, 8192, 4},
                                         Shape{4160, 4096, 2}, Shape{9 * 4096, 4096, 4}, Shape{12288, 4096, 2},
                                         Shape{640, 4096, 1}));

TEST_P(Spreads, PartsBeginAtPlacesInTurnAndDoNotMeet) {
  const auto [part, stripe, places] = GetParam();
  constexpr std::size_t kParts = 50;
  const detail::PartsLayout layout = spread(part, stripe, places);
  std::set<std::size_t> begins;
  std::size_t end = 0;
  for (std::size_t i = 0; i < kParts; ++i) {
    const std::size_t at = layout.offset_of(i);
    EXPECT_EQ(places > 1 ? at / stripe % places : i, places > 1 ? i % places : i);
    EXPECT_TRUE(places == 1 || part > stripe || at / stripe == (at + part - 1) / stripe) << i << " is on two places";
    begins.insert(at);
    end = std::max(end, at + part);
  }
  ASSERT_EQ(begins.size(), kParts);
  for (auto at = begins.begin(), next = std::next(at); next != begins.end(); ++at, ++next) EXPECT_GE(*next - *at, part);
  EXPECT_GE(bytes_of(layout, kParts), end);
  EXPECT_LE(end, kParts * part + (kParts + 1) * (places - 1) * stripe + kParts * stripe);
}

}  // namespace
}  // namespace weir::island
