// SPDX-License-Identifier: Apache-2.0

#include "memory/shared_backing.hpp"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "../platform/denied_calls.hpp"
#include "base/sanitizers.hpp"
#include "memory/arena.hpp"
#include "sizes.hpp"

namespace weir::memory {
namespace {

using Source = SharedBacking::Source;
using testing::HasSubstr;

std::string unique_name() { return "/weir_shared_test." + std::to_string(getpid()); }
std::string unique_path() { return std::filesystem::temp_directory_path().string() + unique_name(); }

SharedBacking::Config config_of(Source source, std::size_t bytes = kMiB) {
  SharedBacking::Config config;
  config.source = source;
  config.size = {bytes};
  if (source == Source::posix) config.name = unique_name();
  if (source == Source::file) config.name = unique_path();
  return config;
}

std::unique_ptr<SharedBacking> opened(const SharedBacking::Config& config) {
  auto backing = SharedBacking::open(config);
  EXPECT_TRUE(backing) << backing.status().message;
  return std::move(*backing);
}

// What `body` returns in a forked child.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_peer(const std::string& how, const std::string& what) {
  return in_child([&] {
    execl(WEIR_SHARED_PEER, "shared_peer", how.c_str(), what.c_str(), nullptr);
    return 127;
  });
}

std::uint64_t& number_at(const SharedBacking& backing, std::size_t index) {
  return reinterpret_cast<std::uint64_t*>(backing.data())[index];
}

class EverySource : public testing::TestWithParam<Source> {};

TEST_P(EverySource, IsZerosThatForkedProcessesShareAtOneAddress) {
  const auto backing = opened(config_of(GetParam(), 3 * kMiB + 5));
  EXPECT_EQ(backing->size().count, 3 * kMiB + 4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(backing->data()) % (2 * kMiB), 0u);
  EXPECT_EQ(backing->kind(), BackingKind::shared);
  EXPECT_EQ(number_at(*backing, 1000), 0u);
  EXPECT_EQ(in_child([&] {
              number_at(*backing, 1000) = 7;
              return 0;
            }),
            0);
  EXPECT_EQ(number_at(*backing, 1000), 7u);
}

TEST_P(EverySource, PopulatesWithoutLosingWhatIsThereAndReleasesForAll) {
  const auto backing = opened(config_of(GetParam()));
  number_at(*backing, 3) = 5;
  ASSERT_TRUE(backing->populate(0, kMiB));
  EXPECT_EQ(number_at(*backing, 3), 5u);
  unsigned char there[kMiB / 4096];
  ASSERT_EQ(mincore(backing->data(), kMiB, there), 0);
  const int in_memory = std::getenv("QEMU_LD_PREFIX") == nullptr ? 1 : 0;  // QEMU takes the advice and does nothing
  for (const unsigned char page : there) EXPECT_GE(page & 1, in_memory);
  EXPECT_EQ(in_child([&] {
              backing->release(0, 4096);
              return 0;
            }),
            0);
  EXPECT_EQ(number_at(*backing, 3), 0u);
}

TEST_P(EverySource, CarriesAnArena) {
  ArenaConfig config;
  config.name = "symmetric";
  config.budget = {8 * kMiB};
  auto arena = Arena::make(config, opened(config_of(GetParam(), 8 * kMiB)));
  ASSERT_TRUE(arena) << arena.status().message;
  const std::uint64_t block = (*arena)->allocate(5 * kMiB), small = (*arena)->allocate(100);
  ASSERT_NE((*arena)->address(block), nullptr);
  EXPECT_EQ(in_child([&] {
              std::memset((*arena)->address(block), 1, 5 * kMiB);
              std::memset((*arena)->address(small), 2, 100);
              return 0;
            }),
            0);
  EXPECT_EQ((*arena)->address(block)[5 * kMiB - 1], std::byte{1});
  EXPECT_EQ((*arena)->address(small)[99], std::byte{2});
  EXPECT_EQ((*arena)->allocate(4 * kMiB), Arena::kNowhere);
}

TEST_P(EverySource, SaysWhenThereIsNoSuchSpace) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
    const auto backing = SharedBacking::open(config_of(GetParam(), bytes));
    ASSERT_FALSE(backing);
    EXPECT_EQ(backing.status().code, base::Code::no_space) << backing.status().message;
    EXPECT_THAT(backing.status().message, HasSubstr("shared memory "));
  }
}

std::string name_of(const testing::TestParamInfo<Source>& info) {
  const char* const names[] = {"Inherited", "Memfd", "Posix", "File"};
  return names[static_cast<std::size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(SharedBacking, EverySource,
                         testing::Values(Source::inherited, Source::memfd, Source::posix, Source::file), name_of);

TEST(SharedBacking, LiesAtAMultipleOfAnyPowerOfTwoByTheByteThatIsAskedFor) {
  SharedBacking::Config config = config_of(Source::memfd, 6 * kMiB);
  config.alignment = {64 * kMiB, 4 * kMiB};
  const auto backing = opened(config);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(backing->data() + 4 * kMiB) % (64 * kMiB), 0U);
  number_at(*backing, 0) = 7;
  const auto other = SharedBacking::attach(dup(backing->descriptor()), "again", {32 * kMiB, 2 * kMiB});
  ASSERT_TRUE(other);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*other)->data() + 2 * kMiB) % (32 * kMiB), 0U);
  EXPECT_EQ(number_at(**other, 0), 7U);
}

