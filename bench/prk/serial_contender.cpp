// SPDX-License-Identifier: Apache-2.0

// Loops on one thread: what the kernels cost without any runtime.
#include <stdexcept>

#include "bench/prk/contender.hpp"

namespace weir::prk {
namespace {

class SerialContender final : public Contender {
 public:
  std::vector<std::string> ways() const override { return {"loops"}; }
  void initialise(Kernel& kernel) override {
    const Grid grid = kernel.grid(0);
    for (int r = 0; r < grid.rows; ++r)
      for (int c = 0; c < grid.columns; ++c) kernel.initialise(r, c);
  }
  void run(Kernel& kernel, int iterations, std::size_t) override {
    for (int i = 0; i < iterations; ++i) {
      for (int phase = 0; phase < kernel.phases(); ++phase) {
        const Grid grid = kernel.grid(phase);
        for (int r = 0; r < grid.rows; ++r)
          for (int c = 0; c < grid.columns; ++c) kernel.run({phase, r, c});
      }
    }
  }
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers) {
  if (workers != 1) throw std::runtime_error("serial has one worker");
  return std::make_unique<SerialContender>();
}

}  // namespace weir::prk
