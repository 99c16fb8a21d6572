// SPDX-License-Identifier: Apache-2.0

// A Parallel Research Kernel (github.com/ParRes/Kernels) as tiles of work, and what each tile reads and writes.
//
// Every way to make work parallel runs these tiles, so the algorithm stands here once: the same machine code in every
// runner. An iteration is a sequence of phases, each a grid of tiles; a loop with barriers runs them one after the
// other, tasks by what the tiles read and write. Tiles of one phase may run at the same time, but in a wavefront, where
// tile (r, c) comes after (r-1, c) and (r, c-1).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace weir::prk {

// One tile of a phase.
struct Tile {
  int phase = 0, row = 0, column = 0;
};

struct Grid {
  int rows = 1, columns = 1;
  bool wavefront = false;
};

// What stands for the memory of a group of tiles: the first element of the first. Tasks are ordered by these, in every
// runtime that orders tasks by what they touch.
using Token = double;

// At most so many tiles are read by one, beside what it writes.
inline constexpr int kMostReads = 5;

struct Touched {
  Token* written[2] = {nullptr, nullptr};  // null: nothing
  const Token* read[kMostReads] = {};
  int writes = 0, reads = 0;

  void write(Token& token) { written[writes++] = &token; }
  void look(const Token& token) { read[reads++] = &token; }
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual int phases() const = 0;
  virtual Grid grid(int phase) const = 0;
  virtual void run(Tile tile) = 0;
  // What a group of tiles touches: `first` and those that follow it in its row, `grain` in all or up to the row's end.
  // The columns of groups begin at multiples of the grain, which is the same for all of them.
  virtual Touched touched(Tile first, int grain) = 0;

  // The phases whose rows are best made into tasks together, one row of phase p lagging `p * lag()` rows, so that what
  // one leaves in a cache the next finds there; 0: phase after phase.
  virtual int lag() const { return 0; }

  // Writes the arrays for the first time, part by part as tiles of phase 0 will use them.
  virtual void initialise(int row, int column) = 0;
  // Whether the arrays hold what the kernel's definition says after so many iterations. "": they do.
  virtual std::string wrong_after(int iterations) const = 0;

  // What an iteration is worth, as the kernel's definition counts.
  virtual double work() const = 0;
  virtual const char* unit() const = 0;  // "GB/s", "GFlop/s"
};

struct Shape {
  std::string kernel;  // nstream, stencil, transpose, p2p, dgemm
  long size = 0;       // elements of nstream, else of a side
  int tile = 64;       // of a side; of nstream, its square times 8
  bool non_temporal = false;
};

// Bytes of the arrays.
std::size_t bytes_of(const Shape& shape);

// On `memory`, bytes_of(shape) bytes that are aligned to 128 and have not been touched. Throws std::runtime_error for a
// shape that the kernel does not have: no such kernel, or non-temporal stores where results are used again at once.
std::unique_ptr<Kernel> make_kernel(const Shape& shape, std::span<std::byte> memory);

}  // namespace weir::prk
