// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/file_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>

namespace weir::shmem {

Mappings::Mappings() noexcept : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}

Mappings::~Mappings() {
  if (file_ >= 0) ::close(file_);
}

// -1: there is no more.
int Mappings::next_byte() noexcept {
  if (at_ == known_) {
    ssize_t got = -1;
    do {
      got = ::read(file_, bytes_.data(), bytes_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) has_failed_ = true;
    at_ = 0;
    known_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    if (known_ == 0) return -1;
  }
  return static_cast<unsigned char>(bytes_[at_++]);
}

// In hexadecimal; `byte` is what follows it.
std::uintptr_t Mappings::number(int& byte) noexcept {
  std::uintptr_t value = 0;
  for (byte = next_byte();; byte = next_byte()) {
    if (byte >= '0' && byte <= '9')
      value = value * 16 + static_cast<unsigned>(byte - '0');
    else if (byte >= 'a' && byte <= 'f')
      value = value * 16 + static_cast<unsigned>(byte - 'a' + 10);
    else
      return value;
  }
}

// A line is "begin-end rwxp ...".
bool Mappings::next(Mapping& found) noexcept {
  int byte = 0;
  found.begin = number(byte);
  if (byte != '-') return false;
  found.end = number(byte);
  found.protection = 0;
  while ((byte = next_byte()) >= 0 && byte != ' ') {
    if (byte == 'r') found.protection |= PROT_READ;
    if (byte == 'w') found.protection |= PROT_WRITE;
    if (byte == 'x') found.protection |= PROT_EXEC;
  }
  while (byte >= 0 && byte != '\n') byte = next_byte();
  return true;
}

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
