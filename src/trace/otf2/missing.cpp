// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "trace/otf2/otf2_file.hpp"

namespace weir::trace {

base::Result<std::shared_ptr<TraceFile>> open_otf2_file(const std::string& path) {
  return base::Status{
      base::Code::unsupported,
      fmt::format("trace {}: Weir was built where OTF2 was not found; install libopen-trace-format2-dev "
                  "and build it again, or give a name that ends in .json",
                  path)};
}

}  // namespace weir::trace
