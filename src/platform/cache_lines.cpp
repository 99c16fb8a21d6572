// SPDX-License-Identifier: Apache-2.0

#include "platform/cache_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <fstream>
#include <string>
#endif

namespace weir::platform {
namespace {

// Instruction::line() for each line, then Instruction::end(). Assembler, not intrinsics: those would have to be
// compiled for a processor that has them.
template <class Instruction>
void each_line(const void* data, std::size_t bytes) noexcept {
  const std::uintptr_t step = Instruction::step();
  const auto start = reinterpret_cast<std::uintptr_t>(data);
  for (std::uintptr_t at = start & ~(step - 1); at < start + bytes; at += step) {
    Instruction::line(reinterpret_cast<const std::byte*>(at));
  }
  Instruction::end();
}

#if defined(__x86_64__)

constexpr std::size_t kX86Line = 64;

struct X86 {
  static std::uintptr_t step() { return kX86Line; }
};
struct Clwb : X86 {
  static void line(const std::byte* at) { asm volatile("clwb %0" : : "m"(*at) : "memory"); }
  static void end() { asm volatile("sfence" : : : "memory"); }
};
// The full fence, also to write back: so that one instruction serves both.
struct Clflushopt : X86 {
  static void line(const std::byte* at) { asm volatile("clflushopt %0" : : "m"(*at) : "memory"); }
  static void end() { asm volatile("mfence" : : : "memory"); }
};
struct Clflush : X86 {
  static void line(const std::byte* at) { asm volatile("clflush %0" : : "m"(*at) : "memory"); }
  static void end() { asm volatile("mfence" : : : "memory"); }
};

std::vector<CacheLineInstructions> find_instructions() {
  constexpr unsigned kClflush = 1u << 19;                       // leaf 1, edx
  constexpr unsigned kClflushopt = 1u << 23, kClwb = 1u << 24;  // leaf 7, ebx
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool has_clflush = __get_cpuid(1, &a, &b, &c, &d) != 0 && (d & kClflush) != 0;
  b = 0;
  const unsigned more = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 ? b : 0;
  std::vector<CacheLineInstructions> found;
  if ((more & kClflushopt) != 0) {
    if ((more & kClwb) != 0) found.push_back({"clwb and clflushopt", each_line<Clwb>, each_line<Clflushopt>, kX86Line});
    found.push_back({"clflushopt", each_line<Clflushopt>, each_line<Clflushopt>, kX86Line});
  }
  if (has_clflush) found.push_back({"clflush", each_line<Clflush>, each_line<Clflush>, kX86Line});
  return found;
}

#elif defined(__aarch64__)

// Linux lets programs execute these; what CTR_EL0 says of the caches are powers of two, of words of four bytes.
std::uint64_t cache_type() {
  std::uint64_t type = 0;
  asm("mrs %0, ctr_el0" : "=r"(type));
  return type;
}

// The longest line of all caches, as the kernel knows it; 0: it does not say.
std::size_t longest_line_in_sysfs() {
  std::size_t longest = 0, bytes = 0;
  for (int i = 0;; ++i) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/coherency_line_size");
    if (!(file >> bytes)) return longest;
    longest = std::max(longest, bytes);
  }
}

// The most that a cache may write back at a time (CWG). Where the processor does not say, that is a line of its largest
// cache; where nobody says, the architecture has it be 2 KiB.
std::size_t largest_line() {
  constexpr std::size_t kUnknown = 2048;
  const std::uint64_t power = cache_type() >> 24 & 15;
  if (power != 0) return std::size_t{4} << power;
  const std::size_t longest = longest_line_in_sysfs();
  return longest == 0 ? kUnknown : longest;
}

struct Arm {
  // The smallest line of any cache (DminLine).
  static std::uintptr_t step() { return std::uintptr_t{4} << (cache_type() >> 16 & 15); }
  static void end() { asm volatile("dsb sy" : : : "memory"); }
};
struct Clean : Arm {
  static void line(const std::byte* at) { asm volatile("dc cvac, %0" : : "r"(at) : "memory"); }
};
struct CleanAndInvalidate : Arm {
  static void line(const std::byte* at) { asm volatile("dc civac, %0" : : "r"(at) : "memory"); }
};

std::vector<CacheLineInstructions> find_instructions() {
  return {{"dc cvac and dc civac", each_line<Clean>, each_line<CleanAndInvalidate>, largest_line()}};
}

#else

std::vector<CacheLineInstructions> find_instructions() { return {}; }

#endif

}  // namespace

std::span<const CacheLineInstructions> cache_line_instructions() {
  static const std::vector<CacheLineInstructions> kFound = find_instructions();
  return kFound;
}

}  // namespace weir::platform
