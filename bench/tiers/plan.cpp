// SPDX-License-Identifier: Apache-2.0

#include "bench/tiers/plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "apps/matmul/app.hpp"
#include "apps/stencil3d/app.hpp"
#include "bench/report/plan.hpp"

namespace weir::bench {
namespace {

using apps::TierVariant;
using apps::TierVariantKind;
using base::Code;
using base::Result;
using base::Status;

constexpr double kLeastRatio = 1.1, kMostRatio = 20;
constexpr std::uint64_t kPage = 4096;
// Sizes of the default run: a few seconds each in memory.
constexpr apps::stencil3d::Index kSide = 64, kIterations = 20, kSweeps = 20;
constexpr apps::matmul::Index kTiles = 12;

const std::vector<std::string> kStrategies = {"off", "inline", "single", "multi", "ahead", "model"};
const std::vector<std::string> kEvictions = {"refcount", "lru", "next-use"};

// Before anything is measured.
Status check_folder(const apps::SlowTier& slow) {
  if (slow.emulated() || ::access(slow.folder.c_str(), W_OK | X_OK) == 0) return Status::success();
  return {Code::bad_option,
          fmt::format("--slow file:{}: no file can be made there: {}", slow.folder, std::strerror(errno))};
}

Result<std::vector<double>> chosen_ratios(const std::string& list) {
  std::vector<double> ratios;
  for (const std::string& word : split_list(list)) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !(value >= kLeastRatio && value <= kMostRatio)) {
      return Status{Code::bad_option, fmt::format("--ratios takes numbers from {} to {} between commas, not '{}'",
                                                  kLeastRatio, kMostRatio, word)};
    }
    if (std::find(ratios.begin(), ratios.end(), value) == ratios.end()) ratios.push_back(value);
  }
  return ratios;
}

Evict evict_of(const std::string& name) {
  return Evict(std::find(kEvictions.begin(), kEvictions.end(), name) - kEvictions.begin());
}

// As in the paper: what nobody uses leaves at once. `ahead` and `model` are ours.
std::vector<std::string> own_evictions(const std::string& strategy) {
  return {strategy == "ahead" || strategy == "model" ? "next-use" : "refcount"};
}

Result<std::vector<Contender>> chosen_strategies(const TiersRequest& request) {
  auto names = chosen(request.strategies, kStrategies, "strategy");
  if (!names) return names.status();
  std::vector<std::string> evictions;
  if (request.evict != "default") {
    auto named = chosen(request.evict, kEvictions, "eviction");
    if (!named) return named.status();
    evictions = *named;
  }
  std::vector<Contender> result = {{apps::find_tier_variant("weir-off"), Evict::refcount}};
  for (const std::string& name : kStrategies) {
    if (name == "off" || std::find(names->begin(), names->end(), name) == names->end()) continue;
    for (const std::string& eviction : evictions.empty() ? own_evictions(name) : evictions) {
      result.push_back({apps::find_tier_variant("weir-" + name), evict_of(eviction)});
    }
  }
  return result;
}

Status add_peers(const TiersRequest& request, TiersPlan& plan) {
  if (request.peers == "none") return Status::success();
  auto names = chosen(request.peers, {"mmap", "starpu"}, "peer");
  if (!names) return names.status();
  for (const std::string& name : *names) {
    const TierVariant* variant = apps::find_tier_variant(name);
    Status able = plan.slow.emulated() ? Status{Code::unsupported, "it uses a file, and the slow tier is emulated"}
                                       : apps::check_variant(*variant);
    if (able) {
      plan.contenders.push_back({variant, Evict::next_use});
    } else if (request.peers == "all") {
      plan.left_out.push_back(fmt::format("{}: {}", name, able.message));
    } else {
      return Status{able.code, fmt::format("{}: {}", name, able.message)};
    }
  }
  return Status::success();
}

std::unique_ptr<apps::TierApp> make_app(const std::string& name, double bytes) {
  const auto total = static_cast<std::uint64_t>(bytes);
  if (name == "matmul") return apps::matmul::make_app(apps::matmul::shape_for(total, kTiles));
  return apps::stencil3d::make_app({apps::stencil3d::blocks_for(total, kSide), kSide, kIterations, kSweeps});
}

Setup setup_of(const std::string& app, double ratio, const TiersRequest& request, const TiersPlan& plan,
               const Options& options) {
  Setup setup;
  setup.app = make_app(app, ratio * static_cast<double>(request.budget));
  setup.ratio = ratio;
  apps::TierSettings& settings = setup.settings;
  settings.runtime = options;
  settings.runtime.workers = settings.threads = request.workers;
  settings.order = request.order;
  settings.folder = plan.slow.folder;
  settings.budget = static_cast<std::uint64_t>(static_cast<double>(setup.app->total_bytes()) / ratio) / kPage * kPage;
  settings.runtime.tiers = apps::tiers_text(plan.slow, settings.budget, setup.app->total_bytes());
  return setup;
}

Status check_budget(const Setup& setup) {
  const auto tasks = static_cast<std::uint64_t>(2 * setup.settings.threads);
  const std::uint64_t needed = tasks * setup.app->task_bytes();
  if (setup.settings.budget >= needed) return Status::success();
  return {
      Code::bad_option,
      fmt::format("--budget: {} needs {} bytes in the fast tier for two tasks a worker, not {}; choose a larger one",
                  setup.app->name(), needed, setup.settings.budget)};
}

}  // namespace

TiersRequest usual_tiers() { return {}; }

TiersRequest full_tiers() {
  TiersRequest request;
  request.ratios = "2,3.4";
  request.budget = std::uint64_t{256} << 20;
  return request;
}

std::string Contender::runtime() const {
  if (weir()) return "weir";
  return std::string(variant->name);
}

std::string Contender::strategy() const {
  return weir() ? std::string(variant->name.substr(std::string_view("weir-").size())) : "";
}

std::string Contender::evict_name() const { return weir() && !naive() ? kEvictions[std::size_t(evict)] : ""; }

std::string Contender::label() const {
  if (!weir()) return runtime();
  return naive() ? strategy() : strategy() + ", " + evict_name();
}

Result<TiersPlan> plan_tiers(const TiersRequest& request, const Options& options) {
  TiersPlan plan;
  auto slow = apps::parse_slow_tier(request.slow);
  if (!slow) return slow.status();
  plan.slow = *slow;
  if (auto status = check_folder(plan.slow); !status) return status;
  auto names = chosen(request.apps, {"stencil3d", "matmul"}, "application");
  if (!names) return names.status();
  auto ratios = chosen_ratios(request.ratios);
  if (!ratios) return ratios.status();
  auto contenders = chosen_strategies(request);
  if (!contenders) return contenders.status();
  plan.contenders = std::move(*contenders);
  if (auto status = add_peers(request, plan); !status) return status;
  for (const std::string& name : *names) {
    for (const double ratio : *ratios) {
      plan.setups.push_back(setup_of(name, ratio, request, plan, options));
      if (auto status = check_budget(plan.setups.back()); !status) return status;
    }
  }
  return plan;
}

}  // namespace weir::bench
