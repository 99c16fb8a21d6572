// SPDX-License-Identifier: Apache-2.0

// What the simulator says of settings. The same input gives the same output, however many threads compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "decide.hpp"
#include "machine/machine.hpp"
#include "sim/program.hpp"
#include "sim/target.hpp"

namespace weir::tool::advise {

struct PredictRequest {
  machine::Machine machine, traced_machine;
  std::string machine_name, traced_name;  // "": this machine
  Options options;                        // of the traced run, and what the user says; settings change theirs
  double file_gb_per_s = 0;               // 0: as the traced run's file
};

class Predictor {
 public:
  explicit Predictor(PredictRequest request) : request_(std::move(request)) {}

  // A run that was traced; outlives this. Settings are simulated by the one whose tasks took least, so that all are by
  // the same; here and in its own tiers, by how much a run is off when it is simulated itself is taken off those of
  // settings that, as it, move blocks or do not. As Simulator::run().
  base::Status add(const sim::Program& program);

  // In the order of `settings`. `done` hears, on this thread, how many are, now and then. Uses all cores.
  std::vector<Predicted> predict(const std::vector<Setting>& settings,
                                 const std::function<void(std::size_t)>& done) const;

  // How long the first run took by its own simulation, as a part of how long it took: how far to trust the rest.
  double agreement() const { return traced_.front().agreement; }

 private:
  struct Traced {
    const sim::Program* program;
    std::string tiers;           // as it was run
    bool moves = false;          // blocks
    std::uint64_t tasks_ns = 0;  // of its tasks' own code
    double agreement = 1;
  };
  const Traced& quickest() const;
  const Traced& alike(bool moves) const;
  Predicted predict_one(const Setting& setting) const;
  base::Result<sim::Target> target_for(const Setting& setting, const Options& options, const Traced& traced) const;
  base::Result<sim::Target> source_for(const sim::Program& program) const;
  bool is_at_home(const Setting& setting, const Traced& traced) const;

  PredictRequest request_;
  std::vector<Traced> traced_;
};

// The memory of a machine that was booted so that its high-bandwidth memory caches the ordinary memory, for a program
// that goes through so many bytes again and again: a direct-mapped cache of C bytes holds all up to C, the 2C - F
// bytes of F that meet nobody else up to 2C, and nothing beyond. A miss reads both memories. None where a machine has
// no such memory.
std::optional<machine::CostModel> cache_mode_costs(const machine::Machine& machine, std::uint64_t bytes);

}  // namespace weir::tool::advise
