// SPDX-License-Identifier: Apache-2.0

#include "rank_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "rank_clocks.hpp"
#include "report/nesting.hpp"
#include "report/read_trace.hpp"

namespace weir::tool::job {

namespace {

using report::Message;
using report::Ns;
using report::Task;
using report::Trace;

// Which message, of those of one rank to another.
using MessageKey = std::tuple<int, int, trace::RankMessage, trace::MessageName>;

MessageKey key_of(const Message& message, int rank) {
  const int other = static_cast<int>(message.other);
  return {message.is_sent ? rank : other, message.is_sent ? other : rank, message.what, message.name};
}

// By the names of the hosts: which of them each file is of.
std::vector<std::size_t> hosts_of(const JobFiles& job) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> hosts;
  for (const PeFile& file : job.files) hosts.push_back(numbers.try_emplace(file.host, numbers.size()).first->second);
  return hosts;
}

// What goes from host to host, of traces in the order of the files, whose times `shifts` bring to one clock.
std::vector<ShortestWay> shortest_ways(const JobFiles& job, const std::vector<Trace>& ranks,
                                       const std::vector<std::size_t>& hosts, const std::vector<Ns>& shifts) {
  struct Sent {
    Ns at = 0;
    std::size_t host = 0;
  };
  std::map<MessageKey, Sent> sent;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const Message& message : ranks[i].messages)
      if (message.is_sent) sent.try_emplace(key_of(message, job.files[i].pe), message.start + shifts[i], hosts[i]);
  }
  std::map<std::pair<std::size_t, std::size_t>, Ns> least;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const Message& message : ranks[i].messages) {
      const auto of = message.is_sent ? sent.end() : sent.find(key_of(message, job.files[i].pe));
      if (of == sent.end() || of->second.host == hosts[i]) continue;
      const Ns took = message.end + shifts[i] - of->second.at;
      const auto [place, is_new] = least.try_emplace({of->second.host, hosts[i]}, took);
      if (!is_new) place->second = std::min(place->second, took);
    }
  }
  std::vector<ShortestWay> ways;
  for (const auto& [pair, ns] : least) ways.push_back({pair.first, pair.second, ns});
  return ways;
}

// What brings the times of each rank to one clock: as the ranks have found it, and of ranks on several hosts so that no
// message comes before it was sent, if that can be.
std::vector<Ns> shifts_of(const JobFiles& job, const std::vector<Trace>& ranks) {
  Ns first = INT64_MAX;
  for (const PeFile& file : job.files) first = std::min(first, file.origin_ns());
  std::vector<Ns> shifts;
  for (const PeFile& file : job.files) shifts.push_back(file.origin_ns() - first);
  const std::vector<std::size_t> hosts = hosts_of(job);
  const std::size_t count = *std::max_element(hosts.begin(), hosts.end()) + 1;
  if (count == 1) return shifts;
  const std::vector<Ns> moves = clock_moves(count, shortest_ways(job, ranks, hosts, shifts));
  const Ns least = *std::min_element(moves.begin(), moves.end());
  for (std::size_t i = 0; i < shifts.size(); ++i) shifts[i] += moves[hosts[i]] - least;
  return shifts;
}

// Adds one rank's trace to those of the ranks before it.
class Joiner {
 public:
  explicit Joiner(RankTrace& to) : all_(to.trace), to_(to) { all_.tasks.emplace_back(); }

  // `shift`: from its times to those that all have in common.
  void add(const PeFile& file, Trace&& rank, Ns shift) {
    shift_ = shift;
    rank_ = file.pe;
    tasks_ = static_cast<std::uint32_t>(all_.tasks.size()) - 1;
    add_times(rank);
    add_names(rank);
    add_rows(rank);
    add_tasks(std::move(rank.tasks));
    add_intervals(rank);
    add_memory(rank);
    for (Message& message : rank.messages) add_message(message);
    all_.processes.push_back({rank.workers, tasks_ + 1, static_cast<std::uint32_t>(all_.tasks.size())});
  }

