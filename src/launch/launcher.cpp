// SPDX-License-Identifier: Apache-2.0

#include "launch/launcher.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

#include "launch/ending.hpp"
#include "launch/output.hpp"
#include "launch/privileges.hpp"
#include "launch/rank_command.hpp"
#include "launch/rank_state.hpp"
#include "platform/signal_queue.hpp"

namespace weir::launch {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kToEnd{1000};    // from SIGTERM to SIGKILL
constexpr milliseconds kToWrite{3000};  // from a rank's word that it ends the job to SIGTERM
// How long the end of a rank is awaited that may be another's reason, or that another rank leaves the job.
constexpr milliseconds kForTheCause{200};
constexpr milliseconds kForAReader{2000};  // once the job has failed: how long a reader may take nothing
constexpr milliseconds kForTheLine{100};   // how long the rest of a line is awaited, before its beginning is shown

std::string name_of_host() {
  char name[256] = "this host";
  gethostname(name, sizeof name - 1);
  return name;
}

class Launcher {
 public:
  Launcher(const JobSpec& spec, platform::SignalQueue& signals)
      : spec_(spec), signals_(signals), out_(spec.out), error_(spec.error) {}

  base::Status start();
  JobEnd run();

 private:
  void wait_for_something();
  std::vector<pollfd> polled_by_all() const;
  void add_streams(std::vector<pollfd>& polled) const;
  int patience_ms() const;
  void take_signals();
  void hand_on(platform::SignalQueue::Signal signal);
  void reap();
  void take_ends();
  void take_output();
  struct Aborts {
    std::uint32_t rank = 0;
    int status = 0;
  };
  std::optional<Aborts> take_words();
  void hear();
  void write_output(const std::vector<pollfd>& polled);
  void judge();
  void end_because(const std::string& message, milliseconds until_signal);
  void end_others(int signal);
  bool shows_beginning(const RankState& rank) const;
  void finish_lines(bool all);
  bool write_rest(int most_ms);
  void leave_rest();
  void finish_output();
  void end_orphans();

  bool is_ending() const noexcept { return kill_at_.has_value(); }
  std::size_t running() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(ranks_.begin(), ranks_.end(), [](auto& rank) { return rank.runs(); }));
  }
  bool one_seeks() const noexcept {
    return std::any_of(ranks_.begin(), ranks_.end(), [](auto& rank) { return rank.runs() && rank.end().seeks; });
  }
  bool all_that_run_have_left() const noexcept {
    return running() > 0 &&
           std::all_of(ranks_.begin(), ranks_.end(), [](auto& rank) { return !rank.runs() || rank.end().has_left; });
  }
  Named named(std::uint32_t rank) const { return {rank, ranks_[rank].pid(), name_of_host()}; }

  const JobSpec& spec_;
  const ManyDescriptors descriptors_;
  const Inheriting inheriting_;
  platform::SignalQueue& signals_;
  Outlet out_, error_;
  std::vector<RankState> ranks_;
  std::uint32_t looks_ = 0;  // for ends of ranks
  JobEnd end_;
  int asked_by_ = 0;                           // the last signal by which a user has asked for an end; 0: none
  std::optional<Clock::time_point> judge_at_;  // without the rank that others name
  std::optional<Clock::time_point> kill_at_;   // the job is ending: when ranks that run get the next signal
  int next_signal_ = SIGTERM;
};

base::Status Launcher::start() {
  if (base::Status enough = descriptors_.enough_for(spec_.ranks); !enough) return enough;
  const std::string job = name_of_new_job();
  ranks_.reserve(spec_.ranks);
  for (std::uint32_t rank = 0; rank < spec_.ranks; ++rank) {
    RankCommand command = command_of(spec_, rank, job);
    command.before = [this] {
      descriptors_.restore();
      signals_.restore_mask();
    };
    auto process = start_rank(command);
    if (!process) {
      end_others(SIGKILL);
      for (const RankState& started : ranks_) platform::wait_for(started.pid());
      return process.status();
    }
    ranks_.emplace_back(std::move(process.value()), spec_.label ? fmt::format("[{}] ", rank) : "");
  }
  return base::Status::success();
}

JobEnd Launcher::run() {
  while (running() > 0) wait_for_something();
  take_output();
  if (is_ending()) end_orphans();
  finish_output();
  if (out_.is_broken() || error_.is_broken()) end_.output_lost = true;
  return end_;
}

void Launcher::add_streams(std::vector<pollfd>& polled) const {
  for (const RankState& rank : ranks_) {
    if (!out_.is_full()) polled.push_back({rank.out(), POLLIN, 0});
    if (!error_.is_full()) polled.push_back({rank.error(), POLLIN, 0});
    if (rank.runs()) polled.push_back({rank.control(), POLLIN, 0});
  }
}

