// SPDX-License-Identifier: Apache-2.0

#include "ocr/ranks/membership.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "check/hooks.hpp"
#include "launch/job.hpp"
#include "launch/joined.hpp"
#include "ocr/objects/affinities.hpp"
#include "ocr/objects/become_rank.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/ranks/build.hpp"
#include "runtime/rank_tracing.hpp"
#include "runtime/workers.hpp"
#include "trace/job_process.hpp"
#include "transport/open_transport.hpp"

namespace weir::ocr {

namespace {

constexpr transport::RankClock::Handlers kClock{kMailHandler + 1, kMailHandler + 2};

// Said before any rank ends: the end of one with a failure ends the others.
base::Status say(base::Code code, const std::string& text) {
  if (!text.empty()) std::fprintf(stderr, "weir: ocr: %s\n", text.c_str());
  return {code, {}};
}

}  // namespace

Membership::Membership(std::unique_ptr<transport::Transport> transport, const launch::Job& job)
    : transport_(std::move(transport)),
      joined_(job),
      job_(job.id),
      clock_(*transport_, job_, kClock),
      mail_(*transport_) {}

base::Result<std::unique_ptr<Membership>> Membership::join(bool may_spread, const std::string& tiers) {
  auto job = launch::job_from_environment();
  if (!job) return job.status();
  if (job->ranks == 1) return std::unique_ptr<Membership>();
  if (!may_spread)
    return base::Status{
        base::Code::unsupported,
        "a program that has a main() of its own, or starts OCR by ocrLegacyInit(), runs on one rank: start "
        "it bare, or define mainEdt() instead"};
  if (base::Status status = launch::check_none_joined(*job); !status) return status;
  auto transport = transport::open_transport(*job);
  if (!transport) return transport.status();
  const std::uint32_t ranks = (*transport)->ranks();
  if (ranks == 1) return std::unique_ptr<Membership>();
  if (ranks > kMostRanks)
    return base::Status{base::Code::unsupported, fmt::format("OCR on {} ranks: {} are possible", ranks, kMostRanks)};
  become_rank(static_cast<std::uint32_t>((*transport)->rank()), ranks);
  std::unique_ptr<Membership> made(new Membership(std::move(*transport), *job));
  if (base::Status status = made->compare_builds(); !status) return status;
  if (base::Status status = made->agree(made->open_reach(tiers)); !status) return status;
  return made;
}

base::Status Membership::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  base::Status status = transport_->all_gather(mine, all);
  has_lost_one_ = has_lost_one_ || !status;
  return status;
}

// Before anything goes between ranks that has to be the same on all.
base::Status Membership::compare_builds() {
  const Build own = build_of_this_rank();
  std::vector<Build> all(transport_->ranks());
  base::Status status = gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  if (!status) return status;
  const std::string difference = difference_between(all);
  if (difference.empty()) return status;
  return say(base::Code::bad_option, homes().here == 0 ? difference : "");
}

base::Status Membership::open_reach(const std::string& tiers) {
  auto reach = Reach::make(*transport_, tiers);
  if (!reach) return reach.status();
  reach_ = std::move(*reach);
  return base::Status::success();
}

Membership::~Membership() {
  Mail::set_running(nullptr);
  Reach::set_running(nullptr);
  if (has_lost_one_) return;
  if (const base::Status status = transport_->leave(); !status)
    std::fprintf(stderr, "weir: ocr: at the end of the program: %s\n", status.message.c_str());
}

weir::detail::TierSource Membership::tiers() const {
  return {[reach = reach_.get()] { return reach->tiers_config(); }};
}

base::Status Membership::introduce(Runtime& runtime, int domains) {
  const auto own = static_cast<std::uint32_t>(domains);
  std::vector<std::uint32_t> all(transport_->ranks());
  base::Status status = gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  if (!status) return status;
  set_domains(all);
  if (trace::Track* const row = runtime::add_trace_row(runtime, "messages")) begin_trace(runtime, *row);
  if (check::active()) mail_.set_observer(&order_.emplace());
  return status;
}

// Ranks of one host have one clock. No message has been sent yet, so no other thread makes progress.
void Membership::begin_trace(Runtime& runtime, trace::Track& row) {
  trace::JobProcess process{static_cast<std::uint32_t>(transport_->rank()), transport_->ranks(), job_, 0};
  if (transport_->neighbours().front() != Rank{0}) {
    const transport::RankClock::Told told = clock_.ask();
    process.job = told.job;
    process.clock_offset_ns = told.offset_ns;
  }
  runtime::note_process(runtime, process);
  trace_.emplace(row);
  mail_.set_observer(&*trace_);
}

base::Status Membership::agree(const base::Status& mine, const Alike& alike) {
  struct Word {
    Alike alike;
    base::Code code;
    bool has_failed() const noexcept { return code != base::Code::ok; }
  };
  const Word own{alike, mine.code};
  std::vector<Word> all(transport_->ranks());
  mail_.publish_work();
  base::Status status = gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  if (!status) return mine ? status : mine;
  const std::uint32_t here = homes().here;
  const auto failed = std::find_if(all.begin(), all.end(), [](const Word& each) { return each.has_failed(); });
  if (failed != all.end()) {
    const bool all_have = std::all_of(all.begin(), all.end(), [](const Word& each) { return each.has_failed(); });
    const bool is_first = here == static_cast<std::size_t>(failed - all.begin());
    return say(failed->code, !is_first ? "" : all_have ? mine.message : fmt::format("rank {}: {}", here, mine.message));
  }
  if (std::all_of(all.begin(), all.end(), [&](const Word& each) { return each.alike == alike; })) return status;
  const bool has_same_options =
      std::all_of(all.begin(), all.end(), [&](const Word& each) { return each.alike.options == alike.options; });
  const char* const why =
      has_same_options ? "the ranks would go on from different checkpoints (WEIR_RESTART): give a folder that all reach"
                       : "WEIR_CHECKPOINT or WEIR_RESTART is set on some ranks only: set them alike on all";
  return say(base::Code::bad_option, here == 0 ? why : "");
}

void Membership::begin(Program& program, bool spreads, Duties duties) {
  constexpr std::uint32_t kPerWorker = 8;
  begin_spread(spreads, kPerWorker * static_cast<std::uint32_t>(program.scheduler().worker_count()));
  Mail::set_running(&mail_);
  Reach::set_running(reach_.get());
  postman_ = std::make_unique<Postman>(mail_, program, std::move(duties));
  const base::Status started = postman_->start();
  if (started) return;
  constexpr int kFailed = 2;  // exit code
  std::fflush(stdout);
  std::fprintf(stderr, "weir: ocr: rank %u: %s\n", homes().here, started.message.c_str());
  transport_->abort(kFailed);  // others may wait for what this one was to do
}

bool Membership::all_stand_still(Program& program) { return homes().here == 0 && ocr::all_stand_still(program, mail_); }

void Membership::end() {
  has_lost_one_ = !postman_->stop();
  reach_->end_reading();
}

}  // namespace weir::ocr
