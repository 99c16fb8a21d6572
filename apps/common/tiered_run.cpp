// SPDX-License-Identifier: Apache-2.0

#include "apps/common/tiered_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "apps/common/isolated.hpp"
#include "memory/tier_spec.hpp"
#include "platform/companion.hpp"

namespace weir::apps {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Beside this program: in the build folder, and installed.
Result<std::string> starpu_program() {
  const auto found = platform::find_companion("weir-tiers-starpu", "apps/starpu");
  if (found) return found;
  return Status{Code::unsupported, "weir-tiers-starpu is not there: StarPU was not found when Weir was built"};
}

Result<Outcome> parsed(const Result<std::string>& text) { return text ? outcome_of(*text) : text.status(); }

// A folder of its own, which is removed however the program that uses it ends.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& parent) : path_(parent + "/weir-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

Result<Outcome> run_starpu(const TierApp& app, TierSettings settings, const Isolation& isolation) {
  const auto program = starpu_program();
  if (!program) return program.status();
  const ScratchFolder folder(settings.folder);
  if (folder.path().empty()) {
    return Status{Code::io_error,
                  fmt::format("no folder can be made in {}: {}", settings.folder, std::strerror(errno))};
  }
  settings.folder = folder.path();
  std::vector<std::string> command = {*program};
  for (std::string& argument : app.starpu_arguments(settings)) command.push_back(std::move(argument));
  return parsed(run_isolated_program(command, isolation));
}

}  // namespace

Result<SlowTier> parse_slow_tier(const std::string& text) {
  const std::string_view view = text;
  if (view.starts_with("file:") && view.size() > 5) return SlowTier{text.substr(5), 0};
  if (view.starts_with("emulated:")) {
    const std::string_view number = view.substr(9);
    double fraction = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fraction);
    const bool whole = error == std::errc{} && end == number.data() + number.size();
    if (whole && fraction > 0 && fraction <= 1) return SlowTier{"", fraction};
  }
  return Status{Code::bad_option,
                fmt::format("--slow is file:FOLDER, or emulated:FRACTION with a fraction above 0 and at most 1 (such "
                            "as 0.25), not '{}'",
                            text)};
}

std::string to_string(const SlowTier& slow) {
  if (slow.emulated()) return fmt::format("emulated: memory slowed down to {:g} of its copy bandwidth", slow.fraction);
  return fmt::format("a file in {}", slow.folder);
}

std::string tiers_text(const SlowTier& slow, std::uint64_t budget, std::uint64_t total) {
  // Every block may have its home there; holes and rounding to pages come on top.
  const std::uint64_t room = total + total / 16 + 64 * kMiB;
  if (slow.emulated()) return fmt::format("memory={}B,emulated={}B@{:f}", budget, room, slow.fraction);
  return fmt::format("memory={}B,file={}:{}B", budget, slow.folder, room);
}

Result<std::uint64_t> parse_bytes(const std::string& option, const std::string& text) {
  const auto spec = memory::parse_tiers("memory=" + text);
  if (spec && spec->tiers.size() == 1 && spec->tiers.front().size) return spec->tiers.front().size->count;
  return Status{Code::bad_option, fmt::format("{} is a size, such as 512MiB or 1.5GiB, not '{}'", option, text)};
}

std::uint64_t allowed_bytes(std::uint64_t budget) { return budget + budget / 50 + 64 * kMiB; }

Status check_variant(const TierVariant& variant) {
  if (variant.kind == TierVariantKind::starpu) {
    const auto program = starpu_program();
    return program ? Status::success() : program.status();
  }
  if (variant.kind != TierVariantKind::mmap) return Status::success();
  const auto cage = MemoryCage::create(allowed_bytes(0));
  return cage ? Status::success() : cage.status();
}

Result<Outcome> run_variant(const TierApp& app, const TierVariant& variant, TierSettings settings, double timeout_s) {
  Isolation isolation;
  isolation.seconds = timeout_s;
  settings.runtime.strategy = variant.strategy;
  if (!variant.tiered) {
    settings.budget = 0;
    settings.runtime.tiers.clear();
  }
  if (variant.kind == TierVariantKind::starpu) return run_starpu(app, settings, isolation);
  std::optional<MemoryCage> cage;
  if (variant.kind == TierVariantKind::mmap) {
    auto made = MemoryCage::create(allowed_bytes(settings.budget));
    if (!made) return made.status();
    cage.emplace(std::move(*made));
    isolation.cage = &*cage;
  }
  return parsed(run_isolated([&] { return to_text(app.run(variant, settings)); }, isolation));
}

std::vector<std::string> common_starpu_arguments(const std::string& app, const TierSettings& settings) {
  return {app, std::to_string(settings.threads), std::to_string(static_cast<int>(settings.order)),
          std::to_string(settings.budget), settings.folder};
}

}  // namespace weir::apps
