// SPDX-License-Identifier: Apache-2.0

#include "apps/bddt/sizes.hpp"

namespace weir::apps::bddt {
namespace {

struct Named {
  const char* program;
  Size thesis, quarter, small;
};

// A quarter of a product is half of a tile's side squared less: tasks of tiles have a quarter of the elements. A block
// of rows of the Fourier transform is as high as its tiles, so that its quarter has half of the rows.
constexpr Named kNamed[] = {
    {"blackscholes", {2u << 20, 512}, {2u << 20, 128}, {1u << 13, 512}},
    {"matmul", {1024, 64}, {1024, 32}, {128, 32}},
    {"fft", {1024, 32}, {1024, 16}, {128, 32}},
    {"jacobi", {4096, 512, 16}, {4096, 256, 16}, {256, 64, 4}},
    {"cholesky", {2048, 128}, {2048, 64}, {128, 32}},
};

}  // namespace

const std::vector<std::string>& program_names() {
  static const std::vector<std::string> names = {"blackscholes", "matmul", "fft", "jacobi", "cholesky"};
  return names;
}

const std::vector<std::string>& size_names() {
  static const std::vector<std::string> names = {"thesis", "quarter", "small"};
  return names;
}

Size size_of(const std::string& program, const std::string& name) {
  for (const Named& named : kNamed) {
    if (program != named.program) continue;
    return name == "thesis" ? named.thesis : name == "quarter" ? named.quarter : named.small;
  }
  return {};
}

std::string fault_of(const Size& size) {
  if (size.tile == 0 || size.n == 0 || size.iterations == 0) return "n, tile and iterations are 1 and more";
  if (size.tile % 16 != 0) return "a tile is a multiple of 16, so that it begins and ends with a line of cache";
  if (size.n % size.tile != 0 || size.n / size.tile < 2) return "n is two whole tiles or more";
  return "";
}

}  // namespace weir::apps::bddt
