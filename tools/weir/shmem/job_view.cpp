// SPDX-License-Identifier: Apache-2.0

#include "job_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "platform/clock.hpp"
#include "platform/process.hpp"
#include "processes.hpp"
#include "shmem/group/area.hpp"
#include "shmem/world/awaited.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Status;
using shmem::Area;
using shmem::ShownWait;
using shmem::StatusPage;

using Kind = shmem::Awaited::Kind;

constexpr std::uint32_t kMostPes = 1U << 20;  // more is no page

// The memory in which the heaps of a host's PEs lie one after the other.
class HeapMemory {
 public:
  explicit HeapMemory(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

  template <class T>
  std::unique_ptr<T> read(std::uint64_t offset) const {
    auto value = std::make_unique<T>();
    // T has atomics, which are copied as the words that they are.
    const ssize_t got = pread(file_.number(), static_cast<void*>(value.get()), sizeof(T), static_cast<off_t>(offset));
    return got == sizeof(T) ? std::move(value) : nullptr;
  }

 private:
  platform::Descriptor file_;
};

// A page whose waits are whole: nobody has written them while they were read.
std::unique_ptr<StatusPage> read_page(const HeapMemory& memory, std::uint64_t offset) {
  constexpr int kTries = 20;
  std::unique_ptr<StatusPage> page = memory.read<StatusPage>(offset);
  for (int i = 0; i < kTries && page != nullptr; ++i) {
    auto again = memory.read<StatusPage>(offset);
    if (again == nullptr) return page;
    bool is_whole = true;
    for (std::size_t w = 0; w < StatusPage::kWaits; ++w) {
      const std::uint32_t sequence = page->waits[w].sequence.load();
      is_whole = is_whole && sequence % 2 == 0 && sequence == again->waits[w].sequence.load();
    }
    page = std::move(again);
    if (is_whole) break;
  }
  return page;
}

double seconds_since(std::uint64_t ns) {
  const std::uint64_t now = platform::now_ns();
  return now > ns ? static_cast<double>(now - ns) / 1e9 : 0;
}

template <std::size_t n>
std::string text_of(const char (&text)[n]) {
  return {text, strnlen(text, n)};
}

std::string number_text(std::uint64_t bits, const ShownWait& wait) {
  if (wait.is_signed != 0) {
    if (wait.bytes == 2) return fmt::format("{}", static_cast<std::int16_t>(bits));
    if (wait.bytes == 4) return fmt::format("{}", static_cast<std::int32_t>(bits));
    return fmt::format("{}", static_cast<std::int64_t>(bits));
  }
  if (wait.bytes < sizeof(bits)) bits &= (std::uint64_t{1} << (8 * wait.bytes)) - 1;
  return fmt::format("{}", bits);
}

// What the word is now; "" when it cannot be read.
std::string value_of(pid_t process, const ShownWait& wait) {
  if (wait.file < 0 || wait.bytes == 0 || wait.bytes > sizeof(std::uint64_t)) return {};
  const platform::Descriptor file(
      open(fmt::format("/proc/{}/fd/{}", process, wait.file).c_str(), O_RDONLY | O_CLOEXEC));
  std::uint64_t bits = 0;
  const ssize_t got = pread(file.number(), &bits, wait.bytes, static_cast<off_t>(wait.place));
  return got == static_cast<ssize_t>(wait.bytes) ? number_text(bits, wait) : "";
}

Life life_of(pid_t process) {
  switch (state_of(process)) {
    case '\0': return Life::ended;
    case 'R': return Life::runs;
    case 'T':
    case 't': return Life::stopped;
    default: return Life::sleeps;
  }
}

// Reads one job's memory.
class Reader {
 public:
  Reader(const HeapMemory& memory, const StatusPage& first, std::pair<unsigned long, unsigned long> id)
      : memory_(memory), stride_(first.stride), id_(id) {
    view_.n_pes = static_cast<int>(first.n_pes);
    for (std::uint32_t i = 0; i < first.here; ++i) pages_.push_back(read_page(memory, i * stride_));
  }

  JobView view() {
    for (const auto& page : pages_) {
      if (page != nullptr && page->magic.load() == StatusPage::kMagic) view_.pes.push_back(pe(*page));
    }
    std::sort(view_.pes.begin(), view_.pes.end(), [](const PeView& a, const PeView& b) { return a.pe < b.pe; });
    return std::move(view_);
  }

 private:
  PeView pe(const StatusPage& page) const {
    PeView pe;
    pe.pe = static_cast<int>(page.pe);
    pe.process = static_cast<pid_t>(page.pid);
    pe.phase = page.phase.load();
    pe.phase_seconds = seconds_since(page.phase_since_ns.load());
    pe.life = has_memory(pe.process) ? life_of(pe.process) : Life::ended;
    for (const ShownWait& wait : page.waits) {
      if (wait.thread.load() != 0 && wait.sequence.load() % 2 == 0) pe.waits.push_back(this->wait(wait, pe));
    }
    return pe;
  }

