// SPDX-License-Identifier: Apache-2.0

#include "shmem/status/outside.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "platform/symbol_names.hpp"
#include "platform/thread_state.hpp"

namespace weir::shmem {

namespace {

using std::filesystem::directory_iterator;

// How often this process has forked. A child, and a child of it, has the symmetric heap in common with the PE. Relaxed:
// the thread that asks is the only one of the program's that does not wait.
std::atomic<unsigned> forks{0};

void count_forks() {
  static const int registered = pthread_atfork(
      nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); }, nullptr);
  (void)registered;
}

// Of /proc/self/status.
std::optional<std::uint64_t> status_number(std::string_view name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    const std::size_t at = line.find_first_of("0123456789");
    std::uint64_t number = 0;
    if (at == std::string::npos) return std::nullopt;
    if (std::from_chars(line.data() + at, line.data() + line.size(), number).ec != std::errc{}) return std::nullopt;
    return number;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> threads_now() {
  std::vector<std::uint32_t> threads;
  std::error_code failed;
  for (directory_iterator at("/proc/self/task", failed), end; !failed && at != end; at.increment(failed))
    threads.push_back(static_cast<std::uint32_t>(std::stoul(at->path().filename().string())));
  return threads;
}

// When the thread has begun; none: it is gone. The 22nd field, after a name in brackets that may have any letter.
std::optional<std::uint64_t> start_of(std::uint32_t thread) {
  constexpr int kFields = 20;  // from the bracket to that one
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  std::size_t at = text.rfind(')');
  for (int field = 0; field < kFields && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(text.c_str() + at, nullptr, 10);
}

bool has_children() noexcept {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

// Files by which the kernel or a device writes into this memory, or others do.
bool is_of_a_writer(std::string_view file) {
  for (const std::string_view harmless : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
                                          "/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/", "/dev/shm/"}) {
    if (file.substr(0, harmless.size()) == harmless) return false;
  }
  return file.substr(0, 5) == "/dev/" || file == "anon_inode:[io_uring]" || file == "anon_inode:[userfaultfd]";
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// io_setup(2) has no descriptor, but a mapping.
bool has_kernel_aio() {
  std::ifstream file("/proc/self/maps");
  bool is_read = false;
  for (std::string line; std::getline(file, line); is_read = true) {
    if (line.find("/[aio]") != std::string::npos) return true;
  }
  return !is_read;
}

// The program's own, before the library has loaded any. Messages of its own may go into symmetric memory.
bool is_mpi_there() {
  if (dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr) return true;
  const auto is_one = [](dl_phdr_info* library, std::size_t, void*) {
    return std::strstr(library->dlpi_name, "/libmpi") != nullptr ? 1 : 0;
  };
  return dl_iterate_phdr(is_one, nullptr) != 0;
}

// Raised by what a thread does itself, and a thread that waits does none of it.
bool is_of_an_own_fault(int signal) noexcept {
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    if (signal == fault) return true;
  }
  return false;
}

// Of gfortran's library, which every Fortran program has for some signals that are no faults: it prints where the
// program is and lets the signal end it.
bool is_of_fortran(const void* handler) {
  Dl_info info{};
  if (dladdr(handler, &info) != 0 && info.dli_fname != nullptr) {
    const std::string_view path = info.dli_fname;
    if (path.substr(path.rfind('/') + 1).starts_with("libgfortran.")) return true;
  }
  return platform::has_name(handler, "_gfortrani_backtrace_handler");  // linked statically
}

}  // namespace

Outside::Outside()
    : was_alone_(status_number("Threads:") == 1U),
      uses_mpi_(is_mpi_there()),
      forks_((count_forks(), forks.load(std::memory_order_relaxed))),
      before_(handlers_now()),
      files_before_(writing_files_now()) {}

void Outside::note_own() {
  own_ = handlers_now();
  const Files files = writing_files_now().value_or(Files{});
  std::copy_if(files.begin(), files.end(), std::back_inserter(own_files_),
               [&](const std::string& file) { return files_before_ && !has(*files_before_, file); });
  forks_ = forks.load(std::memory_order_relaxed);
  const auto me = static_cast<std::uint32_t>(platform::this_thread_number());
  for (const std::uint32_t thread : threads_now()) {
    if (thread == me) continue;
    if (const auto started = start_of(thread)) own_threads_.push_back({thread, *started});
  }
}

Outside::Handlers Outside::handlers_now() noexcept {
  Handlers handlers{};
  for (int signal = 1; signal < kSignals; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      handlers[static_cast<std::size_t>(signal)] = reinterpret_cast<const void*>(action.sa_sigaction);
    } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
      handlers[static_cast<std::size_t>(signal)] = reinterpret_cast<const void*>(action.sa_handler);
    }
  }
  return handlers;
}

bool Outside::has_handlers() const {
  const Handlers now = handlers_now();
  for (std::size_t signal = 1; signal < now.size(); ++signal) {
    if (now[signal] == nullptr || is_of_an_own_fault(static_cast<int>(signal))) continue;
    const bool is_own = now[signal] == own_[signal] && now[signal] != before_[signal];
    if (!is_own && !is_of_fortran(now[signal])) return true;
  }
  return false;
}

std::optional<Outside::Files> Outside::writing_files_now() {
  Files files;
  std::error_code failed;
  for (directory_iterator at("/proc/self/fd", failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code closed;
    const std::string file = std::filesystem::read_symlink(at->path(), closed).string();
    if (is_of_a_writer(file)) files.push_back(at->path().filename().string() + " " + file);
  }
  if (failed) return std::nullopt;
  return files;
}

bool Outside::has_files() const {
  const auto files = writing_files_now();
  return !files ||
         !std::all_of(files->begin(), files->end(), [&](const std::string& file) { return has(own_files_, file); });
}

bool Outside::is_empty(std::span<const std::uint32_t> waiting) const {
  if (!was_alone_ || uses_mpi_ || forks.load(std::memory_order_relaxed) != forks_ || has_children()) return false;
  if (has_handlers() || status_number("TracerPid:") != 0U) return false;
  // How many threads there are is one number, read at one time; those that are there afterwards were there then.
  const auto threads = status_number("Threads:");
  const auto own = std::count_if(own_threads_.begin(), own_threads_.end(),
                                 [](const Thread& thread) { return start_of(thread.number) == thread.started; });
  if (threads != waiting.size() + static_cast<std::size_t>(own)) return false;
  return !has_files() && !has_kernel_aio();
}

}  // namespace weir::shmem
