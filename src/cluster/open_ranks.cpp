// SPDX-License-Identifier: Apache-2.0

#include "cluster/open_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/rank_checkpoints.hpp"
#include "launch/job.hpp"
#include "launch/joined.hpp"
#include "runtime/rank_tracing.hpp"
#include "runtime/serving.hpp"
#include "runtime/tier_source.hpp"
#include "runtime/value_or_throw.hpp"
#include "trace/job_process.hpp"
#include "transport/open_transport.hpp"
#include "transport/tier_room.hpp"
#include "weir/error.hpp"

namespace weir::cluster {

using runtime::value_or_throw;

namespace {

// What all ranks are given alike.
struct Alike {
  std::int64_t copies;
  std::uint64_t checkpoint, restart;  // of the folders; 0: none
};

std::uint64_t mark_of(const std::string& folder) {
  return folder.empty() ? 0 : std::hash<std::string>()(folder) | 1;  // a build has one hash
}

std::string folder_text(const std::string& folder) { return folder.empty() ? "not set" : folder; }

// Ranks that differ would wait for tiles that nobody sends, or for a checkpoint that others do not write.
void check_alike(transport::Transport& transport, const Options& options) {
  const Alike own{options.rank_copies, mark_of(options.checkpoint), mark_of(options.restart)};
  std::vector<Alike> all(transport.ranks());
  const base::Status status =
      transport.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  runtime::ok_or_throw(status);
  const auto first_other = [&](auto member) {
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const Alike& each) { return each.*member != all.front().*member; });
    return static_cast<std::size_t>(other - all.begin());
  };
  if (const std::size_t other = first_other(&Alike::copies); other != all.size())
    throw Error(
        fmt::format("WEIR_RANK_COPIES is {} KiB on rank 0 and {} KiB on rank {}: give all ranks the same, by weir run "
                    "--rank-copies or in the environment of each",
                    all.front().copies, all[other].copies, other));
  const auto check_folder = [&](const char* variable, std::uint64_t Alike::*member, const std::string& folder) {
    const std::size_t other = first_other(member);
    if (other == all.size()) return;
    throw Error(fmt::format("{} is not the same on ranks 0 and {} (on rank {}: {}): set it alike on all", variable,
                            other, static_cast<std::uint32_t>(transport.rank()), folder_text(folder)));
  };
  check_folder("WEIR_CHECKPOINT", &Alike::checkpoint, options.checkpoint);
  check_folder("WEIR_RESTART", &Alike::restart, options.restart);
}

// For the trace: ranks of one host have one clock.
void note_rank(detail::RanksState& state, const std::string& job) {
  const transport::Transport& transport = *state.transport;
  if (transport.ranks() == 1 || !runtime::is_traced(*state.runtime)) return;
  trace::JobProcess process{static_cast<std::uint32_t>(transport.rank()), transport.ranks(), job, 0};
  if (transport.neighbours().front() != Rank{0}) {
    const transport::RankClock::Told told = state.clock->ask();
    process.job = told.job;
    process.clock_offset_ns = told.offset_ns;
  }
  runtime::note_process(*state.runtime, process);
}

}  // namespace

std::unique_ptr<detail::RanksState> open_ranks(const Options& wanted) {
  auto state = std::make_unique<detail::RanksState>();
  state->maker = std::this_thread::get_id();
  state->exceptions = std::uncaught_exceptions();
  const launch::Job job = value_or_throw(launch::job_from_environment());
  runtime::ok_or_throw(launch::check_none_joined(job));
  state->joined.emplace(job);  // before there are threads of an MPI: it changes the environment
  state->transport = value_or_throw(transport::open_transport(job));
  state->rank = state->transport->rank();
  state->clock = std::make_unique<transport::RankClock>(
      *state->transport, job.id,
      transport::RankClock::Handlers{static_cast<std::uint16_t>(Message::time_asked),
                                     static_cast<std::uint16_t>(Message::time_told)});
  state->exchange = std::make_unique<Exchange>(*state->transport);
  check_alike(*state->transport, wanted);
  const auto room = value_or_throw(transport::TierRoom::agree(*state->transport, wanted.tiers));
  state->memory = value_or_throw(transport::RegionMemory::make(*state->transport, room.all()));
  state->staging = value_or_throw(Staging::make(*state->memory, room.copies));
  Options options = wanted;  // of this rank's runtime; checkpoints are those of all
  options.checkpoint.clear();
  options.restart.clear();
  for (std::uint32_t rank = 0; rank < state->transport->ranks(); ++rank)
    state->receive_names.push_back("receive from rank " + std::to_string(rank));
  const auto processes = static_cast<unsigned>(state->transport->neighbours().size());
  transport::RegionMemory& memory = *state->memory;
  state->runtime =
      runtime::make_runtime(options, {[&memory, room, processes] { return room.tiers_in(memory, processes); }});
  if (state->transport->ranks() > 1) runtime::serve_others(*state->runtime);
  state->copies =
      std::make_shared<Copies>(*state->runtime, state->rank, Bytes{std::uint64_t(options.rank_copies) << 10});
  note_rank(*state, job.id);
  state->tile_trace = std::make_unique<TileTrace>(*state->runtime);
  try {
    state->progress = std::make_unique<Progress>(*state->transport, *state->exchange, *state->runtime);
    state->checkpoints = RankCheckpoints::open(*state, wanted);
  } catch (const std::exception& error) {
    state->exchange->announce_own_failure(error.what());
    throw Error(error.what());
  }
  return state;
}

}  // namespace weir::cluster