 private:
  std::uint32_t task(std::uint32_t number) const noexcept { return number == 0 ? 0 : number + tasks_; }

  void add_times(const Trace& rank) {
    to_.lives.emplace_back(rank.start + shift_, rank.end + shift_);
    const bool is_first = to_.lives.size() == 1;
    all_.start = is_first ? to_.lives.back().first : std::min(all_.start, to_.lives.back().first);
    all_.end = is_first ? to_.lives.back().second : std::max(all_.end, to_.lives.back().second);
    all_.workers += rank.workers;
    all_.lost_events += rank.lost_events;
    all_.cut = all_.cut || rank.cut;
    all_.edts = all_.edts || rank.edts;
    all_.evictions += rank.evictions;
    all_.memory_gb_per_s += rank.memory_gb_per_s;
    for (const auto& [name, value] : rank.counters) all_.counters[name] += value;
  }

  void add_names(const Trace& rank) {
    names_.clear();
    for (const std::string& name : rank.names) {
      const auto [place, is_new] = name_numbers_.try_emplace(name, static_cast<int>(all_.names.size()));
      if (is_new) all_.names.push_back(name);
      names_.push_back(place->second);
    }
  }

  void add_rows(const Trace& rank) {
    rows_ = static_cast<std::uint32_t>(all_.tracks.size());
    const auto process = static_cast<std::uint32_t>(all_.processes.size());
    for (std::uint32_t i = 0; i < rank.tracks.size(); ++i) {
      const report::TrackRow& row = rank.tracks[i];
      const bool serves = serves_others(rank, i);
      all_.tracks.push_back({fmt::format("rank {} {}", rank_, row.name), serves ? -1 : row.worker, row.domain, process,
                             serves || row.of_library});
    }
  }

  // A thread of the library that looks for what other ranks ask is no worker: one of the program's own looks for tasks
  // only while it waits for something.
  static bool serves_others(const Trace& rank, std::uint32_t track) {
    if (rank.tracks[track].worker < rank.workers) return false;
    const auto first = std::find_if(rank.spans.begin(), rank.spans.end(),
                                    [track](const report::Span& span) { return span.track == track; });
    return first != rank.spans.end() && first->doing == report::Doing::search;
  }

  void add_tasks(std::vector<Task>&& tasks) {
    for (std::size_t i = 1; i < tasks.size(); ++i) {
      Task& task = tasks[i];
      task.start += shift_;
      task.end += shift_;
      if (task.spawned >= 0) task.spawned += shift_;
      task.name = names_.empty() ? 0 : names_[static_cast<std::size_t>(task.name)];
      report::FewNumbers before;
      for (const std::uint32_t number : task.comes_after) before.push_back(this->task(number));
      task.comes_after = std::move(before);
      all_.tasks.push_back(std::move(task));
    }
  }

  void add_intervals(const Trace& rank) {
    for (report::Span span : rank.spans) {
      span.start += shift_;
      span.end += shift_;
      span.track += rows_;
      span.task = task(span.task);
      all_.spans.push_back(span);
    }
    for (report::DataWait wait : rank.data_waits) {
      wait.start += shift_;
      wait.end += shift_;
      wait.task = task(wait.task);
      if (wait.had_by >= 0) wait.had_by = names_[static_cast<std::size_t>(wait.had_by)];
      all_.data_waits.push_back(wait);
    }
    for (const report::LateEnd& late : rank.late_ends) all_.late_ends.push_back({task(late.task), late.at + shift_});
    for (report::Steal steal : rank.steals) {
      steal.at += shift_;
      steal.track += rows_;
      all_.steals.push_back(steal);
    }
  }

