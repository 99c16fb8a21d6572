// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/file_mapping.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace weir::shmem {
namespace {

// How the page at the address is protected; -1: nothing is mapped there.
int protection_at(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  Mappings mappings;
  for (Mapping one; mappings.next(one);) {
    if (at >= one.begin && at < one.end) return one.protection;
  }
  return -1;
}

TEST(Mappings, TellHowEachPageIsProtected) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const memory =
      static_cast<std::byte*>(mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  ASSERT_EQ(mprotect(memory + 2 * page, page, PROT_READ), 0);
  EXPECT_TRUE(Mappings().is_known());
  EXPECT_EQ(protection_at(memory), PROT_READ | PROT_WRITE);
  EXPECT_EQ(protection_at(memory + 2 * page - 1), PROT_NONE);
  EXPECT_EQ(protection_at(memory + 2 * page), PROT_READ);
  EXPECT_EQ(protection_at(memory + 3 * page), PROT_READ | PROT_WRITE);
  EXPECT_EQ(protection_at(reinterpret_cast<const void*>(&protection_at)), PROT_READ | PROT_EXEC);
  munmap(memory, 4 * page);
  EXPECT_EQ(protection_at(memory + page), -1);
}

TEST(Mappings, AreToldInTheOrderOfTheirAddressesToTheEnd) {
  Mappings mappings;
  Mapping before, one;
  int told = 0;
  for (; mappings.next(one); before = one, ++told) {
    EXPECT_LE(before.end, one.begin);
    EXPECT_LT(one.begin, one.end);
  }
  EXPECT_GT(told, 5);
  EXPECT_FALSE(mappings.next(one));
}

}  // namespace
}  // namespace weir::shmem