  WaitView wait(const ShownWait& shown, const PeView& pe) const {
    WaitView view;
    view.thread = shown.thread.load();
    view.routine = text_of(shown.routine);
    view.kind = shown.kind;
    view.pe = shown.pe;
    view.seconds = seconds_since(shown.since_ns);
    view.object = text_of(shown.object);
    view.comparison = shown.comparison;
    view.words = shown.words;
    view.wanted = number_text(shown.wanted, shown);
    view.value = value_of(pe.process, shown);
    view.elsewhere = shown.more_members;
    for (std::uint32_t i = 0; i < std::min(shown.members, shmem::kMostShown); ++i) add_member(shown, i, pe.pe, view);
    return view;
  }

  void add_member(const ShownWait& shown, std::uint32_t i, int own, WaitView& view) const {
    const auto& [pe, area] = shown.member[i];
    const auto index = index_of(pe);
    if (area == shmem::kNotHere || index == pages_.size()) {
      ++view.elsewhere;
      return;
    }
    view.members.push_back(pe);
    const auto read = memory_.read<Area>(index * stride_ + area);
    const bool has_come =
        read == nullptr || last_step(*read) >= shown.step || waits_in(index, shown.member[i], shown.step);
    if (pe != own && !has_come) view.missing.push_back(pe);
  }

  // Whether the PE itself waits in that call: who leads the PEs of a host says that it has come only when all hosts
  // have.
  bool waits_in(std::size_t index, const shmem::ShownMember& place, std::uint64_t step) const {
    const auto& waits = pages_[index]->waits;
    return std::any_of(waits.begin(), waits.end(), [&](const ShownWait& wait) {
      if (wait.thread.load() == 0 || static_cast<Kind>(wait.kind) != Kind::collective) return false;
      const std::uint32_t shown = std::min(wait.members, shmem::kMostShown);
      const bool is_member = std::any_of(wait.member.begin(), wait.member.begin() + shown, [&](const auto& member) {
        return member.pe == place.pe && member.area == place.area;
      });
      return is_member && (wait.step == 0 || wait.step >= step);  // 0: it waits for those of other hosts
    });
  }

  std::size_t index_of(int pe) const {
    std::size_t index = 0;
    while (index < pages_.size() && (pages_[index] == nullptr || static_cast<int>(pages_[index]->pe) != pe)) ++index;
    return index;
  }

  // A process that has another's number is not that PE.
  bool has_memory(pid_t process) const {
    const auto files = heap_files_of(process);
    return files && std::any_of(files->begin(), files->end(), [&](const HeapFile& file) { return file.id == id_; });
  }

  const HeapMemory& memory_;
  std::uint64_t stride_;
  std::pair<unsigned long, unsigned long> id_;
  std::vector<std::unique_ptr<StatusPage>> pages_;
  JobView view_;
};

// Pages name processes by the numbers of the PEs' own namespace.
Status check_namespace(pid_t process) {
  std::error_code failed;
  const auto theirs = std::filesystem::read_symlink(fmt::format("/proc/{}/ns/pid", process), failed);
  if (!failed && theirs == std::filesystem::read_symlink("/proc/self/ns/pid", failed)) return Status::success();
  return {Code::unsupported,
          fmt::format("process {} is a PE of a SHMEM job in a container: run weir explain in there", process)};
}

base::Result<JobView> view_of(const HeapFile& file, pid_t process) {
  if (Status status = check_namespace(process); !status) return status;
  const HeapMemory memory(file.path);
  const auto first = memory.read<StatusPage>(0);
  if (first == nullptr || first->magic.load() == 0) {
    return Status{Code::not_found,
                  fmt::format("process {} is a PE of a SHMEM job that starts: PE 0 has not come out of shmem_init yet, "
                              "where all PEs wait for one another; ask again",
                              process)};
  }
  if (first->magic.load() != StatusPage::kMagic || first->version != StatusPage::kVersion || first->here > kMostPes ||
      first->n_pes > kMostPes) {
    return Status{Code::unsupported,
                  fmt::format("process {} runs with another version of libweir-shmem: its status is of version {}, and "
                              "this weir reads version {}; use the weir that came with that library",
                              process, first->version, StatusPage::kVersion)};
  }
  return Reader(memory, *first, file.id).view();
}

}  // namespace

bool JobView::has(pid_t process) const noexcept {
  return std::any_of(pes.begin(), pes.end(), [&](const PeView& pe) { return pe.process == process; });
}

base::Result<std::vector<JobView>> jobs_of(pid_t process) {
  std::vector<JobView> jobs;
  std::set<std::pair<unsigned long, unsigned long>> seen;
  for (const pid_t one : family_of(process)) {
    const auto files = heap_files_of(one);
    if (!files && one == process) return files.status();
    if (!files) continue;
    for (const HeapFile& file : *files) {
      if (!seen.insert(file.id).second) continue;
      auto job = view_of(file, one);
      if (!job) return job.status();
      jobs.push_back(std::move(*job));
    }
    if (one == process && !jobs.empty()) break;
  }
  return jobs;
}

}  // namespace weir::tool