// Until when to sleep at most; -1: for as long as nothing happens.
int Launcher::patience_ms() const {
  std::optional<Clock::time_point> until = kill_at_;
  if (judge_at_ && (!until || *judge_at_ < *until)) until = judge_at_;
  const bool line = std::any_of(ranks_.begin(), ranks_.end(), [&](auto& rank) { return shows_beginning(rank); });
  const milliseconds most = line ? kForTheLine : milliseconds(-1);
  if (!until) return static_cast<int>(most.count());
  const auto left = std::max(std::chrono::ceil<milliseconds>(*until - Clock::now()), milliseconds(0));
  return static_cast<int>(line ? std::min(left, most).count() : left.count());
}

std::vector<pollfd> Launcher::polled_by_all() const {
  return {{signals_.descriptor(), POLLIN, 0},
          {out_.has_more() ? out_.file() : -1, POLLOUT, 0},
          {error_.has_more() ? error_.file() : -1, POLLOUT, 0}};
}

// A question to the user, who is at a terminal or writes to rank 0; otherwise lines stay whole.
bool Launcher::shows_beginning(const RankState& rank) const {
  const bool is_awaited = &rank == &ranks_.front() || isatty(spec_.out) != 0;
  return !spec_.label && is_awaited && rank.has_begun_a_line();
}

// At the end, all; before that those of which the beginning is to be shown.
void Launcher::finish_lines(bool all) {
  for (RankState& rank : ranks_) {
    if (!all && !shows_beginning(rank)) continue;
    rank.finish_out(out_.waiting());
    rank.finish_error(error_.waiting());
  }
}

void Launcher::wait_for_something() {
  std::vector<pollfd> polled = polled_by_all();
  add_streams(polled);
  const int ready = poll(polled.data(), polled.size(), patience_ms());
  if (ready == 0) finish_lines(false);
  if (ready > 0) {
    write_output(polled);
    take_output();
    hear();
    if (one_seeks()) judge();  // it may look for a rank that has ended
    if (polled[0].revents != 0) take_signals();
  }
  if (judge_at_ && Clock::now() >= *judge_at_) judge();
  if (kill_at_ && Clock::now() >= *kill_at_) {
    end_others(next_signal_);
    next_signal_ = SIGKILL;
    kill_at_ = Clock::now() + kToEnd;
  }
}

void Launcher::write_output(const std::vector<pollfd>& polled) {
  if (polled[1].revents != 0) out_.write_some();
  if (polled[2].revents != 0) error_.write_some();
}

void Launcher::take_output() {
  for (RankState& rank : ranks_) {
    while (!out_.is_full() && rank.read_out(out_.waiting())) {
    }
    while (!error_.is_full() && rank.read_error(error_.waiting())) {
    }
  }
}

// What ranks have said; the first that aborts the job.
std::optional<Launcher::Aborts> Launcher::take_words() {
  std::optional<Aborts> first;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto aborts = ranks_[rank].hear();
    if (aborts && !first) first = Aborts{rank, *aborts};
  }
  return first;
}

// Ranks that wait notice it, and end by themselves with what they have printed; so does the one that says it. It takes
// them milliseconds, and more than a second where far more programs run than there are processors. One that aborts the
// job as it has noticed that a signal has ended another is not its cause: of a launcher that was stopped meanwhile both
// are news.
void Launcher::hear() {
  const std::optional<Aborts> aborts = take_words();
  if (!aborts || is_ending()) return;
  reap();
  take_output();                    // their last words
  static_cast<void>(take_words());  // the last of those that have ended
  const auto is_cause = [](const RankState& rank) { return !rank.runs() && rank.end().end.signal != 0; };
  if (std::any_of(ranks_.begin(), ranks_.end(), is_cause)) return judge();
  end_.status = aborts->status & 0xff;
  const Named who = named(aborts->rank);
  end_because(aborts->status == 0 ? ""
                                  : fmt::format("rank {} (process {} on {}) has ended the job with status {}", who.rank,
                                                who.pid, who.host, end_.status),
              kToWrite);
}

void Launcher::take_signals() {
  while (const auto signal = signals_.next()) {
    if (signal->number == SIGCHLD)
      take_ends();
    else
      hand_on(*signal);
  }
}

// A terminal sends its signals to the ranks, too; whoever uses kill(1) does not.
void Launcher::hand_on(platform::SignalQueue::Signal signal) {
  if (signal.number != SIGUSR1 && signal.number != SIGUSR2) asked_by_ = signal.number;
  if (!signal.by_terminal) end_others(signal.number);
}

void Launcher::reap() {
  if (!judge_at_) ++looks_;
  while (const auto reaped = platform::reap_child()) {
    const auto rank = std::find_if(ranks_.begin(), ranks_.end(),
                                   [&](const RankState& r) { return r.runs() && r.pid() == reaped->pid; });
    if (rank != ranks_.end()) rank->has_ended(reaped->end, looks_);
  }
}

