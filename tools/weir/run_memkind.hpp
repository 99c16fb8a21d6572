// SPDX-License-Identifier: Apache-2.0

// weir run --memkind: a program that finds our libmemkind, and what that says.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "library_report.hpp"
#include "verb.hpp"

namespace weir::tool {

class MemkindRun {
 public:
  // Before the program starts. Fails when it is one that loads no library, or the library is not there.
  base::Status prepare(const std::vector<std::string>& words);
  std::vector<std::pair<std::string, std::string>> variables() const;
  // On standard error, `whose` before each line ("": of the only process), and in `object`.
  void report(Json& object, const std::string& whose) const;

 private:
  std::string folder_;
  std::optional<LibraryReport> report_;  // once it is prepared
};

}  // namespace weir::tool
