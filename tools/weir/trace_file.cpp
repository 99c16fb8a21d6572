// SPDX-License-Identifier: Apache-2.0

#include "trace_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "json_file.hpp"
#include "otf2/otf2_file.hpp"
#include "pending_file.hpp"
#include "report/read_trace.hpp"
#include "show_report.hpp"

namespace weir::tool {

namespace {

base::Status convert_file(const std::string& trace, const std::string& to) {
  const auto reader = report::open_trace(trace);
  if (!reader) return reader.status();
  if (reader->ends_early()) warn_of_early_end(to);
  return write_converted(*reader, to);
}

constexpr TraceConverter kConverter = {&check_converted, &convert_file};

}  // namespace

const TraceConverter& trace_converter() { return kConverter; }

base::Status check_converted(const std::string& to) {
  if (to.ends_with(".otf2")) return convert::check_otf2(to);
  if (to.ends_with(".json")) return PendingFile::create(to).status();
  return {base::Code::bad_option, fmt::format("--to {}: a name that ends in .json or .otf2 says what to make", to)};
}

base::Status write_converted(const trace::TraceReader& reader, const std::string& to) {
  if (to.ends_with(".otf2")) return convert::write_otf2(reader, to);
  auto file = PendingFile::create(to);
  if (!file) return file.status();
  if (base::Status status = convert::write_json(reader, file->path()); !status)
    return file->by_its_name(std::move(status));
  return file->commit();
}

}  // namespace weir::tool
