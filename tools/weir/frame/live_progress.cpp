// SPDX-License-Identifier: Apache-2.0

#include "live_progress.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "explain/service.hpp"
#include "explain/socket.hpp"
#include "platform/start_thread.hpp"
#include "print_error.hpp"
#include "status_line.hpp"

namespace weir::tool {

namespace {

constexpr auto kPeriod = std::chrono::milliseconds(200);

std::string short_number(double value) {
  if (value >= 1e9) return fmt::format("{:.1f} G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.1f} M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.0f} k", value / 1e3);
  return fmt::format("{:.0f} ", value);
}

// As explain::Service answers "advance".
bool add_advance(const std::string& text, explain::Advance& sum) {
  std::istringstream lines(text);
  explain::Advance one;
  if (!(lines >> one.done >> one.known)) return false;
  sum.done += one.done;
  sum.known += one.known;
  explain::TierUse tier;
  while (lines >> tier.used >> tier.budget >> tier.name) sum.tiers.push_back(tier);
  return true;
}

std::optional<explain::Advance> advance_of(pid_t process) {
  const auto answers = explain::ask(process, "advance", 0.2);
  if (!answers) return std::nullopt;
  explain::Advance sum;
  for (const std::string& answer : *answers)
    if (!add_advance(answer, sum)) return std::nullopt;
  return sum;
}

// None, which is said, where the system has none left.
std::thread thread_that_draws(std::function<void()> work) {
  auto thread = platform::try_start_thread("weir progress", std::move(work));
  if (thread) return std::move(*thread);
  print_error("weir: no line of progress: {}\n", thread.status().message);
  return {};
}

}  // namespace

std::string progress_text(const std::string& label, const std::optional<explain::Advance>& advance, double rate,
                          std::size_t columns) {
  std::string text = label;
  if (!advance || advance->known == 0) return text.substr(0, columns);
  std::vector<std::string> parts{fmt::format("{}/{} tasks", advance->done, advance->known)};
  if (rate >= 0) parts.push_back(fmt::format("{}/s", short_number(rate)));
  for (const explain::TierUse& tier : advance->tiers) {
    if (tier.budget != 0)
      parts.push_back(fmt::format("{} {:.0f} %", tier.name,
                                  100 * static_cast<double>(tier.used) / static_cast<double>(tier.budget)));
  }
  for (const std::string& part : parts) {
    if (text.size() + 2 + part.size() > columns) break;
    text += "  " + part;
  }
  return text.substr(0, columns);
}

double Rate::of(const explain::Advance& advance, double now_s) noexcept {
  if (!known_ || advance.done < done_) {
    known_ = true;
    rate_ = -1;
  } else if (now_s > since_s_) {
    const double newest = static_cast<double>(advance.done - done_) / (now_s - since_s_);
    rate_ = rate_ < 0 ? newest : 0.7 * rate_ + 0.3 * newest;  // else it would jump too fast to be read
  } else {
    return rate_;
  }
  since_s_ = now_s;
  done_ = advance.done;
  return rate_;
}

LiveProgress::LiveProgress(const Global& global) : global_(global) {
  if (global.shows_progress()) thread_ = thread_that_draws([this] { work(); });
}

LiveProgress::~LiveProgress() {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  global_.progress("");
}

void LiveProgress::set(std::string label) {
  const base::Lock lock(mutex_);
  label_ = std::move(label);
}

void LiveProgress::work() {
  Rate rate;
  base::Lock lock(mutex_);
  while (!stop_) {
    const explain::Advance advance = explain::advance_of_process();
    if (advance.known == 0) rate.forget();
    const double now = rate.of(advance, now_s());
    if (!label_.empty()) global_.progress(progress_text(label_, advance, now, global_.progress_columns()));
    lock.wait_for(wake_, kPeriod);
  }
}

void IsolatedProgress::set(std::string label) {
  label_ = std::move(label);
  rate_.forget();
  global_.progress(label_);
}

void IsolatedProgress::look(pid_t process) {
  if (!global_.shows_progress()) return;
  const auto advance = advance_of(process);
  const double rate = advance ? rate_.of(*advance, now_s()) : -1;
  global_.progress(progress_text(label_, advance, rate, global_.progress_columns()));
}

ProgramProgress::ProgramProgress(pid_t process, std::string label, const Global& global)
    : process_(process), label_(std::move(label)) {
  if (global.shows_progress()) thread_ = thread_that_draws([this] { work(); });
}

ProgramProgress::~ProgramProgress() {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  end_status_line();
}

void ProgramProgress::work() {
  Rate rate;
  base::Lock lock(mutex_);
  while (true) {
    if (!stop_) lock.wait_for(wake_, kPeriod);
    if (stop_) return;
    const auto advance = advance_of(process_);
    if (!advance || advance->known == 0) {  // no runtime now
      rate.forget();
      end_status_line();
      continue;
    }
    show_status_line(progress_text(label_, advance, rate.of(*advance, now_s()), Global::progress_columns()));
  }
}

}  // namespace weir::tool
