// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/data_ranges.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>

namespace weir::shmem {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uintptr_t kBase = 0x5555'0000'0000;

ElfW(Phdr) load(std::uintptr_t at, std::size_t in_file, std::size_t in_memory, unsigned flags) {
  ElfW(Phdr) header{};
  header.p_type = PT_LOAD;
  header.p_vaddr = at;
  header.p_filesz = in_file;
  header.p_memsz = in_memory;
  header.p_flags = flags;
  return header;
}

ElfW(Phdr) relro(std::uintptr_t at, std::size_t bytes) {
  ElfW(Phdr) header = load(at, bytes, bytes, PF_R);
  header.p_type = PT_GNU_RELRO;
  return header;
}

TEST(DataRanges, AreWholePagesOfWritableSegments) {
  const ElfW(Phdr) headers[] = {load(0, 0x800, 0x800, PF_R | PF_X), load(0x3d10, 0x400, 0x5000, PF_R | PF_W)};
  const auto ranges = writable_ranges(kBase, headers, kPage);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].begin, kBase + 0x3000);
  EXPECT_EQ(ranges[0].end, kBase + 0x9000);
  EXPECT_EQ(ranges[0].file_end, kBase + 0x5000);
  EXPECT_EQ(ranges[0].protection, PROT_READ | PROT_WRITE);
}

TEST(DataRanges, LeaveOutWhatIsReadOnlyAfterRelocation) {
  const ElfW(Phdr) headers[] = {load(0x3d10, 0x1400, 0x5000, PF_R | PF_W), relro(0x3d10, 0x2f0)};
  const auto ranges = writable_ranges(kBase, headers, kPage);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].begin, kBase + 0x4000);
  EXPECT_EQ(ranges[0].end, kBase + 0x9000);
}

TEST(ConstantRanges, AreWhatIsReadAndNotWritten) {
  const ElfW(Phdr) headers[] = {load(0, 0x800, 0x800, PF_R), load(0x1000, 0x234, 0x234, PF_R | PF_X),
                                load(0x3d10, 0x1400, 0x5000, PF_R | PF_W), relro(0x3d10, 0x2f0)};
  const auto ranges = constant_ranges(kBase, headers, kPage);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0].begin, kBase);
  EXPECT_EQ(ranges[0].end, kBase + 0x800);
  EXPECT_EQ(ranges[1].begin, kBase + 0x1000);
  EXPECT_EQ(ranges[1].end, kBase + 0x1234);
  EXPECT_EQ(ranges[2].begin, kBase + 0x3000);
  EXPECT_EQ(ranges[2].end, kBase + 0x4000);
}

TEST(DataRanges, KeepBothSidesOfAHoleAndAPartOfAPage) {
  const ElfW(Phdr) middle[] = {load(0x4000, 0x3000, 0x6000, PF_R | PF_W), relro(0x5000, 0x1000)};
  const auto two = writable_ranges(kBase, middle, kPage);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].begin, kBase + 0x4000);
  EXPECT_EQ(two[0].end, kBase + 0x5000);
  EXPECT_EQ(two[0].file_end, kBase + 0x5000);
  EXPECT_EQ(two[1].begin, kBase + 0x6000);
  EXPECT_EQ(two[1].file_end, kBase + 0x7000);
  // The dynamic linker protects whole pages only: the rest of the last one stays writable.
  const ElfW(Phdr) part[] = {load(0x4000, 0x3000, 0x3000, PF_R | PF_W), relro(0x4000, 0x1800)};
  EXPECT_EQ(writable_ranges(kBase, part, kPage)[0].begin, kBase + 0x5000);
}

TEST(DataRanges, SystemLibrariesAreThoseOfSystemFolders) {
  for (const char* const path : {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libfoo.so", "/lib64/ld-linux-x86-64.so.2",
                                 "linux-vdso.so.1", "", "/home/user/lib/libweir-shmem.so.0"})
    EXPECT_TRUE(is_system_library(path)) << path;
  for (const char* const path : {"/home/user/libphysics.so", "./libmine.so", "/opt/code/lib/libsolver.so.3"})
    EXPECT_FALSE(is_system_library(path)) << path;
}

long in_bss[3];
long in_data = 5;

TEST(DataRanges, OfThisProcessHaveItsVariablesAndNotTheStackOrTheCode) {
  const auto ranges = find_data_ranges();
  const auto is_in = [&](const void* address) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const DataRange& range) {
      const auto at = reinterpret_cast<std::uintptr_t>(address);
      return at >= range.begin && at < range.end;
    });
  };
  const int on_stack = 0;
  EXPECT_TRUE(is_in(&in_bss) && is_in(&in_data));
  EXPECT_FALSE(is_in(&on_stack) || is_in(reinterpret_cast<const void*>(&find_data_ranges)) || is_in(stdout));
}

}  // namespace
}  // namespace weir::shmem
