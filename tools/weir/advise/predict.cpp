// SPDX-License-Identifier: Apache-2.0

#include "predict.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "platform/start_thread.hpp"
#include "runtime/options.hpp"
#include "sim/simulator.hpp"

namespace weir::tool::advise {

namespace {

using machine::Cost;
using machine::Machine;
using machine::MemoryKind;
using machine::MemoryNode;

const Cost* local_fast_cost(const Machine& machine, const std::vector<std::vector<Cost>>& costs, std::size_t domain) {
  const auto node = machine.fast_node(DomainId(domain));
  return node ? &costs[static_cast<std::size_t>(*node)][domain] : nullptr;
}

double hit_share(double cache, double bytes) { return bytes <= cache ? 1 : std::max(0.0, (2 * cache - bytes) / bytes); }

// Of a miss both memories are read, and the fast one is written.
Cost cached(const Cost& fast, const Cost& slow, double hits) {
  const auto blend = [hits](double quick, double low) {
    return 1 / (hits / quick + (1 - hits) * (1 / quick + 1 / low));
  };
  return {blend(fast.read_gb_per_s, slow.read_gb_per_s), blend(fast.write_gb_per_s, slow.write_gb_per_s),
          fast.latency_ns + (1 - hits) * slow.latency_ns};
}

double seconds_of(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

std::optional<machine::CostModel> cache_mode_costs(const Machine& machine, std::uint64_t bytes) {
  double cache = 0;
  for (const MemoryNode& node : machine.memory_nodes())
    if (node.kind == MemoryKind::hbm && node.allowed) cache += static_cast<double>(node.capacity.count);
  if (cache == 0) return std::nullopt;
  const double hits = hit_share(cache, static_cast<double>(bytes));
  const machine::CostModel plain(machine::costs_of(machine));
  std::vector<std::vector<Cost>> costs(plain.nodes(), std::vector<Cost>(plain.domains()));
  for (std::size_t node = 0; node < plain.nodes(); ++node)
    for (std::size_t domain = 0; domain < plain.domains(); ++domain)
      costs[node][domain] = plain.cost(node, DomainId(domain));
  const std::vector<std::vector<Cost>> flat = costs;
  for (const MemoryNode& node : machine.memory_nodes()) {
    if (node.kind != MemoryKind::ddr) continue;
    for (std::size_t domain = 0; domain < plain.domains(); ++domain) {
      Cost& cost = costs[static_cast<std::size_t>(node.id)][domain];
      if (const Cost* fast = local_fast_cost(machine, flat, domain)) cost = cached(*fast, cost, hits);
    }
  }
  return machine::CostModel(std::move(costs));
}

const Predictor::Traced& Predictor::quickest() const {
  return *std::min_element(traced_.begin(), traced_.end(),
                           [](const Traced& a, const Traced& b) { return a.tasks_ns < b.tasks_ns; });
}

const Predictor::Traced& Predictor::alike(bool moves) const {
  for (const Traced& traced : traced_)
    if (traced.moves == moves) return traced;
  return traced_.front();
}

bool Predictor::is_at_home(const Setting& setting, const Traced& traced) const {
  return request_.machine_name.empty() && !setting.cache_mode && setting.tiers == traced.tiers;
}

base::Result<sim::Target> Predictor::source_for(const sim::Program& program) const {
  sim::TargetRequest request;
  request.options.workers = program.real.workers;
  request.options.machine = request_.traced_name;
  request.typical_costs = true;
  return sim::make_target(request_.traced_machine, request, program.real);
}

base::Result<sim::Target> Predictor::target_for(const Setting& setting, const Options& options,
                                                const Traced& traced) const {
  sim::TargetRequest request;
  request.options = options;
  request.own_machine = request_.machine_name.empty();
  request.own_tiers = is_at_home(setting, traced);
  request.typical_costs = true;
  request.file_gb_per_s = request_.file_gb_per_s;
  auto target = sim::make_target(request_.machine, request, traced.program->real);
  if (!target || !setting.cache_mode) return target;
  std::uint64_t bytes = 0;
  for (const sim::ProgramBlock& block : traced.program->blocks) bytes += block.bytes;
  if (auto costs = cache_mode_costs(request_.machine, bytes)) target->costs = std::move(*costs);
  return target;
}

Predicted Predictor::predict_one(const Setting& setting) const {
  const Traced& traced = quickest();
  Options options = request_.options;
  options.tiers = setting.tiers;
  options.allocation = setting.allocation;
  options.strategy = setting.strategy;
  options.policy = setting.policy;
  options.workers = setting.workers;
  options.machine = request_.machine_name;
  Predicted result{.setting = setting, .failure = ""};
  const auto source = source_for(*traced.program);
  const auto target = target_for(setting, options, traced);
  if (!source || !target) {
    result.failure = (!source ? source.status() : target.status()).message;
    return result;
  }
  const auto prediction = sim::Simulator(*traced.program, *target, *source, options).run();
  if (!prediction) {
    result.failure = prediction.status().message;
    return result;
  }
  result.seconds = seconds_of(prediction->makespan_ns);
  result.moved = prediction->bytes_moved();
  if (is_at_home(setting, traced)) result.seconds /= alike(result.moved > 0).agreement;
  result.data_wait_s = seconds_of(prediction->data_wait_ns);
  return result;
}

base::Status Predictor::add(const sim::Program& program) {
  const auto text = [&](const char* name) {
    const std::string* const value = program.real.setting(name);
    return value == nullptr ? std::string() : *value;
  };
  traced_.push_back({&program, text("tiers")});
  Traced& traced = traced_.back();
  for (const auto& from : program.real.moved)
    traced.moves = traced.moves || std::any_of(from.begin(), from.end(), [](std::uint64_t bytes) { return bytes > 0; });
  for (const sim::ProgramTask& task : program.tasks) traced.tasks_ns += task.own_ns;
  if (!request_.machine_name.empty()) return base::Status::success();  // elsewhere nothing can be taken off
  Options options = request_.options;
  options.tiers = traced.tiers;
  options.workers = program.real.workers;
  options.machine = request_.traced_name;
  for (const char* name : {"strategy", "allocation", "policy"})
    static_cast<void>(runtime::set_option(options, name, text(name), name));
  const auto source = source_for(program);
  if (!source) return source.status();
  sim::TargetRequest request;
  request.options = options;
  request.typical_costs = true;
  request.file_gb_per_s = request_.file_gb_per_s;
  const auto target = sim::make_target(request_.traced_machine, request, program.real);
  if (!target) return target.status();
  const auto prediction = sim::Simulator(program, *target, *source, options).run();
  if (!prediction) return prediction.status();
  if (program.real.makespan_ns > 0)
    traced.agreement = static_cast<double>(prediction->makespan_ns) / static_cast<double>(program.real.makespan_ns);
  return base::Status::success();
}

std::vector<Predicted> Predictor::predict(const std::vector<Setting>& settings,
                                          const std::function<void(std::size_t)>& done) const {
  std::vector<Predicted> result(settings.size());
  std::atomic<std::size_t> next{0}, ended{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < settings.size(); i = next++) {
      result[i] = predict_one(settings[i]);
      ++ended;
    }
  };
  std::vector<std::thread> threads;
  const std::size_t count = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), settings.size());
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto thread = platform::try_start_thread("weir advise", work);
    if (!thread) break;  // with as many as the system has room for
    threads.push_back(std::move(*thread));
  }
  if (threads.empty()) work();
  while (ended < settings.size()) {
    done(ended);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (std::thread& thread : threads) thread.join();
  return result;
}

}  // namespace weir::tool::advise
