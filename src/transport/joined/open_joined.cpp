// SPDX-License-Identifier: Apache-2.0

#include "transport/joined/open_joined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transport/joined/host.hpp"
#include "transport/joined/joined_transport.hpp"
#include "transport/mpi/link.hpp"
#include "transport/mpi/load.hpp"
#include "transport/shared/open_shared.hpp"

namespace weir::transport {
namespace {

using base::Code;
using base::Status;
using joined::HostMark;

Status check_size(const launch::Job& job, const mpi::Link& link) {
  if (job.ranks == 0 || (job.ranks == link.ranks() && job.rank == link.rank())) return Status::success();
  return {Code::bad_option,
          fmt::format(
              "{} has started this process as rank {} of {}, but to {} it is rank {} of {}: what has started the job "
              "is not of this MPI; start it with its own mpirun, or set WEIR_MPI to openmpi or mpich",
              to_string(job.starter), static_cast<std::uint32_t>(job.rank), job.ranks, link.mpi().library,
              static_cast<std::uint32_t>(link.rank()), link.ranks())};
}

Status check_threads(const OpenOptions& options, const mpi::Link& link) {
  if (!options.threads || link.mpi().threads != 0) return Status::success();
  return {Code::unsupported,
          fmt::format("{} was initialised for calls of one thread at a time (MPI_THREAD_SERIALIZED or less), and here "
                      "several threads of a rank call it, at times that the program does not know: initialise it by "
                      "MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted), which has to "
                      "grant that, or not before Weir, which does so itself",
                      link.mpi().library)};
}

base::Result<std::vector<HostMark>> exchange_marks(mpi::Link& link) {
  const HostMark mine = joined::own_mark();
  std::vector<HostMark> all(link.ranks());
  if (Status status = link.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
      !status)
    return status;
  return all;
}

// What went wrong on any rank goes wrong on all.
Status agree(mpi::Link& link, const Status& own) {
  std::array<char, 400> words{};
  own.message.copy(words.data(), words.size() - 1);
  std::vector<char> all(words.size() * link.ranks());
  if (Status status = link.all_gather(std::as_bytes(std::span(words)), std::as_writable_bytes(std::span(all))); !status)
    return status;
  for (std::uint32_t i = 0; i < link.ranks(); ++i)
    if (all[i * words.size()] != 0)
      return {own ? Code::lost : own.code, fmt::format("rank {}: {}", i, &all[i * words.size()])};
  return Status::success();
}

}  // namespace

base::Result<std::unique_ptr<Transport>> open_joined(const launch::Job& job, const OpenOptions& options,
                                                     bool neighbours) {
  const auto calls = mpi::load(job);
  if (!calls) return calls.status();
  auto opened = mpi::Link::open(**calls);
  if (!opened) return opened.status();
  mpi::Link& link = **opened;
  if (Status status = check_size(job, link); !status) return status;
  const auto marks = exchange_marks(link);
  if (!marks) return marks.status();
  const std::vector<Rank> group = neighbours ? joined::neighbours_of(link.rank(), *marks) : std::vector{link.rank()};
  const std::uint64_t nonce = (*marks)[static_cast<std::size_t>(group.front())].nonce;
  const auto own = std::find(group.begin(), group.end(), link.rank());
  auto near = open_shared({.job = fmt::format("mpi-{:x}", nonce),
                           .rank = static_cast<Rank>(own - group.begin()),
                           .ranks = static_cast<std::uint32_t>(group.size()),
                           .cores = job.host_cores,
                           .control = job.control,
                           .ends_with_parent = job.is_of_mpi(),
                           .patience = options.patience});
  const Status threads = check_threads(options, link);
  if (Status status = agree(link, threads ? near.status() : threads); !status) return status;
  return std::unique_ptr<Transport>(new joined::JoinedTransport(std::move(*opened), std::move(*near), group));
}

}  // namespace weir::transport
