// SPDX-License-Identifier: Apache-2.0

#include "machine_options.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "sim/known_machines.hpp"

namespace weir::tool {

void add_machine_options(CLI::App& verb, MachineOptions& options, const std::string& purpose) {
  add_option(verb, "--machine", options.machine, purpose).type_name("MACHINE").offers(known_names());
  add_option(verb, "--traced-machine", options.traced_machine, "where the trace is from; default this machine")
      .type_name("MACHINE")
      .offers(known_names());
  add_option(verb, "--file-gb-per-s", options.file_gb_per_s,
             "bandwidth of a file tier in 10^9 bytes a second; default what the traced run's file had")
      .type_name("GB/S")
      .between(1e-6, 1e6);  // a simulation counts nanoseconds
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const sim::KnownMachine& known : sim::known_machines()) names.emplace_back(known.name);
  return names;
}

std::string machine_names() {
  std::string text = "--machine takes an hwloc synthetic string, an XML file of lstopo, or one of these names:";
  for (const sim::KnownMachine& known : sim::known_machines())
    text += fmt::format("\n  {:<17} {}", known.name, known.about);
  return text;
}

bool is_described(const std::string& name) {
  return !name.empty() || std::getenv("HWLOC_XMLFILE") != nullptr || std::getenv("HWLOC_SYNTHETIC") != nullptr;
}

namespace {
constexpr const char* kHide = "HWLOC_HIDE_ERRORS";
}

QuietHwloc::QuietHwloc() : is_ours_(std::getenv(kHide) == nullptr) {
  if (is_ours_) setenv(kHide, "2", 1);
}

QuietHwloc::~QuietHwloc() {
  if (is_ours_) unsetenv(kHide);
}

base::Result<machine::Machine> machine_named(const std::string& text) {
  if (text.empty()) return machine::Machine::discover();
  const QuietHwloc while_it_reads;
  return sim::find_machine(text);
}

}  // namespace weir::tool
