// SPDX-License-Identifier: Apache-2.0

#include "launch/job.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/one_line.hpp"
#include "launch/control.hpp"
#include "launch/tasks_per_node.hpp"

namespace weir::launch {

namespace {

using base::Code;
using base::Status;

// Reads numbers and remembers the first that is wrong; what follows a mistake means nothing.
class Reader {
 public:
  explicit Reader(const Variables& variables) : variables_(variables) {}

  bool has(const char* name) const { return variables_(name).has_value(); }
  std::string text(const char* name) const { return variables_(name).value_or(""); }

  std::uint32_t number(const char* name) {
    const auto value = variables_(name);
    if (!value) {
      fail(fmt::format("the variable {} is not set, but others of its kind are: {}", name, kAdvice));
      return 0;
    }
    std::uint32_t result = 0;
    const char* const end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(value->data(), end, result);
    if (error != std::errc() || stop != end)
      fail(fmt::format("{}={}: a whole number from 0 on is needed: {}", name, base::one_line(*value), kAdvice));
    return result;
  }

  void must_be_below(const char* name, const char* limit_name) {
    const std::uint32_t value = number(name), limit = number(limit_name);
    if (value >= limit)
      fail(fmt::format("{}={} and {}={} contradict each other, as the first counts from 0: {}", name, value, limit_name,
                       limit, kAdvice));
  }

  void must_not_exceed(const char* name, const char* limit_name) {
    const std::uint32_t value = number(name), limit = number(limit_name);
    if (value > limit)
      fail(fmt::format("{}={} and {}={} contradict each other, as a host has at most all ranks: {}", name, value,
                       limit_name, limit, kAdvice));
  }

  void fail(std::string message) {
    if (status_) status_ = {Code::bad_option, std::move(message)};
  }
  const Status& status() const noexcept { return status_; }

 private:
  static constexpr const char* kAdvice =
      "what has started this process (weir run -n, mpirun, srun) sets these variables; unset them where they are left "
      "over";

  const Variables& variables_;
  Status status_;
};

// How a starter calls its numbers; null: it does not say that.
struct Names {
  const char *rank, *ranks, *host_rank, *host_ranks;
};
constexpr Names kWeir = {"WEIR_RANK", "WEIR_RANKS", "WEIR_HOST_RANK", "WEIR_HOST_RANKS"};
constexpr Names kOpenMpi = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                            "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names kHydra = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
constexpr Names kPmi = {"PMI_RANK", "PMI_SIZE", nullptr, nullptr};

Job read_numbers(Reader& from, Starter starter, const Names& names) {
  Job job;
  job.starter = starter;
  job.rank = Rank(from.number(names.rank));
  job.ranks = from.number(names.ranks);
  from.must_be_below(names.rank, names.ranks);
  job.host_ranks = 0;
  if (names.host_rank == nullptr) return job;
  job.host_rank = from.number(names.host_rank);
  job.host_ranks = from.number(names.host_ranks);
  from.must_be_below(names.host_rank, names.host_ranks);
  from.must_not_exceed(names.host_ranks, names.ranks);
  return job;
}

Job read_weir(Reader& from) {
  Job job = read_numbers(from, Starter::weir, kWeir);
  job.id = from.text("WEIR_JOB");
  if (job.id.empty()) from.fail("WEIR_RANK is set, and WEIR_JOB is not: both are set by weir run -n; unset WEIR_RANK");
  if (from.has("WEIR_HOST_CORES")) job.host_cores = from.number("WEIR_HOST_CORES");
  if (!from.has("WEIR_CONTROL")) return job;
  const int control = static_cast<int>(from.number("WEIR_CONTROL"));
  job.control = is_control(control) ? control : -1;  // a program between the launcher and this one may have closed it
  return job;
}

Job read_open_mpi(Reader& from) {
  Job job = read_numbers(from, Starter::open_mpi, kOpenMpi);
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid"}) {
    if (job.id.empty() && from.has(name)) job.id = "ompi-" + from.text(name);
  }
  if (job.id.empty())
    from.fail("OMPI_COMM_WORLD_RANK is set, and PMIX_NAMESPACE is not: start it by mpirun or weir run");
  return job;
}

// Hydra names its jobs only to who speaks PMI, which MPI_Init() is to do. The socket to its proxy, the same process for
// all ranks of a host, was made by that; a shell between the two changes nothing.
std::string id_of_proxy(Reader& from) {
  if (from.has("PMI_FD")) {
    ucred proxy{};
    socklen_t size = sizeof proxy;
    const int socket = static_cast<int>(from.number("PMI_FD"));
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &proxy, &size) == 0 && proxy.pid > 0)
      return fmt::format("pmi-{}", proxy.pid);
  }
  if (from.has("PMI_PORT")) return "pmi-" + from.text("PMI_PORT");
  return fmt::format("pmi-{}", getppid());
}

