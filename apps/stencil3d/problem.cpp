// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

namespace weir::apps::stencil3d {
namespace {

using base::Code;
using base::Status;

constexpr Index kLargestExtent = 1'000'000;
constexpr double kLengthToWidth = 8;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

std::optional<Index> parse_extent(std::string_view text, Index side) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || value < side || value > kLargestExtent || value % side != 0) return std::nullopt;
  return value / side;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t x; (x = text.find('x')) != std::string_view::npos; text.remove_prefix(x + 1)) {
    parts.push_back(text.substr(0, x));
  }
  parts.push_back(text);
  return parts;
}

std::uint64_t bytes_of_block(Index side) {
  return static_cast<std::uint64_t>(side * side * side + 2 * kSides * side * side) * sizeof(double);
}

}  // namespace

std::uint64_t Shape::total_bytes() const { return static_cast<std::uint64_t>(block_count()) * bytes_of_block(side); }

double Shape::updates() const {
  return static_cast<double>(block_count() * interior_cells()) * static_cast<double>(iterations * sweeps);
}

std::string Shape::cells() const {
  return fmt::format("{}x{}x{}", blocks[0] * side, blocks[1] * side, blocks[2] * side);
}

Index neighbour(const Shape& shape, Index block, Side side) {
  const Index strides[] = {1, shape.blocks[0], shape.blocks[0] * shape.blocks[1]};
  const auto axis = size(side / 2);
  const Index at = block / strides[axis] % shape.blocks[axis];
  const Index there = side % 2 == 0 ? at - 1 : at + 1;
  return there < 0 || there >= shape.blocks[axis] ? -1 : block + (there - at) * strides[axis];
}

base::Result<std::array<Index, 3>> parse_blocks(const std::string& cells, Index side) {
  auto parts = parts_of(cells);
  if (parts.size() == 1) parts.assign(3, parts.front());
  std::array<Index, 3> blocks{};
  bool good = parts.size() == 3;
  for (std::size_t axis = 0; good && axis < 3; ++axis) {
    const auto extent = parse_extent(parts[axis], side);
    good = extent.has_value();
    blocks[axis] = extent.value_or(0);
  }
  if (good) return blocks;
  return Status{Code::bad_option, fmt::format("--size is N or NXxNYxNZ cells, each a multiple of the block's {} and at "
                                              "most {}, not '{}'",
                                              side, kLargestExtent, cells)};
}

std::array<Index, 3> blocks_for(std::uint64_t total_bytes, Index side) {
  const double count = static_cast<double>(total_bytes) / static_cast<double>(bytes_of_block(side));
  const Index width = std::max<Index>(1, std::lround(std::cbrt(count / kLengthToWidth)));
  const Index length = std::max<Index>(1, std::lround(count / static_cast<double>(width * width)));
  return {width, width, length};
}

void fill_interior(const Shape& shape, Index block, std::span<double> interior) {
  const Index side = shape.side;
  const Index x0 = block % shape.blocks[0] * side;
  const Index y0 = block / shape.blocks[0] % shape.blocks[1] * side;
  const Index z0 = block / (shape.blocks[0] * shape.blocks[1]) * side;
  // Triangle waves of periods that divide no block: exact in any order of evaluation, and different everywhere.
  const auto wave = [](Index at, Index period) {
    return static_cast<double>(std::abs(at % period - period / 2)) / static_cast<double>(period);
  };
  double* cell = interior.data();
  for (Index z = z0; z < z0 + side; ++z) {
    for (Index y = y0; y < y0 + side; ++y) {
      const double plane = wave(z, 146) + wave(y, 118);
      for (Index x = x0; x < x0 + side; ++x) *cell++ = plane + wave(x, 86);
    }
  }
}

void fill_border(Side side, std::span<double> face) { std::fill(face.begin(), face.end(), side == kZLow ? 1.0 : 0.0); }

void publish(const Shape& shape, std::span<const double> interior, Side side, std::span<double> face) {
  const Index n = shape.side;
  const Index edge = side % 2 == 0 ? 0 : n - 1;
  const double* u = interior.data();
  if (side == kZLow || side == kZHigh) {
    std::memcpy(face.data(), u + edge * n * n, size(n * n) * sizeof(double));
  } else if (side == kYLow || side == kYHigh) {
    for (Index z = 0; z < n; ++z) std::memcpy(&face[size(z * n)], u + (z * n + edge) * n, size(n) * sizeof(double));
  } else {
    for (Index row = 0; row < n * n; ++row) face[size(row)] = u[row * n + edge];
  }
}

std::uint64_t checksum(std::span<const double> interior) {
  // Four chains, because one would wait for its multiplications.
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15u;
  std::uint64_t chain[4] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < interior.size(); ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, &interior[i], sizeof bits);
    std::uint64_t& c = chain[i % 4];
    c = (c ^ bits) * kPrime;
    c ^= c >> 29;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t c : chain) sum = (sum ^ c) * kPrime;
  return sum;
}

}  // namespace weir::apps::stencil3d
