// SPDX-License-Identifier: Apache-2.0

#include "runtime/check_options.hpp"

#include "checkpoint/folder.hpp"
#include "memory/tier_set.hpp"
#include "runtime/options.hpp"
#include "trace/trace_file.hpp"

namespace weir::runtime {

namespace {

using base::Status;

Status check_tiers(const Options& options, const machine::Machine& machine) {
  const base::Result<memory::TierSpec> spec = memory::parse_tiers(options.tiers);
  if (!spec) return spec.status();
  memory::TierSetConfig config;
  // Threads can always be had; only what was asked for by its name may be missing.
  config.io.backend = options.io == Io::uring ? platform::IoBackend::uring : platform::IoBackend::threads;
  const base::Result<std::unique_ptr<memory::TierSet>> tiers = memory::TierSet::open(machine, *spec, std::move(config));
  return tiers ? Status::success() : tiers.status();
}

}  // namespace

base::Result<machine::Machine> find_machine(const Options& options) {
  return options.machine.empty() ? machine::Machine::discover() : machine::Machine::from_description(options.machine);
}

base::Status check_options(const Options& options) {
  if (Status status = check_numbers(options); !status) return status;
  if (!options.machine.empty() || !options.tiers.empty()) {
    const base::Result<machine::Machine> machine = find_machine(options);
    if (!machine) return machine.status();
    if (!options.tiers.empty()) {
      if (Status status = check_tiers(options, *machine); !status) return status;
    }
  }
  if (!options.restart.empty()) {
    const base::Result<std::string> whole = checkpoint::last_whole(options.restart);
    if (!whole) return whole.status();
  }
  return options.trace.empty() ? Status::success() : trace::TraceFile::check(options.trace);
}

}  // namespace weir::runtime