  // Tiers of a rank are its own.
  void add_memory(const Trace& rank) {
    const auto own = [&](const std::string& tier) { return fmt::format("rank {} {}", rank_, tier); };
    const std::size_t blocks = all_.blocks.size();
    all_.blocks.insert(all_.blocks.end(), rank.blocks.begin(), rank.blocks.end());
    for (report::Move move : rank.moves) {
      move.start += shift_;
      move.end += shift_;
      move.block += blocks;
      move.from = own(move.from);
      move.to = own(move.to);
      all_.moves.push_back(std::move(move));
    }
    for (report::Tier tier : rank.tiers) {
      tier.name = own(tier.name);
      all_.tiers.push_back(std::move(tier));
    }
    for (const auto& [tier, changes] : rank.residency) {
      auto& all = all_.residency[own(tier)];
      for (const report::Resident& change : changes) all.push_back({change.at + shift_, change.bytes});
    }
  }

  void add_message(const Message& message) {
    const MessageKey key = key_of(message, rank_);
    const auto [place, is_new] = crossings_.try_emplace(key, to_.crossings.size());
    if (is_new) {
      to_.crossings.emplace_back();
      to_.crossings.back().block = message.block;
    }
    Crossing& crossing = to_.crossings[place->second];
    crossing.what = message.what;
    crossing.from = std::get<0>(key);
    crossing.to = std::get<1>(key);
    if (!message.is_sent || !crossing.is_received) crossing.bytes = message.bytes;  // the receiver knows what has come
    if (message.is_sent) {
      crossing.is_sent = true;
      crossing.sent = message.start + shift_;
      crossing.sender = task(message.task);
    } else {
      crossing.is_received = true;
      crossing.wanted = message.start + shift_;
      crossing.came = message.end + shift_;
      crossing.receiver = task(message.task);
    }
  }

  Trace& all_;
  RankTrace& to_;
  std::map<std::string, int> name_numbers_;
  std::map<MessageKey, std::size_t> crossings_;

  // Of the rank that is added.
  Ns shift_ = 0;
  int rank_ = 0;
  std::uint32_t tasks_ = 0, rows_ = 0;
  std::vector<int> names_;
};

// What tasks have waited for other ranks' messages, and whom they come after.
class Linker {
 public:
  explicit Linker(RankTrace& of)
      : of_(of), tasks_(of.trace.tasks), received_by_(tasks_.size(), kNone), rows_(tasks_.size(), kNoRow) {}