void Launcher::take_ends() {
  reap();
  take_output();  // last words
  hear();
  judge();
}

void Launcher::judge() {
  if (is_ending()) return;
  std::vector<RankEnd> ends;
  ends.reserve(ranks_.size());
  for (const RankState& rank : ranks_) ends.push_back(rank.end());
  const bool is_sought = one_seeks(), others_have_left = all_that_run_have_left();
  for (RankEnd& end : ends) {
    end.is_sought = is_sought;
    end.others_have_left = others_have_left;
  }
  if (std::none_of(ends.begin(), ends.end(), [](const RankEnd& end) { return end.is_failure(); })) {
    judge_at_.reset();
    return;
  }
  const bool may_still_come = running() > 0 && (!judge_at_ || Clock::now() < *judge_at_);
  const bool comes = may_still_come && std::any_of(ranks_.begin(), ranks_.end(), [](const RankState& rank) {
                       return rank.runs() && platform::is_exiting(rank.pid());
                     });
  const auto failed = comes ? std::nullopt : first_failure(ends, may_still_come);
  if (!failed) {
    if (!judge_at_) judge_at_ = Clock::now() + kForTheCause;
    return;
  }
  end_.status = status_of(ends[*failed]);
  if (ends[*failed].end.signal == asked_by_) end_.asked_by = asked_by_;
  const bool as_asked = asked_by_ != 0 && end_.status == 128 + asked_by_;
  end_because(as_asked ? "" : describe(named(*failed), ends[*failed], ranks_[*failed].last_words(), running()),
              milliseconds(0));
}

void Launcher::end_because(const std::string& message, milliseconds until_signal) {
  judge_at_.reset();
  kill_at_ = Clock::now() + until_signal;
  if (!message.empty()) {
    for (RankState& rank : ranks_) rank.finish_error(error_.waiting());
    if (!error_.is_at_line_start()) error_.waiting() += '\n';
    error_.waiting() += spec_.as_line(message);
  }
}

void Launcher::end_others(int signal) {
  for (const RankState& rank : ranks_) {
    if (rank.runs()) ::kill(rank.pid(), signal);
  }
}

// Programs that shells among the ranks had started, and that are of no use without the others.
void Launcher::end_orphans() {
  for (;;) {
    const std::vector<pid_t> left = platform::children_of_this_thread();
    if (left.empty()) return;
    for (const pid_t pid : left) {
      ::kill(pid, SIGKILL);
      platform::wait_for(pid);
    }
  }
}

// All that is left. False: its reader has taken nothing for so long (-1: for ever).
bool Launcher::write_rest(int most_ms) {
  for (;;) {
    take_output();
    if (!out_.has_more() && !error_.has_more()) finish_lines(true);
    if (!out_.has_more() && !error_.has_more()) return true;
    std::vector<pollfd> polled = polled_by_all();
    const int ready = poll(polled.data(), polled.size(), most_ms);
    if (ready == 0) return false;
    if (ready < 0) continue;
    write_output(polled);
    while (const auto signal = signals_.next()) {
      if (signal->number == SIGCHLD || signal->number == SIGUSR1 || signal->number == SIGUSR2) continue;
      end_.asked_by = signal->number;
      return true;
    }
  }
}

// To a process of its own, which ends when the reader has taken all, is gone, or a signal comes. It holds nothing that
// others may wait for but what it writes to.
void Launcher::leave_rest() {
  const pid_t writer = fork();
  if (writer < 0) end_.output_lost = true;
  if (writer != 0) return;
  signals_.restore_mask();
  const int last = std::max(out_.file(), error_.file());
  for (int file = 0; file <= last; ++file) {
    const bool is_written = (file == out_.file() && out_.has_more()) || (file == error_.file() && error_.has_more());
    if (!is_written) close(file);
  }
  close_range(static_cast<unsigned>(last) + 1, ~0U, 0);
  while (out_.has_more() || error_.has_more()) {
    std::vector<pollfd> polled = polled_by_all();
    polled.front().fd = -1;
    if (poll(polled.data(), polled.size(), -1) > 0) write_output(polled);
  }
  _exit(0);
}

// The status of a job that has failed does not wait for a reader that takes nothing any more. When the user has asked
// for the end, or asks now, what was not taken is lost.
void Launcher::finish_output() {
  const bool as_asked = asked_by_ != 0 && is_ending();
  const bool has_failed = is_ending() && (end_.status != 0 || asked_by_ != 0);
  const bool all = write_rest(has_failed ? static_cast<int>(kForAReader.count()) : -1);
  if (!all && !as_asked) leave_rest();
}

}  // namespace

base::Result<JobEnd> run_job(const JobSpec& spec) {
  const auto signals = platform::SignalQueue::make({SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2});
  if (!signals) return signals.status();
  Launcher launcher(spec, **signals);
  if (base::Status started = launcher.start(); !started) return started;
  return launcher.run();
}

}  // namespace weir::launch
