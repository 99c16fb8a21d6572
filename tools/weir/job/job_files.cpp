// SPDX-License-Identifier: Apache-2.0

#include "job_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "report/read_trace.hpp"

namespace weir::tool::job {

namespace {

namespace fs = std::filesystem;

std::string setting(const trace::RuntimeInfo& runtime, std::string_view name) {
  for (const auto& [key, text] : runtime.settings) {
    if (key == name) return text;
  }
  return {};
}

template <class Number>
Number number_of(const std::string& text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<std::size_t> runtimes_with(const trace::TraceReader& reader, std::string_view key) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < reader.runtimes().size(); ++i)
    if (!setting(reader.runtimes()[i], key).empty()) found.push_back(i);
  return found;
}

// Those of the PE; in a process that is none, those that have joined other ranks; else all of the rank. One for each
// start of a job's part, in this order.
std::vector<std::size_t> starts_in(const trace::TraceReader& reader) {
  for (const char* const key : {"pes", "joined", "ranks"})
    if (std::vector<std::size_t> found = runtimes_with(reader, key); !found.empty()) return found;
  return {};
}

// What its runtime says of the process.
void read_info(PeFile& file) {
  const trace::RuntimeInfo& info = file.info();
  file.is_rank = setting(info, "pes").empty();
  file.pe = number_of<int>(setting(info, file.is_rank ? "rank" : "pe"));
  file.pes = number_of<int>(setting(info, file.is_rank ? "ranks" : "pes"));
  file.host = setting(info, "host");
  file.id = setting(info, "job");
  file.clock_offset_ns = number_of<std::int64_t>(setting(info, "clock_offset_ns"));
}

// With the first of its starts.
base::Result<PeFile> open_pe(const std::string& path) {
  auto reader = report::open_trace(path);
  if (!reader) return reader.status();
  std::vector<std::size_t> starts = starts_in(*reader);
  if (starts.empty()) {
    return base::Status{
        base::Code::bad_input,
        fmt::format("{}: is of no PE of a SHMEM program and of no rank, so that it is no part of a job's traces",
                    path)};
  }
  PeFile file{path, std::move(*reader), std::move(starts), 0, false, 0, 0, "", "", 0, false};
  file.runtime = file.starts.front();
  read_info(file);
  file.is_part = file.reader.ends_early();
  return file;
}

// The same start in all of them: the one with most events, unless one was asked for, from 1.
base::Status choose_start(JobFiles& job, int asked) {
  std::size_t most = 0;
  for (const PeFile& file : job.files) most = std::max(most, file.starts.size());
  if (asked > static_cast<int>(most))
    return {
        base::Code::bad_input,
        fmt::format("{}: the processes have started their part of a job {} times, and --runtime {} asks for another",
                    job.name, most, asked)};
  std::vector<std::uint64_t> events(most);
  for (const PeFile& file : job.files)
    for (std::size_t i = 0; i < file.starts.size(); ++i) events[i] += file.reader.runtimes()[file.starts[i]].units;
  const auto busiest = static_cast<std::size_t>(std::max_element(events.begin(), events.end()) - events.begin());
  const std::size_t chosen = asked > 0 ? static_cast<std::size_t>(asked) - 1 : busiest;
  if (most > 1)
    job.remarks.push_back(
        fmt::format("the processes have started their part of a job {} times: this is start {}; "
                    "--runtime N shows another",
                    most, chosen + 1));
  std::erase_if(job.files, [&](const PeFile& file) { return file.starts.size() <= chosen; });
  for (PeFile& file : job.files) {
    file.runtime = file.starts[chosen];
    read_info(file);
  }
  return base::Status::success();
}

// "t.weir": t.0.weir, t.1.weir, ... and their parts, in the folder that it names.
std::vector<std::string> numbered(const std::string& name) {
  const fs::path path(name);
  const std::string before = path.stem().string() + '.', after = path.extension().string();
  const fs::path folder = path.parent_path();
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    std::string file = entry.path().filename().string();
    std::string whole = file;
    if (whole.ends_with(".part")) whole.resize(whole.size() - 5);
    if (!whole.starts_with(before) || !whole.ends_with(after) || whole.size() <= before.size() + after.size()) continue;
    const std::string middle = whole.substr(before.size(), whole.size() - before.size() - after.size());
    if (middle.find_first_not_of("0123456789") == std::string::npos) found.push_back((folder / file).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The newest of them says which run is meant.
std::string newest_run(const std::vector<PeFile>& files) {
  std::error_code error;
  const auto newest = std::max_element(files.begin(), files.end(), [&](const PeFile& a, const PeFile& b) {
    return fs::last_write_time(a.path, error) < fs::last_write_time(b.path, error);
  });
  return newest->id;
}

// Of each PE one file, of the same run.
base::Status choose(std::vector<PeFile>& opened, bool were_named, JobFiles& job) {
  const std::string id = newest_run(opened);
  for (PeFile& file : opened) {
    if (file.id != id) {
      job.remarks.push_back(fmt::format("{} is of another run, and left out", file.path));
      continue;
    }
    const auto same =
        std::find_if(job.files.begin(), job.files.end(), [&](const PeFile& f) { return f.pe == file.pe; });
    if (same == job.files.end()) {
      job.files.push_back(std::move(file));
    } else if (were_named) {
      return {base::Code::bad_input,
              fmt::format("{} and {} are both of {} {}", same->path, file.path, file.word(), file.pe)};
    } else if (same->is_part && !file.is_part) {
      *same = std::move(file);
    }
  }
  std::sort(job.files.begin(), job.files.end(), [](const PeFile& a, const PeFile& b) { return a.pe < b.pe; });
  return base::Status::success();
}

std::string title_of(const std::vector<PeFile>& files) {
  if (files.size() == 1) return files.front().path;
  return fmt::format("{} to {}", files.front().path, files.back().path);
}

void remark(JobFiles& job) {
  const char* const word = job.files.front().word();
  for (const PeFile& file : job.files) {
    if (file.is_part)
      job.remarks.push_back(fmt::format("{} ends early: {} {} had not ended, or was killed", file.path, word, file.pe));
    if (file.info().lost > 0)
      job.remarks.push_back(fmt::format("{}: {} events of {} {} were lost; numbers are too small", file.path,
                                        file.info().lost, word, file.pe));
  }
  for (const int pe : job.missing())
    job.remarks.push_back(fmt::format("{} {} of {} has left no file, or it was not given", word, pe, job.pes));
}

}  // namespace

std::pair<std::int64_t, std::int64_t> PeFile::life() const {
  const JobClock clock(*this);
  const trace::RuntimeInfo& of = info();
  if (of.ended) return {clock.ns(of.summary.start), clock.ns(of.summary.end)};
  return {clock.ns(of.opened.ticks), clock.ns(of.compared.ticks)};
}

std::vector<int> JobFiles::missing() const {
  std::vector<int> result;
  auto file = files.begin();
  for (int pe = 0; pe < pes; ++pe) {
    if (file != files.end() && file->pe == pe)
      ++file;
    else
      result.push_back(pe);
  }
  return result;
}

std::string JobFiles::hosts_text() const {
  std::set<std::string> hosts;
  for (const PeFile& file : files) hosts.insert(file.host);
  return fmt::format("{} host{}", hosts.size(), hosts.size() == 1 ? "" : "s");
}

bool is_job(const std::vector<std::string>& names) {
  if (names.size() != 1) return names.size() > 1;
  std::error_code error;
  if (!fs::exists(names[0], error) && !fs::exists(names[0] + ".part", error)) return !numbered(names[0]).empty();
  if (!fs::is_regular_file(names[0], error)) return false;
  const auto reader = trace::TraceReader::open(names[0]);
  return reader && !starts_in(*reader).empty();
}

std::vector<std::string> trace_names(const std::vector<std::string>& names) {
  std::error_code error;
  return names.size() > 1 || fs::exists(names[0], error) ? names : numbered(names[0]);
}

namespace {

// Of one start of a SHMEM program, or all of another one.
base::Result<JobFiles> open_files(const std::vector<std::string>& names, int start) {
  std::error_code error;
  const bool are_named = names.size() > 1 || fs::exists(names[0], error);
  JobFiles job;
  job.name = names.size() == 1 ? names[0] : fmt::format("{} to {}", names.front(), names.back());
  std::vector<PeFile> opened;
  for (const std::string& path : trace_names(names)) {
    auto file = open_pe(path);
    if (!file && !are_named && file.status().code == base::Code::bad_input && path.ends_with(".part")) {
      job.remarks.push_back(file.status().message);  // a PE that was killed as it began
      continue;
    }
    if (!file) return file.status();
    opened.push_back(std::move(*file));
  }
  if (opened.empty())
    return base::Status{base::Code::bad_input, fmt::format("{}: no file of a PE or a rank is whole", job.name)};
  const std::size_t given = opened.size();
  if (base::Status status = choose(opened, are_named, job); !status) return status;
  if (names.size() > 1 && job.files.size() < given) job.name = title_of(job.files);
  for (const PeFile& file : job.files) {
    if (file.is_rank == job.is_of_ranks()) continue;
    return base::Status{base::Code::bad_input,
                        fmt::format("{} is of a {}, {} of a {}: give those of one program", job.files.front().path,
                                    job.files.front().word(), file.path, file.word())};
  }
  if (base::Status status = choose_start(job, start); !status) return status;
  for (const PeFile& file : job.files) job.pes = std::max(job.pes, file.pes);
  remark(job);
  return job;
}

// The files of a SHMEM program's N-th start of the library, from the second on: "t.start2.weir".
std::string name_of_start(const std::string& name, std::size_t start) {
  const fs::path path(name);
  return (path.parent_path() / fmt::format("{}.start{}{}", path.stem().string(), start, path.extension().string()))
      .string();
}

// The library names its further starts by the job and their number.
std::string id_of_start(const std::string& job, std::size_t start) {
  return job.empty() ? job : fmt::format("{}.{}", job, start);
}

std::uint64_t events_of(const JobFiles& job) {
  std::uint64_t events = 0;
  for (const PeFile& file : job.files) events += file.info().units;
  return events;
}

}  // namespace

base::Result<std::vector<JobFiles>> open_starts(const std::vector<std::string>& names) {
  std::vector<JobFiles> starts;
  auto first = open_files(names, 0);
  if (!first) return first.status();
  starts.push_back(std::move(*first));
  std::error_code error;
  const bool has_base = names.size() == 1 && !fs::exists(names[0], error);
  while (has_base && !starts.front().is_of_ranks()) {
    const std::string next = name_of_start(names[0], starts.size() + 1);
    if (numbered(next).empty()) break;
    auto job = open_files({next}, 0);
    if (!job) {  // of PEs that were killed as they began again, or what an earlier run has left
      starts.front().remarks.push_back(
          fmt::format("start {} is left out: {}", starts.size() + 1, job.status().message));
      break;
    }
    if (job->files.front().id != id_of_start(starts.front().files.front().id, starts.size() + 1))
      break;  // another run's
    starts.push_back(std::move(*job));
  }
  return starts;
}

base::Result<JobFiles> open_job(const std::vector<std::string>& names, int start) {
  auto starts = open_starts(names);
  if (!starts) return starts.status();
  if (starts->size() == 1) return start == 0 ? std::move(starts->front()) : open_files(names, start);
  if (start > static_cast<int>(starts->size()))
    return base::Status{
        base::Code::bad_input,
        fmt::format("{}: its PEs have started the library {} times, and --runtime {} asks for another start", names[0],
                    starts->size(), start)};
  const auto busiest = std::max_element(
      starts->begin(), starts->end(), [](const JobFiles& a, const JobFiles& b) { return events_of(a) < events_of(b); });
  const auto chosen = start > 0 ? starts->begin() + start - 1 : busiest;
  if (chosen != starts->begin()) {
    for (std::string& remark : starts->front().remarks) chosen->remarks.push_back(std::move(remark));
  }
  chosen->remarks.insert(chosen->remarks.begin(),
                         fmt::format("the PEs have started the library {} times: this is start {}; --runtime N shows "
                                     "another",
                                     starts->size(), chosen - starts->begin() + 1));
  chosen->name = names[0];
  return std::move(*chosen);
}

}  // namespace weir::tool::job
