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

TEST(DataRanges, EndWithTheLastVariableWhereTheLibrarysAreAmongThem) {
  const ElfW(Phdr) headers[] = {load(0x4000, 0x1000, 0x5120, PF_R | PF_W)};
  const DataRange range = writable_ranges(0, headers, kPage)[0];
  EXPECT_EQ(range.last, 0x9120U);
  EXPECT_EQ(range.size_with({0x4040, 0x4f40}), 0x5120U);
  EXPECT_EQ(range.size_with({0x4000, 0x4f40}), 0x5120U) << "the program has none that are initialised";
  EXPECT_EQ(range.size_with({0x8f40, 0x9120}), 0x5120U) << "the program has none that are zero at first";
  EXPECT_EQ(range.size_with({0x1000, 0x2000}), range.size()) << "of another segment";
  EXPECT_EQ(range.size_with({0, 0}), range.size()) << "it is not known where they are";
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
  for (const char* const path :
       {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libfoo.so", "/lib64/ld-linux-x86-64.so.2"})
    EXPECT_TRUE(is_in_system_folder(path)) << path;
  for (const char* const path :
       {"/home/user/libphysics.so", "./libmine.so", "/opt/code/lib/libsolver.so.3", "libmine.so"})
    EXPECT_FALSE(is_in_system_folder(path)) << path;
}

TEST(DataRanges, LibrariesOfWeirAreThoseOfItsNames) {
  for (const char* const path : {"/home/user/lib/libweir-shmem.so.0", "libweir.so.0", "/x/libweir-transport-mpich.so"})
    EXPECT_TRUE(is_weir_library(path)) << path;
  for (const char* const path : {"/home/user/libweirdapp.so", "/libweir-shmem/libapp.so", "libapp.so"})
    EXPECT_FALSE(is_weir_library(path)) << path;
}

// A library as the dynamic linker sees it, with one symbol that it uses and one that it defines.
struct Library {
  explicit Library(ElfW(Half) section_of_first) {
    symbols[1].st_name = 1;
    symbols[1].st_shndx = section_of_first;
    dynamic[0].d_tag = DT_SYMTAB;
    dynamic[0].d_un.d_ptr = reinterpret_cast<ElfW(Addr)>(symbols);
    dynamic[1].d_tag = DT_STRTAB;
    dynamic[1].d_un.d_ptr = reinterpret_cast<ElfW(Addr)>(names);
    dynamic[2].d_tag = DT_GNU_HASH;
    dynamic[2].d_un.d_ptr = reinterpret_cast<ElfW(Addr)>(hash);
    header.p_type = PT_DYNAMIC;
    header.p_vaddr = reinterpret_cast<ElfW(Addr)>(dynamic) - kLoadedAt;
  }
  bool calls() const { return calls_routines(kLoadedAt, {&header, 1}); }

  static constexpr std::uintptr_t kLoadedAt = 0x1000;
  char names[24] = "\0shmem_long_put";
  ElfW(Sym) symbols[3]{};
  std::uint32_t hash[4] = {1, 2, 1, 0};  // the first that it defines is symbol 2
  ElfW(Dyn) dynamic[4]{};                // the last says that there is no more
  ElfW(Phdr) header{};
};

TEST(DataRanges, ALibraryThatCallsRoutinesIsTheProgramsWhereverItIs) {
  Library library(SHN_UNDEF);
  EXPECT_TRUE(library.calls());
  library.names[1] = 'z';
  EXPECT_FALSE(library.calls());
  EXPECT_FALSE(Library(5).calls()) << "what it defines it does not call";
  library.header.p_type = PT_LOAD;
  EXPECT_FALSE(library.calls()) << "it has no symbols";
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
