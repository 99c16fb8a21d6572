// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/one_line.hpp"

namespace weir::transport::mpi {
namespace {

using base::Code;
using base::Status;
using std::filesystem::path;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_loaded(const char* library) { return dlopen(library, RTLD_NOW | RTLD_NOLOAD) != nullptr; }

std::string linked_mpi() {
  if (is_loaded("libmpi.so.40")) return "openmpi";
  if (is_loaded("libmpich.so.12") || is_loaded("libmpi.so.12")) return "mpich";
  return "";
}

// The file of the program or library that has this code.
path own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&own_file), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failed;
  return std::filesystem::weakly_canonical(info.dli_fname, failed);
}

Origins own_origins() {
  std::error_code failed;
  return {own_file(), std::filesystem::read_symlink("/proc/self/exe", failed), variable("WEIR_LIBEXEC")};
}

const char* package_of(const std::string& mpi) { return mpi == "openmpi" ? "weir-openmpi" : "weir-mpich"; }

Status not_found(const std::string& mpi, const std::string& file, const char* words) {
  const Origins origins = own_origins();
  return {
      Code::not_found,
      fmt::format("ranks of several hosts reach one another by MPI, and {}, which Weir needs for it, is not to be had: "
                  "it is in no folder src/transport/mpi or libexec/weir above {} or {}, nor in {}{}{} ({}); install "
                  "the package {}, or build Weir where {} is installed, or set WEIR_MPI to the path of the plugin or "
                  "the name of "
                  "another MPI",
                  file, origins.program.string(), origins.library.string(), origins.libexec,
                  origins.libexec.empty() ? "" : " or ", WEIR_LIBEXEC, words, package_of(mpi),
                  mpi == "openmpi" ? "libopenmpi-dev" : "libmpich-dev")};
}

// Global, as Open MPI's own plugins find its symbols only so.
base::Result<const WeirMpiCalls*> open_file(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (library == nullptr) return Status{Code::not_found, base::one_line(dlerror())};
  const auto get = reinterpret_cast<decltype(&weir_mpi_calls)>(dlsym(library, "weir_mpi_calls"));
  if (get == nullptr) return Status{Code::bad_option, fmt::format("{} is no plugin of Weir's for MPI", file)};
  const WeirMpiCalls* const calls = get();
  if (calls->version != WEIR_MPI_CALLS_VERSION)
    return Status{
        Code::bad_option,
        fmt::format("{} is of another version of Weir: it has version {} of the calls, and {} is needed; install "
                    "the one that came with this version",
                    file, calls->version, WEIR_MPI_CALLS_VERSION)};
  return calls;
}

std::string file_of(const std::string& mpi) { return fmt::format("libweir-transport-{}.so", mpi); }

// Empty: it is in none of them.
std::string found_in_folders(const std::string& file) {
  std::error_code failed;
  for (const path& place : places(own_origins(), file))
    if (std::filesystem::exists(place, failed)) return place.string();
  return {};
}

base::Result<const WeirMpiCalls*> find(const std::string& mpi) {
  const std::string file = file_of(mpi);
  if (const std::string found = found_in_folders(file); !found.empty()) return open_file(found);
  auto calls = open_file(file);  // in the linker's folders
  if (!calls && calls.status().code == Code::not_found) return not_found(mpi, file, calls.status().message.c_str());
  return calls;
}

}  // namespace

// In the folder that it is built or installed in, as seen from the library or the program; a program that has the
// library in itself may be anywhere, and is told by `weir run`.
std::vector<path> places(const Origins& origins, const std::string& file) {
  std::vector<path> result;
  for (path folder : {origins.library.parent_path(), origins.program.parent_path()}) {
    for (; folder.has_relative_path(); folder = folder.parent_path()) {
      result.push_back(folder / "src/transport/mpi" / file);
      result.push_back(folder / "libexec/weir" / file);
    }
  }
  if (!origins.libexec.empty()) result.push_back(path(origins.libexec) / file);
  result.push_back(path(WEIR_LIBEXEC) / file);
  return result;
}

std::vector<Plugin> plugins() {
  std::vector<Plugin> result;
  for (const char* const mpi : {"openmpi", "mpich"}) {
    if (std::string file = found_in_folders(file_of(mpi)); !file.empty()) result.push_back({mpi, std::move(file)});
  }
  return result;
}

base::Result<std::string> choose(const Hints& hints) {
  if (!hints.wanted.empty()) {
    if (hints.wanted == "openmpi" || hints.wanted == "mpich" || hints.wanted.find('/') != std::string::npos)
      return hints.wanted;
    return Status{Code::bad_option, fmt::format("WEIR_MPI={}: openmpi, mpich, or the path of a plugin is meant",
                                                base::one_line(hints.wanted))};
  }
  if (!hints.linked.empty()) return hints.linked;
  if (hints.starter == launch::Starter::open_mpi) return std::string("openmpi");
  if (hints.starter == launch::Starter::mpich) return std::string("mpich");
  if (hints.speaks_pmix != hints.speaks_pmi) return std::string(hints.speaks_pmix ? "openmpi" : "mpich");
  return Status{
      Code::bad_option,
      fmt::format("nothing says which MPI is to connect the ranks: {} has started them; set WEIR_MPI to openmpi or "
                  "mpich, to the one that it starts ranks for",
                  to_string(hints.starter))};
}

base::Result<const WeirMpiCalls*> load(const launch::Job& job) {
  const auto mpi = choose({.wanted = variable("WEIR_MPI"),
                           .linked = linked_mpi(),
                           .starter = job.starter,
                           .speaks_pmix = !variable("PMIX_NAMESPACE").empty(),
                           .speaks_pmi = !variable("PMI_FD").empty() || !variable("PMI_PORT").empty()});
  if (!mpi) return mpi.status();
  return mpi->find('/') == std::string::npos ? find(*mpi) : open_file(*mpi);
}

}  // namespace weir::transport::mpi
