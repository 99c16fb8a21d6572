// SPDX-License-Identifier: Apache-2.0

#include "plotting.hpp"

#include <fmt/format.h>

#include "platform/process.hpp"

namespace weir::tool {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr double kGnuplotSeconds = 60;

Result<std::string> terminal_for(const std::string& file) {
  for (const char* ending : {"svg", "png"}) {
    if (file.ends_with(std::string(".") + ending)) return std::string(ending);
  }
  return Status{Code::bad_option, fmt::format("--plot writes .svg or .png, not '{}'", file)};
}

}  // namespace

Result<std::optional<Plot>> Plot::create(const std::string& name) {
  if (name.empty()) return std::optional<Plot>();
  auto terminal = terminal_for(name);
  if (!terminal) return terminal.status();
  if (!platform::output_of({"gnuplot", "--version"}, kGnuplotSeconds)) {
    return Status{Code::not_found, "--plot needs gnuplot, which cannot be started; install the package gnuplot-nox"};
  }
  auto file = PendingFile::create(name);
  if (!file) return file.status();
  return std::optional(Plot{*terminal, std::make_unique<PendingFile>(std::move(*file))});
}

Status Plot::draw(const std::string& script) {
  auto done = platform::output_of({"gnuplot"}, kGnuplotSeconds, script);
  return done ? file->commit() : done.status();
}

}  // namespace weir::tool
