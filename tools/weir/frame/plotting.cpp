// SPDX-License-Identifier: Apache-2.0

#include "plotting.hpp"

#include <fmt/format.h>

#include <fstream>

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

// Of its own gnuplot has eight colours, which it takes again for the ninth.
constexpr const char* kMoreColours =
    "set linetype 9 lc rgb '#7f7f7f'\nset linetype 10 lc rgb '#8c564b'\nset linetype 11 lc rgb '#bcbd22'\n"
    "set linetype 12 lc rgb '#17becf'\nset linetype 13 lc rgb '#ff9896'\nset linetype 14 lc rgb '#000080'\n"
    "set linetype 15 lc rgb '#98df8a'\nset linetype 16 lc rgb '#c71585'\nset linetype cycle 16\n";

std::string head_of(const std::string& terminal, const base::Drawing& drawing) {
  return fmt::format("set terminal {} size {},{}{}\n{}", terminal, drawing.width, drawing.height,
                     terminal == "svg" ? " background 'white'" : "", kMoreColours);
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

Status Plot::draw(const base::Drawing& drawing) {
  if (drawing.script.empty())
    return {Code::not_found, "--plot: there is nothing to draw: what was measured has no value that the picture shows"};
  const auto picture = platform::output_of({"gnuplot"}, kGnuplotSeconds, head_of(terminal, drawing) + drawing.script);
  if (!picture) return picture.status();
  std::ofstream to(file->path(), std::ios::binary);
  to << *picture;
  to.close();
  if (!to) return {Code::io_error, fmt::format("{} cannot be written", file->path())};
  return file->commit();
}

}  // namespace weir::tool
