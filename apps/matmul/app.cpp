// SPDX-License-Identifier: Apache-2.0

#include "apps/matmul/app.hpp"

#include <fmt/format.h>

#include "apps/matmul/solver.hpp"

namespace weir::apps::matmul {
namespace {

constexpr double kGuessedFlops = 4e10;  // of a core, per second

class App final : public TierApp {
 public:
  explicit App(const Shape& shape) : shape_(shape) {}

  std::string name() const override { return "matmul"; }
  std::string size() const override { return fmt::format("{}x{}", shape_.size, shape_.size); }
  std::string describe() const override {
    return fmt::format("C = A * B of {} x {} in {} x {} tiles of {} x {} ({:.1f} MiB each)", shape_.size, shape_.size,
                       shape_.tiles(), shape_.tiles(), shape_.tile, shape_.tile,
                       static_cast<double>(shape_.tile_bytes()) / (1 << 20));
  }
  std::string describe_order(const TierSettings& settings) const override {
    if (settings.order == Order::naive) return "i, j, k";
    const Superblock s = superblock_of(settings_of(settings));
    return fmt::format("superblocks of {} x {} tiles of C stay while A and B come by", s.rows, s.cols);
  }
  std::uint64_t total_bytes() const override { return shape_.total_bytes(); }
  std::uint64_t task_bytes() const override { return 3 * shape_.tile_bytes(); }
  double guessed_seconds(int threads) const override { return shape_.flops() / kGuessedFlops / threads; }

  Outcome run(const TierVariant& variant, const TierSettings& settings) const override {
    return matmul::run(variant, settings_of(settings));
  }

  std::vector<std::string> starpu_arguments(const TierSettings& settings) const override {
    auto arguments = common_starpu_arguments(name(), settings);
    arguments.push_back(std::to_string(shape_.size));
    arguments.push_back(std::to_string(shape_.tile));
    return arguments;
  }

  AccessTrace trace(const TierSettings& settings) const override;

 private:
  enum Which : std::uint8_t { kA, kB, kC };
  std::uint32_t tile(Which matrix, Index i, Index j) const {
    return static_cast<std::uint32_t>((matrix * shape_.tiles() + i) * shape_.tiles() + j);
  }
  Settings settings_of(const TierSettings& settings) const {
    Settings all;
    static_cast<TierSettings&>(all) = settings;
    all.shape = shape_;
    return all;
  }

  Shape shape_;
};

AccessTrace App::trace(const TierSettings& settings) const {
  AccessTrace trace;
  const Index tiles = shape_.tiles();
  for (Index t = 0; t < 3 * tiles * tiles; ++t) {
    const Index cells = shape_.extent(t / tiles % tiles) * shape_.extent(t % tiles);
    trace.block_bytes.push_back(static_cast<std::uint64_t>(cells) * sizeof(double));
  }
  const std::vector<Step> steps = order_of(settings_of(settings));
  const auto inputs = inputs_of(tiles, steps);
  for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) {
    trace.accesses.push_back({tile(input->matrix == Matrix::a ? kA : kB, input->i, input->j), false, true});
    trace.end_task();
  }
  trace.measure_from_here();
  for (const Step& step : steps) {
    trace.accesses.push_back({tile(kA, step.i, step.k), true, false});
    trace.accesses.push_back({tile(kB, step.k, step.j), true, false});
    trace.accesses.push_back({tile(kC, step.i, step.j), !step.first, true});
    trace.end_task();
  }
  return trace;
}

}  // namespace

std::unique_ptr<TierApp> make_app(const Shape& shape) { return std::make_unique<App>(shape); }

}  // namespace weir::apps::matmul