  void link() {
    note_rows();
    for (std::size_t i = 0; i < of_.crossings.size(); ++i) {
      Crossing& crossing = of_.crossings[i];
      crossing.maker = crossing.what == trace::RankMessage::answer ? 0 : last_before(crossing.sender);
      if (crossing.maker == 0 && crossing.is_of_ocr()) crossing.maker = crossing.sender;
      if (crossing.is_received && crossing.receiver != 0) link_receiver(i, crossing);
    }
    for (std::uint32_t i = 1; i < tasks_.size(); ++i) link(i);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

  std::uint32_t last_before(std::uint32_t task) const {
    std::uint32_t last = 0;
    for (const std::uint32_t before : tasks_[task].comes_after) {
      if (last == 0 || tasks_[before].end > tasks_[last].end) last = before;
    }
    return last;
  }

  void note_rows() {
    for (const report::Span& span : of_.trace.spans)
      if (span.doing == report::Doing::task) rows_[span.task] = span.track;
  }

  // What another rank asks is done by a task of its own, which whoever asks has made at that moment.
  void link_request(const Crossing& crossing) {
    tasks_[crossing.receiver].spawned = crossing.sent;
    tasks_[crossing.receiver].asked = true;
    note_at_sender(crossing, report::Doing::spawn);
  }

  // The task that sends it lets the receiver run, and may end later.
  void link_block(const Crossing& crossing) {
    if (crossing.sender == 0) return;
    tasks_[crossing.receiver].comes_after.push_back(crossing.sender);
    if (crossing.is_sent) note_at_sender(crossing, report::Doing::ready);
  }

  void note_at_sender(const Crossing& crossing, report::Doing doing) {
    if (crossing.sender == 0 || rows_[crossing.sender] == kNoRow) return;
    of_.trace.spans.push_back({crossing.sent, crossing.sent, rows_[crossing.sender], doing, crossing.receiver});
  }

  // It waits for nothing else from when it wants it to when it is there.
  void note_whole_wait(Crossing& crossing) {
    crossing.reader = crossing.receiver;
    crossing.waited = crossing.came - crossing.wanted;
    const int maker = crossing.maker == 0 ? -1 : tasks_[crossing.maker].name;
    of_.trace.data_waits.push_back({crossing.wanted, crossing.came, crossing.receiver, report::For::rank, maker});
  }

  void link_receiver(std::size_t number, Crossing& crossing) {
    Task& receiver = tasks_[crossing.receiver];
    switch (crossing.what) {
      case trace::RankMessage::tile:
      case trace::RankMessage::part:
        received_by_[crossing.receiver] = number;
        receiver.end = std::max(receiver.end, crossing.came);
        return;
      case trace::RankMessage::request:
        if (crossing.is_sent) link_request(crossing);
        return;
      case trace::RankMessage::answer: note_whole_wait(crossing); return;
      case trace::RankMessage::block:
        link_block(crossing);
        if (crossing.came > crossing.wanted) note_whole_wait(crossing);
        return;
    }
  }

  void link(std::uint32_t number) {
    Task& task = tasks_[number];
    Ns ready = task.spawned;  // but for what other ranks send
    std::size_t last = kNone;
    std::vector<std::uint32_t> senders;
    for (const std::uint32_t before : task.comes_after) {
      const std::size_t received = received_by_[before];
      if (received == kNone) {
        ready = std::max(ready, tasks_[before].end);
        continue;
      }
      Crossing& crossing = of_.crossings[received];
      if (crossing.first == 0 || task.start < tasks_[crossing.first].start) crossing.first = number;
      if (crossing.sender != 0) senders.push_back(crossing.sender);
      if (last == kNone || crossing.came > of_.crossings[last].came) last = received;
    }
    for (const std::uint32_t sender : senders) task.comes_after.push_back(sender);
    if (last != kNone && task.spawned >= 0) note_wait(number, ready, of_.crossings[last]);
  }

  void note_wait(std::uint32_t number, Ns ready, Crossing& crossing) {
    const Ns since = std::max(ready, crossing.wanted);
    if (crossing.came <= since) return;
    const Ns waited = crossing.came - since;
    const int maker = crossing.maker == 0 ? -1 : tasks_[crossing.maker].name;
    of_.trace.data_waits.push_back({since, crossing.came, number, report::For::rank, maker});
    if (crossing.reader == 0 || waited > crossing.reader_waited) {
      crossing.reader = number;
      crossing.reader_waited = waited;
    }
    crossing.waited += waited;
  }

  RankTrace& of_;
  std::vector<Task>& tasks_;
  std::vector<std::size_t> received_by_;  // by task: its crossing
  std::vector<std::uint32_t> rows_;       // by task: where it ran
};

}  // namespace

base::Result<RankTrace> rank_trace(const JobFiles& job) {
  RankTrace joined;
  joined.trace.machine = job.hosts_text();
  std::vector<Trace> ranks;
  for (const PeFile& file : job.files) {
    auto rank = report::read_trace(file.reader, file.info());
    if (!rank) return rank.status();
    ranks.push_back(std::move(*rank));
  }
  const std::vector<Ns> shifts = shifts_of(job, ranks);
  Joiner joiner(joined);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    joiner.add(job.files[i], std::move(ranks[i]), shifts[i]);
    ranks[i] = {};  // or all would be in memory twice
  }
  Linker(joined).link();
  std::stable_sort(joined.trace.spans.begin(), joined.trace.spans.end(), &report::comes_before);
  return joined;
}

}  // namespace weir::tool::job
