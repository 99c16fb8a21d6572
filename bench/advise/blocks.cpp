// SPDX-License-Identifier: Apache-2.0

// advise_blocks PATTERN [BLOCKS [KIB [ROUNDS]]]: programs whose blocks want different settings, for agreement.py.
//
//   sweep    every block in order, again and again: what a cache of recent blocks never holds
//   hot      nine tasks of ten use a quarter of the blocks
//   compute  every block in order, sixteen times the arithmetic for a byte
//
// Options of the runtime are those of the environment. Prints a checksum, which does not depend on them; the exit
// status is 1 when it is wrong.
#include <weir/weir.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct Shape {
  std::size_t blocks = 64, elements = 1 << 17, rounds = 12;
};

void work(weir::View2D<double> block, int repeat) {
  double* const row = block.row(0);
  for (std::size_t i = 0; i < block.cols(); ++i) {
    double value = row[i];
    for (int r = 0; r < repeat; ++r) value = value * 0.5 + 1;  // 2 stays 2
    row[i] = value;
  }
}

// Which block a task uses: the same in every run.
std::size_t chosen(const std::string& pattern, std::size_t task, std::size_t blocks) {
  if (pattern != "hot") return task % blocks;
  const std::uint64_t mixed = (task + 1) * 0x9E3779B97F4A7C15u >> 32;
  const std::size_t hot = blocks / 4;
  return mixed % 10 != 0 ? (mixed / 10) % hot : hot + (mixed / 10) % (blocks - hot);
}

bool run(const std::string& pattern, Shape shape) {
  weir::Runtime runtime;
  weir::Array<double, 2> data(runtime, {shape.blocks, shape.elements}, {1, shape.elements}, pattern.c_str());
  for (std::size_t b = 0; b < shape.blocks; ++b)
    runtime.spawn(weir::out(data.tile(b, 0)), [](weir::View2D<double> block) {
      for (std::size_t i = 0; i < block.cols(); ++i) block.row(0)[i] = 2;
    });
  const int repeat = pattern == "compute" ? 16 : 1;
  for (std::size_t task = 0; task < shape.rounds * shape.blocks; ++task)
    runtime.spawn(weir::inout(data.tile(chosen(pattern, task, shape.blocks), 0)),
                  [repeat](weir::View2D<double> block) { work(block, repeat); });
  double sum = 0;
  for (std::size_t b = 0; b < shape.blocks; ++b)
    runtime.spawn(weir::in(data.tile(b, 0)), weir::inout(sum), [](weir::View2D<const double> block, double& total) {
      total += block.row(0)[0] + block.row(0)[block.cols() - 1];
    });
  runtime.wait();
  std::printf("%s: sum %g\n", pattern.c_str(), sum);
  return sum == 4.0 * static_cast<double>(shape.blocks);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string pattern = argc > 1 ? argv[1] : "";
  if (pattern != "sweep" && pattern != "hot" && pattern != "compute") {
    std::fprintf(stderr, "advise_blocks sweep|hot|compute [BLOCKS [KIB [ROUNDS]]]\n");
    return 2;
  }
  const auto number = [&](int index, std::size_t otherwise) {
    return argc > index ? std::strtoull(argv[index], nullptr, 10) : otherwise;
  };
  Shape shape;
  shape.blocks = number(2, shape.blocks);
  shape.elements = number(3, shape.elements / 128) * 128;
  shape.rounds = number(4, shape.rounds);
  if (shape.blocks < 8 || shape.elements == 0) {
    std::fprintf(stderr, "advise_blocks: at least 8 blocks of at least 1 KiB\n");
    return 2;
  }
  return run(pattern, shape) ? 0 : 1;
}
