// SPDX-License-Identifier: Apache-2.0

// What verbs that draw with gnuplot share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/drawing.hpp"
#include "base/result.hpp"
#include "pending_file.hpp"

namespace weir::tool {

// A plot that will appear under its name; made before anything is measured, so that a file that cannot be written, or
// a gnuplot that is not there, costs no minutes.
struct Plot {
  std::string terminal;  // "svg" or "png", by the name of the file
  std::unique_ptr<PendingFile> file;

  // None for an empty name: no plot is asked for. bad_option when `name` is of neither kind, not_found without gnuplot,
  // io_error when it cannot be written.
  static base::Result<std::optional<Plot>> create(const std::string& name);
  // not_found when there is nothing to draw. gnuplot prints the picture: it is not given the name of the file, in which
  // it would take quotes for its own.
  base::Status draw(const base::Drawing& drawing);
};

}  // namespace weir::tool
