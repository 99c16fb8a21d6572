// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/file_mapping.hpp"

#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace weir::shmem {

bool is_mapped_at(std::uintptr_t address, int descriptor, std::uint64_t offset) {
  struct stat file {};
  if (fstat(descriptor, &file) != 0) return false;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0, at = 0, number = 0;  // of the file: its inode, which no other memory file has
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx %*s %lu", &begin, &end, &at, &number) != 4) continue;
    if (address < begin || address >= end) continue;
    return number == file.st_ino && at + (address - begin) == offset;
  }
  return false;
}

}  // namespace weir::shmem
