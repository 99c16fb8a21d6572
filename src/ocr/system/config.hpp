// SPDX-License-Identifier: Apache-2.0

// What an OCR program is started with: options of Weir from the environment and a configuration file, and arguments.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "weir/options.hpp"

namespace weir::ocr {

struct Config {
  Options options;
  bool report_at_end = false;  // WEIR_OCR_REPORT=1
  bool spreads = false;        // WEIR_OCR_SPREAD=1
};

// `file`: the path of a configuration, or empty. Of it count the number of workers (the ids of sections
// [WorkerInst...]) and a section [weir] with options of Weir; standard error names what is ignored. The
// environment (WEIR_*) overrides it. bad_option when the file cannot be read or a value cannot be used.
base::Result<Config> read_config(const std::string& file);

struct Arguments {
  std::vector<char*> left;  // without those for OCR
  std::string file;         // after -ocr:cfg, or OCR_CONFIG in the environment
};
// bad_option: -ocr:cfg without a file.
base::Result<Arguments> take_arguments(int argc, const char* const* argv);

}  // namespace weir::ocr