Job read_pmi(Reader& from) {
  Job job = read_numbers(from, Starter::mpich, from.has("MPI_LOCALNRANKS") ? kHydra : kPmi);
  job.id = id_of_proxy(from);
  return job;
}

Job read_slurm(Reader& from) {
  const char* const ranks = from.has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  Job job = read_numbers(from, Starter::slurm, {"SLURM_PROCID", ranks, nullptr, nullptr});
  job.id = fmt::format("slurm-{}.{}", from.text("SLURM_JOB_ID"), from.text("SLURM_STEP_ID"));
  const char* const per_node =
      from.has("SLURM_STEP_TASKS_PER_NODE") ? "SLURM_STEP_TASKS_PER_NODE" : "SLURM_TASKS_PER_NODE";
  if (!from.has(per_node) || !from.has("SLURM_NODEID") || !from.has("SLURM_LOCALID")) return job;
  const auto tasks = tasks_of_node(from.text(per_node), from.number("SLURM_NODEID"));
  job.host_rank = from.number("SLURM_LOCALID");
  if (!tasks || *tasks > job.ranks || job.host_rank >= *tasks)
    from.fail(fmt::format("{}={}, SLURM_NODEID={} and SLURM_LOCALID={} contradict each other", per_node,
                          base::one_line(from.text(per_node)), from.text("SLURM_NODEID"), job.host_rank));
  else
    job.host_ranks = *tasks;
  return job;
}

Job read_pmix(Reader& from) {
  Job job;
  job.starter = Starter::open_mpi;
  job.rank = Rank(from.number("PMIX_RANK"));
  job.ranks = job.host_ranks = 0;
  job.id = "pmix-" + from.text("PMIX_NAMESPACE");
  return job;
}

// weir run takes the variables of others away from what it starts, so that those that are set are of one further in.
Job read(Reader& from) {
  if (from.has(kOpenMpi.rank)) return read_open_mpi(from);
  if (from.has("PMI_RANK") && (from.has("MPI_LOCALNRANKS") || !from.has("SLURM_STEP_ID"))) return read_pmi(from);
  if (from.has("SLURM_STEP_ID") && from.has("SLURM_PROCID"))
    return read_slurm(from);  // the latter is a batch script's, too
  // MPI_Init() of a process that no mpirun has started sets PMIx's: they speak of itself alone.
  if (from.has(kWeir.rank) || from.has(kWeir.ranks)) return read_weir(from);
  if (from.has("PMIX_RANK")) return read_pmix(from);
  return {};
}

}  // namespace

const char* to_string(Starter starter) noexcept {
  static constexpr const char* kNames[] = {"none", "weir run", "Open MPI (PMIx)", "MPICH (PMI)", "Slurm"};
  return kNames[static_cast<int>(starter)];
}

base::Result<Job> job_from(const Variables& variables) {
  Reader reader(variables);
  Job job = read(reader);
  if (!reader.status()) return reader.status();
  return job;
}

base::Result<Job> job_from_environment() {
  return job_from([](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

}  // namespace weir::launch
