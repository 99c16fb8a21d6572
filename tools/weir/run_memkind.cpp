// SPDX-License-Identifier: Apache-2.0

#include "run_memkind.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "json.hpp"
#include "loadable.hpp"
#include "platform/companion.hpp"
#include "print_error.hpp"

namespace weir::tool {

base::Status MemkindRun::prepare(const std::vector<std::string>& words) {
  if (const std::string file = file_of_program(words.front()); !file.empty())
    if (const base::Status status = check_loads_libraries(file); !status)
      return {base::Code::bad_option, fmt::format("--memkind: {}", status.message)};
  auto library = platform::find_companion("memkind/libmemkind.so.0", "src/memkind");
  if (!library) return library.status();
  auto report = LibraryReport::create("--memkind");
  if (!report) return report.status();
  auto folder = listed_name({"--memkind", "LD_LIBRARY_PATH", ":;"},
                            std::filesystem::path(*library).parent_path().string(), report->folder());
  if (!folder) return folder.status();
  folder_ = std::move(*folder);
  report_.emplace(std::move(*report));
  return base::Status::success();
}

std::vector<std::pair<std::string, std::string>> MemkindRun::variables() const {
  const char* const others = std::getenv("LD_LIBRARY_PATH");
  const bool alone = others == nullptr || *others == '\0';
  return {{"LD_LIBRARY_PATH", alone ? folder_ : fmt::format("{}:{}", folder_, others)},
          {"WEIR_MEMKIND", fmt::format("report={}", report_->path())}};
}

void MemkindRun::report(Json& object, const std::string& whose) const {
  Json lines = Json::array();
  std::istringstream text(report_->text());
  for (std::string line; std::getline(text, line);) {
    print_error("weir: {}memkind: {}\n", whose, line);
    lines.push_back(line);
  }
  if (lines.empty())
    print_error(
        "weir: {}memkind: no process of the program has loaded it: OpenMP's library does so at the first "
        "omp_alloc() in gcc 13 and later and in LLVM, never in gcc 12; weir run --memory places any program\n",
        whose);
  object["memkind"] = std::move(lines);
}

}  // namespace weir::tool
