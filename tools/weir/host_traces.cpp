// SPDX-License-Identifier: Apache-2.0

#include "host_traces.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "child.hpp"
#include "temporary_folder.hpp"
#include "trace/job_process.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Status;
using platform::Command;

// Their arguments: the folder, and how names begin. An archive without files where there is none; a rank that is just
// being killed may still write (tar's status 1, which the pipe hides). As text: Open MPI gives what it starts a
// terminal to write to.
constexpr const char* kSend = R"(cd "$1" || exit 2
set -- "$2".*
[ -e "$1" ] || set -- -T /dev/null
exec 4>&1
status=$({ { tar -cf - "$@"; echo $? >&3; } | base64 >&4; } 3>&1)
[ "$status" -le 1 ])";
constexpr const char* kRemove = R"(rm -f "$1/$2".*)";
// Here, into the folder. -m: of two runs under one name the report takes the newer one, by this host's clock.
constexpr const char* kUnpack = R"(base64 -d | tar -xmf - -C "$1")";

// Files in it have names that differ from those of other jobs, and of this user's other runs.
std::string new_id() {
  std::random_device random;
  return fmt::format("weir-trace-{:08x}{:08x}", random(), random());
}

// That of this one, where it is there.
std::string folder_on_all_hosts() {
  const std::string folder = folder_of_temporary_files();
  std::error_code error;
  return fs::is_directory(folder, error) ? folder : "/tmp";
}

Status io_error(std::string message) { return {Code::io_error, std::move(message)}; }

}  // namespace

std::string name_here(const std::string& file, const std::string& id, const std::string& trace) {
  if (!file.starts_with(id + ".")) return "";
  const char* const begin = file.data() + id.size() + 1;
  const char* const end = file.data() + file.size();
  std::uint32_t rank = 0;
  const auto [stop, error] = std::from_chars(begin, end, rank);
  const std::string rest(stop, end);
  if (error != std::errc() || !rest.starts_with(".weir")) return "";
  return trace::file_of_rank(trace, rank) + rest.substr(5);
}

HostTraces::HostTraces(std::string trace) : trace_(std::move(trace)), folder_(folder_on_all_hosts()), id_(new_id()) {}

Status HostTraces::bring_from(const Hosts& hosts, const launch::Host& host, const std::string& folder,
                              int& signal) const {
  auto send = hosts.on(host, {"sh", "-c", kSend, "weir", folder_, id_});
  auto pipe = platform::Pipe::make();
  if (!send) return send.status();
  if (!pipe) return io_error("no pipe for the traces of other hosts");
  send->in = Command::kNothing;
  send->out = pipe->write.number();
  auto unpack = platform::Process::start({.words = {"sh", "-c", kUnpack, "weir", folder}, .in = pipe->read.number()});
  if (!unpack) return unpack.status();
  pipe->read.close();
  auto child = Child::start(*send);
  pipe->write.close();
  const ChildEnd sent = child ? child->wait() : ChildEnd{};
  const platform::ProcessEnd unpacked = unpack->wait();
  if (!child) return child.status();
  signal = sent.signal;
  if (sent.status == 0 && unpacked.well()) return Status::success();
  return io_error(
      fmt::format("the traces of host {} cannot be brought: {} has ended with status {}; they are there as {}/{}.*",
                  host.name, sent.status != 0 ? "the mpirun for it" : "tar on this host",
                  sent.status != 0 ? sent.status : unpacked.status, folder_, id_));
}

base::Result<int> HostTraces::put_in_place(const std::string& folder) const {
  int files = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = name_here(entry.path().filename().string(), id_, trace_);
    if (name.empty()) continue;
    fs::rename(entry.path(), name, error);
    if (error) return io_error(fmt::format("{}: cannot be written: {}", name, error.message()));
    ++files;
  }
  if (error) return io_error(fmt::format("{}: cannot be read: {}", folder, error.message()));
  return files;
}

void HostTraces::remove_there(const Hosts& hosts) const {
  auto remove = hosts.on_each({"sh", "-c", kRemove, "weir", folder_, id_});
  if (remove) {
    remove->in = Command::kNothing;
    if (auto child = Child::start(*remove); child && child->wait().status == 0) return;
  }
  fail(fmt::format("the traces are here, and could not be removed from all hosts: {}/{}.*", folder_, id_));
}

base::Result<HostTraces::Brought> HostTraces::bring(const Hosts& hosts) const {
  const fs::path here = fs::path(trace_).parent_path();
  auto folder = TemporaryFolder::create(here.empty() ? "." : here.string(), ".weir-traces-", "--hosts");
  if (!folder) return folder.status();
  Brought brought;
  Status first = Status::success();
  for (const launch::Host& host : hosts.used()) {
    Status status = bring_from(hosts, host, folder->name(), brought.signal);
    if (first && !status) first = std::move(status);
    if (brought.signal != 0) break;
  }
  const auto files = put_in_place(folder->name());
  if (!files) return files.status();
  if (!first) return first;
  brought.files = *files;
  remove_there(hosts);
  return brought;
}

}  // namespace weir::tool
