// SPDX-License-Identifier: Apache-2.0

#include "launch/rank_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "platform/address_layout.hpp"
#include "platform/affinity.hpp"

namespace weir::launch {

namespace {

using base::Code;
using base::Status;
using platform::Descriptor;
using platform::Pipe;

// A terminal of its own, so that the program prints line by line, as it does on ours; what it prints comes unchanged.
std::optional<Pipe> make_terminal() {
  Descriptor ours(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  if (!ours.is_open() || grantpt(ours.number()) != 0 || unlockpt(ours.number()) != 0 ||
      ptsname_r(ours.number(), name, sizeof name) != 0)
    return std::nullopt;
  Descriptor theirs(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios mode{};
  if (!theirs.is_open() || tcgetattr(theirs.number(), &mode) != 0) return std::nullopt;
  mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  tcsetattr(theirs.number(), TCSANOW, &mode);
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) ioctl(theirs.number(), TIOCSWINSZ, &size);
  return Pipe{std::move(ours), std::move(theirs)};
}

std::optional<Pipe> make_stream(bool is_terminal) {
  auto stream = is_terminal ? make_terminal() : std::nullopt;
  if (!stream) stream = Pipe::make();
  if (stream) fcntl(stream->read.number(), F_SETFL, O_NONBLOCK);
  return stream;
}

struct Sockets {
  Descriptor launcher, rank;
};

std::optional<Sockets> make_control() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return Sockets{Descriptor(ends[0]), Descriptor(ends[1])};
}

// In the new process.
bool prepare(const RankCommand& command, int control) {
  // An address that one rank has written into memory of all, of a function or a constant, is right on another.
  static_cast<void>(platform::use_common_addresses());
  if (command.before) command.before();
  if (!command.os_cpus.empty()) {
    if (const Status bound = platform::bind_this_thread(command.os_cpus); !bound) {
      std::fprintf(stderr, "weir: %s: the CPUs of its cgroup have changed, try again\n", bound.message.c_str());
      return false;
    }
  }
  return fcntl(control, F_SETFD, 0) == 0;
}

}  // namespace

const std::vector<std::string>& variables_of_starters() {
  static const std::vector<std::string> names = {"WEIR_RANK",
                                                 "WEIR_RANKS",
                                                 "WEIR_HOST_RANK",
                                                 "WEIR_HOST_RANKS",
                                                 "WEIR_HOST_CORES",
                                                 "WEIR_JOB",
                                                 "WEIR_CONTROL",
                                                 "OMPI_COMM_WORLD_*",
                                                 "OMPI_MCA_ess*",
                                                 "OMPI_MCA_orte_*",
                                                 "OMPI_MCA_pmix*",
                                                 "OMPI_APP_CTX_NUM_PROCS",
                                                 "OMPI_COMMAND",
                                                 "OMPI_ARGV",
                                                 "OMPI_FILE_LOCATION",
                                                 "OMPI_FIRST_RANKS",
                                                 "OMPI_NUM_APP_CTX",
                                                 "OMPI_UNIVERSE_SIZE",
                                                 "OMPI_MCA_initial_wdir",
                                                 "PMIX_*",
                                                 "PMI_*",
                                                 "HYDI_CONTROL_FD",
                                                 "MPI_LOCALRANKID",
                                                 "MPI_LOCALNRANKS",
                                                 "SLURM_PROCID",
                                                 "SLURM_LOCALID",
                                                 "SLURM_STEP_ID",
                                                 "SLURM_STEPID"};
  return names;
}

base::Result<RankProcess> start_rank(const RankCommand& command) {
  auto out = make_stream(command.out_is_terminal), error = make_stream(command.error_is_terminal);
  auto control = make_control();
  if (!out || !error || !control)
    return Status{Code::no_space, fmt::format("no pipe to a rank can be made: {}", std::strerror(errno))};
  platform::Command started{command.words, command.variables, variables_of_starters()};
  started.variables.emplace_back("WEIR_CONTROL", std::to_string(control->rank.number()));
  started.in = command.reads_input ? platform::Command::kInherited : platform::Command::kNothing;
  started.out = out->write.number();
  started.error = error->write.number();
  started.dies_with_us = true;
  started.prepare = [&, socket = control->rank.number()] { return prepare(command, socket); };
  auto process = platform::Process::start(started);
  if (!process) return process.status();
  return RankProcess{*process, std::move(out->read), std::move(error->read), std::move(control->launcher)};
}

}  // namespace weir::launch
