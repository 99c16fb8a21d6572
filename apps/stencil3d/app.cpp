// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/app.hpp"

#include <fmt/format.h>

#include "apps/common/caches.hpp"
#include "apps/stencil3d/solver.hpp"

namespace weir::apps::stencil3d {
namespace {

constexpr double kGuessedUpdatesPerSecond = 2e9;  // of a core

class App final : public TierApp {
 public:
  explicit App(const Shape& shape) : shape_(shape), pairs_(pairs_for(shape.side, find_caches().level2)) {}

  std::string name() const override { return "stencil3d"; }
  std::string size() const override { return shape_.cells(); }
  std::string describe() const override {
    return fmt::format(
        "{} cells in {} blocks of {} x {} x {} ({:.1f} MiB each with faces); {} iterations of {} sweeps; "
        "{} instructions",
        shape_.cells(), shape_.block_count(), shape_.side, shape_.side, shape_.side,
        static_cast<double>(shape_.total_bytes() / static_cast<std::uint64_t>(shape_.block_count())) / (1 << 20),
        shape_.iterations, shape_.sweeps, best_kernels().name);
  }
  std::string describe_order(const TierSettings& settings) const override {
    if (settings.order == Order::naive) return "iteration by iteration, from the first block to the last";
    return fmt::format("{} iterations of a block close together, to and fro", reuse_depth(shape_, settings.budget));
  }
  std::uint64_t total_bytes() const override { return shape_.total_bytes(); }
  std::uint64_t task_bytes() const override {
    return static_cast<std::uint64_t>(shape_.interior_cells() + 2 * kSides * shape_.face_cells()) * sizeof(double);
  }
  double guessed_seconds(int threads) const override { return shape_.updates() / kGuessedUpdatesPerSecond / threads; }

  Outcome run(const TierVariant& variant, const TierSettings& settings) const override {
    return stencil3d::run(variant, settings_of(settings));
  }

  std::vector<std::string> starpu_arguments(const TierSettings& settings) const override {
    auto arguments = common_starpu_arguments(name(), settings);
    for (const Index number : {shape_.blocks[0], shape_.blocks[1], shape_.blocks[2], shape_.side, shape_.iterations,
                               shape_.sweeps, pairs_}) {
      arguments.push_back(std::to_string(number));
    }
    return arguments;
  }

  AccessTrace trace(const TierSettings& settings) const override;

 private:
  // Blocks of the trace: the interior of a block, then its faces by parity and side; the borders come last.
  static constexpr std::uint32_t kPerBlock = 1 + 2 * kSides;
  static std::uint32_t interior(Index block) { return static_cast<std::uint32_t>(block) * kPerBlock; }
  static std::uint32_t face(Index block, Index parity, int side) {
    return interior(block) + 1 + static_cast<std::uint32_t>(parity * kSides + side);
  }
  std::uint32_t border(int side) const { return interior(shape_.block_count()) + static_cast<std::uint32_t>(side); }

  Settings settings_of(const TierSettings& settings) const {
    Settings all;
    static_cast<TierSettings&>(all) = settings;
    all.shape = shape_;
    all.kernels = &best_kernels();
    all.pairs = pairs_;
    return all;
  }
  void trace_fill(AccessTrace& trace) const;
  void trace_step(AccessTrace& trace, const Step& step) const;

  Shape shape_;
  Index pairs_;
};

void App::trace_fill(AccessTrace& trace) const {
  for (int side = 0; side < kSides; ++side) {
    trace.accesses.push_back({border(side), false, true});
    trace.end_task();
  }
  for (Index b = shape_.block_count(); b-- > 0;) {
    trace.accesses.push_back({interior(b), false, true});
    for (int side = 0; side < kSides; ++side) trace.accesses.push_back({face(b, 0, side), false, true});
    trace.end_task();
  }
}

void App::trace_step(AccessTrace& trace, const Step& step) const {
  const Index parity = step.iteration % 2;
  trace.accesses.push_back({interior(step.block), true, true});
  for (int side = 0; side < kSides; ++side) {
    const Index other = neighbour(shape_, step.block, Side(side));
    trace.accesses.push_back({other < 0 ? border(side) : face(other, parity, opposite(Side(side))), true, false});
    trace.accesses.push_back({face(step.block, 1 - parity, side), false, true});
  }
  trace.end_task();
}

AccessTrace App::trace(const TierSettings& settings) const {
  AccessTrace trace;
  const auto bytes = [](Index cells) { return static_cast<std::uint64_t>(cells) * sizeof(double); };
  trace.block_bytes.assign(border(kSides), bytes(shape_.face_cells()));
  for (Index b = 0; b < shape_.block_count(); ++b) trace.block_bytes[interior(b)] = bytes(shape_.interior_cells());
  trace_fill(trace);
  trace.measure_from_here();
  for (const Step& step : order_of(settings_of(settings))) trace_step(trace, step);
  return trace;
}

}  // namespace

std::unique_ptr<TierApp> make_app(const Shape& shape) { return std::make_unique<App>(shape); }

}  // namespace weir::apps::stencil3d
