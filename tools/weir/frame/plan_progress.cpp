// SPDX-License-Identifier: Apache-2.0

#include "plan_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "clock.hpp"

namespace weir::tool {

namespace {

constexpr double kSecondsToGuess = 2;  // before that, a guess would jump about
constexpr std::size_t kPlainColumns = 120;

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", std::max(std::ceil(seconds / 5) * 5, 5.0));
  return fmt::format("{:.0f} min", std::round(seconds / 60));
}

}  // namespace

std::string plan_progress_text(std::size_t done, std::size_t total, double seconds, const std::string& next,
                               std::size_t columns) {
  std::string text = fmt::format("{} of {}", done + 1, total);
  if (done > 0 && seconds >= kSecondsToGuess) {
    const double left = seconds / static_cast<double>(done) * static_cast<double>(total - done);
    text += fmt::format(", about {} left", duration(left));
  }
  return fmt::format("{}: {}", text, next).substr(0, columns);
}

bool Pace::due(double now) noexcept {
  if (now - last_ < kSeconds) return false;
  last_ = now;
  return true;
}

PlanProgress::PlanProgress(const Global& global) : global_(global), began_(now_s()) {}

PlanProgress::~PlanProgress() { global_.progress(""); }

void PlanProgress::show(std::size_t done, std::size_t total, const std::string& next) {
  const double seconds = now_s() - began_;
  if (global_.shows_progress()) {
    global_.progress(plan_progress_text(done, total, seconds, next, Global::progress_columns()));
  } else if (!global_.json && isatty(STDERR_FILENO) != 1 && pace_.due(seconds)) {
    std::fprintf(stderr, "%s\n", plan_progress_text(done, total, seconds, next, kPlainColumns).c_str());
  }
}

}  // namespace weir::tool
