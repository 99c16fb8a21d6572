// SPDX-License-Identifier: Apache-2.0

#include "platform/crc32c.hpp"

#include <array>
#include <cstring>

namespace weir::platform {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // bit 31 is the coefficient of x^0, as in the checksum
constexpr std::size_t kSlices = 8;

using Table = std::array<std::array<std::uint32_t, 256>, kSlices>;

// [0][b]: of the byte b; [i][b]: of b with i bytes of zeros behind it.
constexpr Table make_table() {
  Table table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? (sum >> 1) ^ kPolynomial : sum >> 1;
    table[0][byte] = sum;
  }
  for (std::size_t i = 1; i < kSlices; ++i) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t sum = table[i - 1][byte];
      table[i][byte] = (sum >> 8) ^ table[0][sum & 0xff];
    }
  }
  return table;
}

constexpr Table kTable = make_table();

std::uint32_t word_at(const char* at) noexcept {
  std::uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | static_cast<unsigned char>(at[i]);
  return word;
}

std::uint32_t by_table(const char* at, std::size_t bytes, std::uint32_t sum) noexcept {
  for (; bytes >= kSlices; at += kSlices, bytes -= kSlices) {
    const std::uint32_t low = sum ^ word_at(at), high = word_at(at + 4);
    sum = kTable[7][low & 0xff] ^ kTable[6][low >> 8 & 0xff] ^ kTable[5][low >> 16 & 0xff] ^ kTable[4][low >> 24] ^
          kTable[3][high & 0xff] ^ kTable[2][high >> 8 & 0xff] ^ kTable[1][high >> 16 & 0xff] ^ kTable[0][high >> 24];
  }
  for (; bytes > 0; ++at, --bytes) sum = (sum >> 8) ^ kTable[0][(sum ^ static_cast<unsigned char>(*at)) & 0xff];
  return sum;
}

#if defined(__x86_64__)

[[gnu::target("sse4.2")]] std::uint32_t by_instruction(const char* at, std::size_t bytes, std::uint32_t sum) noexcept {
  std::uint64_t wide = sum;
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; bytes > 0; ++at, --bytes) narrow = __builtin_ia32_crc32qi(narrow, static_cast<unsigned char>(*at));
  return narrow;
}

bool has_instruction() noexcept {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}

#else

std::uint32_t by_instruction(const char* at, std::size_t bytes, std::uint32_t sum) noexcept {
  return by_table(at, bytes, sum);
}
bool has_instruction() noexcept { return false; }

#endif

}  // namespace

std::uint32_t crc32c_by_table(std::string_view text, std::uint32_t before) noexcept {
  return ~by_table(text.data(), text.size(), ~before);
}

std::uint32_t crc32c(std::string_view text, std::uint32_t before) noexcept {
  if (!has_instruction()) return crc32c_by_table(text, before);
  return ~by_instruction(text.data(), text.size(), ~before);
}

}  // namespace weir::platform
