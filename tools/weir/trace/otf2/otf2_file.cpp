// SPDX-License-Identifier: Apache-2.0

#include "otf2/otf2_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "otf2/otf2_writer.hpp"
#include "platform/scratch_file.hpp"
#include "platform/temporary_name.hpp"

namespace weir::tool::convert {

namespace {

namespace fs = std::filesystem;

base::Status io_error(const std::string& path, const std::string& why) {
  return {base::Code::io_error, fmt::format("{}: {}", path, why)};
}

bool is_archive(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / fmt::format("{}.otf2", Otf2Writer::kName), error);
}

// Nothing, an empty folder, or an archive that may be replaced.
base::Status check_place(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error) || is_archive(path) || (fs::is_directory(path, error) && fs::is_empty(path, error))) {
    return base::Status::success();
  }
  return io_error(path, "exists and is no OTF2 archive; it is not touched");
}

base::Status put_in_place(const std::string& temporary, const std::string& place) {
  std::error_code error;
  fs::remove_all(place, error);
  fs::rename(temporary, place, error);
  return error ? io_error(place, error.message()) : base::Status::success();
}

// What went wrong with files beside it, or before they have their names, names what was asked for.
base::Status of_place(base::Status status, const std::string& temporary, const std::string& place) {
  if (const std::size_t at = status.message.find(temporary); at != std::string::npos)
    status.message.replace(at, temporary.size(), place);
  if (status.message.starts_with("a temporary file")) status.message.insert(0, place + ": ");
  return status;
}

base::Status write_archive(const TraceReader& reader, const RuntimeInfo& runtime, const std::string& place) {
  if (base::Status status = check_place(place); !status) return status;
  const std::string temporary = fmt::format("{}.{}.tmp", place, getpid());
  base::Result<ResolvedTrace> tracks = resolve_tracks(reader, runtime, temporary);
  if (!tracks) return of_place(tracks.status(), temporary, place);
  std::error_code error;
  fs::remove_all(temporary, error);
  const auto known = platform::TemporaryName::of(temporary);
  if (!known) return known.status();
  base::Status status = Otf2Writer(*tracks, runtime, reader.scale(runtime)).write(temporary);
  if (status) status = put_in_place(temporary, place);
  if (!status) fs::remove_all(temporary, error);
  return of_place(std::move(status), temporary, place);
}

}  // namespace

base::Status check_otf2(const std::string& path) {
  if (base::Status status = check_place(path); !status) return status;
  return platform::ScratchFile::create_for(path + ".events").status();  // its folder can be written to
}

base::Status write_otf2(const TraceReader& reader, const std::string& path) {
  const std::string stem = path.substr(0, path.size() - std::string_view(".otf2").size());
  base::Status status;
  for (const RuntimeInfo& runtime : reader.runtimes()) {
    if (!status) break;
    status =
        write_archive(reader, runtime, runtime.number == 1 ? path : fmt::format("{}-{}.otf2", stem, runtime.number));
  }
  return status;
}

}  // namespace weir::tool::convert