TEST(SharedBacking, LiesAsItCanWhereThereAreNoAddressesForAnAlignment) {
  SharedBacking::Config config = config_of(Source::memfd);
  config.alignment = {std::uint64_t{1} << 62, 0};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(opened(config)->data()) % (2 * kMiB), 0U);
}

TEST(SharedBacking, AnotherProgramFindsItByName) {
  for (const Source source : {Source::posix, Source::file}) {
    const auto config = config_of(source);
    const auto backing = opened(config);
    number_at(*backing, 0) = 41;
    number_at(*backing, kMiB / 8 - 1) = 99;
    EXPECT_EQ(run_peer(source == Source::posix ? "posix" : "file", config.name), 0);
    EXPECT_EQ(number_at(*backing, 0), 42u);
    EXPECT_EQ(number_at(*backing, kMiB / 8 - 1), 100u);
  }
}

TEST(SharedBacking, AnotherProgramMapsADescriptorThatItInherits) {
  const auto backing = opened(config_of(Source::memfd));
  number_at(*backing, 12) = 1;
  const int inherited = dup(backing->descriptor());
  EXPECT_EQ(run_peer("descriptor", std::to_string(inherited)), 0);
  close(inherited);
  EXPECT_EQ(number_at(*backing, 12), 2u);
}

TEST(SharedBacking, TheNameIsGoneWithTheProcessThatMadeItAndNotWithItsChildren) {
  const auto config = config_of(Source::file);
  auto backing = opened(config);
  EXPECT_EQ(in_child([&] {
              backing.reset();
              return std::filesystem::exists(config.name) ? 0 : 1;
            }),
            0);
  backing.reset();
  EXPECT_FALSE(std::filesystem::exists(config.name));
}

TEST(SharedBacking, NeverTakesAFileThatIsThere) {
  const std::string path = unique_path();
  std::ofstream(path) << "precious";
  const auto backing = SharedBacking::open(config_of(Source::file));
  ASSERT_FALSE(backing);
  EXPECT_EQ(backing.status().code, base::Code::bad_option);
  EXPECT_EQ(std::filesystem::file_size(path), 8u);
  std::filesystem::remove(path);
}

TEST(SharedBacking, AttachingNeedsSomethingLargeEnough) {
  auto config = config_of(Source::posix);
  config.create = false;
  EXPECT_EQ(SharedBacking::open(config).status().code, base::Code::not_found);
  const auto backing = opened(config_of(Source::posix));
  config.size = {2 * kMiB};
  const auto larger = SharedBacking::open(config);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.status().code, base::Code::no_space);
  EXPECT_THAT(larger.status().message, HasSubstr("2 MiB asked, 1 MiB there"));
}

TEST(SharedBacking, ADeviceThatIsNoneOfDaxIsAnError) {
  SharedBacking::Config config;
  config.source = Source::dax;
  config.name = "/dev/null";
  const auto backing = SharedBacking::open(config);
  ASSERT_FALSE(backing);
  EXPECT_EQ(backing.status().code, base::Code::bad_option);
  EXPECT_THAT(backing.status().message, HasSubstr("/dev/null: it is no device of /dev/dax"));
  config.name = "/dev/dax99.99";
  EXPECT_EQ(SharedBacking::open(config).status().code, base::Code::not_found);
}

TEST(SharedBacking, TheLimitOnFileSizesIsAnErrorAndNoSignal) {
  EXPECT_EQ(in_child([] {
              const rlimit small{4096, 4096};
              setrlimit(RLIMIT_FSIZE, &small);
              const auto backing = SharedBacking::open(config_of(Source::memfd));
              return !backing && backing.status().code == base::Code::no_space ? 0 : 1;
            }),
            0);
}

TEST(SharedBacking, MemoryThatASandboxRefusesIsNotANameInUse) {
  test::expect_well_without({SYS_memfd_create}, EPERM, [] {
    SharedBacking::Config config = config_of(Source::memfd);
    config.name = "weir tiers";
    const std::string message = SharedBacking::open(config).status().message;
    return message ==
                   "shared memory weir tiers: cannot be made by memfd_create(), which a container's seccomp profile "
                   "may forbid: Operation not permitted"
               ? 0
               : 1;
  });
}

TEST(SharedBacking, TheLimitOnAddressesIsNamed) {
  if (base::kUnderSanitizer || std::getenv("QEMU_LD_PREFIX") != nullptr)
    GTEST_SKIP() << "a sanitizer has addresses of its own, and QEMU keeps no limit of them";
  EXPECT_EQ(test::ended_with([] {
              const rlimit limit{kGiB, kGiB};
              if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
              const base::Status status = SharedBacking::open(config_of(Source::memfd, 2 * kGiB)).status();
              if (status.code != base::Code::no_space) return 2;
              return status.message.ends_with("Cannot allocate memory (ulimit -v is 1 GiB)") ? 0 : 3;
            }),
            0);
}

}  // namespace
}  // namespace weir::memory
