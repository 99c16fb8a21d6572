// SPDX-License-Identifier: Apache-2.0

// A program without a mistake whose watched memory shares its pages with everything else that a program has: globals of
// the library and its tables of calls, the heap's own data, stacks, thread_local variables; and whose tasks hand it to
// the kernel, to threads and to processes of theirs. Nothing may be found in it, and nothing may go wrong.
#include <emmintrin.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "weir/weir.hpp"

namespace {

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(3);
}

int initialized = 7, zero = 0;
double field[600];
thread_local int of_this_thread = 0;

void globals(weir::Runtime& runtime) {
  for (int i = 0; i < 3; ++i) {
    runtime.spawn(weir::inout(initialized), [] { ++initialized; });
    runtime.spawn(weir::inout(zero), [] { ++zero; });
    runtime.spawn(weir::inout(field, 600), [] {
      for (double& x : field) x += 1;
    });
    runtime.spawn(weir::inout(of_this_thread), [] { ++of_this_thread; });
  }
  runtime.wait();
  require(initialized == 10 && zero == 3 && field[599] == 3 && of_this_thread == 3, "globals");
}

// The heap's own data lies between, and the tasks use the heap.
void heap(weir::Runtime& runtime) {
  std::vector<std::vector<int>> small(30, std::vector<int>(9));
  for (std::vector<int>& values : small) {
    runtime.spawn(weir::inout(values.data(), values.size()), [&values] {
      std::vector<int> growing;
      for (int i = 0; i < 300; ++i) growing.push_back(i);
      for (int& value : values) value += growing[30];
    });
  }
  std::vector<int> log;
  std::map<int, std::string> names;
  for (int i = 0; i < 20; ++i) {
    runtime.spawn(weir::inout(weir::object(log)), [&log] {
      for (int k = 0; k < 100; ++k) log.push_back(k);
    });
    runtime.spawn(weir::inout(weir::object(names)), [&names, i] { names[i] = std::string(100, 'x'); });
  }
  runtime.wait();
  require(small[29][8] == 30 && log.size() == 2000 && names.size() == 20, "heap");
}

void stack(weir::Runtime& runtime) {
  double a[64] = {}, b[64] = {};
  char c[5000] = {};
  for (int i = 0; i < 5; ++i) {
    runtime.spawn(weir::inout(a, 64), [&a] {
      double copy[64];
      std::copy(a, a + 64, copy);
      for (int k = 0; k < 64; ++k) a[k] = copy[63 - k] + 1;
    });
    runtime.spawn(weir::inout(b, 64), weir::in(a, 64), [&] { std::transform(a, a + 64, b, b, std::plus<>()); });
    runtime.spawn(weir::inout(c, sizeof c), [&c, i] { std::memset(c, i, sizeof c); });
  }
  runtime.wait();
  require(b[3] == 15 && c[4999] == 4, "stack");
}

void add_one(double* at, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 2) _mm_storeu_pd(at + i, _mm_add_pd(_mm_loadu_pd(at + i), _mm_set1_pd(1)));
}

// Wherever the watched variable and the frames beside it lie in their pages.
[[gnu::noinline]] int at_depth(weir::Runtime& runtime, std::size_t bytes) {
  auto* const above = static_cast<volatile char*>(__builtin_alloca(bytes));
  above[0] = 1;
  int value = 0;
  runtime.spawn(weir::inout(value), [&value] { ++value; });
  runtime.wait();
  return value + above[0];
}

void stack_depths(weir::Runtime& runtime) {
  int sum = 0;
  for (std::size_t bytes = 64; bytes <= 2 * 4096; bytes += 64) sum += at_depth(runtime, bytes);
  require(sum == 256, "stack depths");
}

// Accesses of all sizes that begin on one page and end on the next; two arrays in one page.
void pages(weir::Runtime& runtime) {
  constexpr std::size_t kPage = 4096;
  std::vector<char> memory(5 * kPage);
  char* const page = memory.data() + kPage - reinterpret_cast<std::uintptr_t>(memory.data()) % kPage;
  auto* const numbers = reinterpret_cast<double*>(page + 24);
  for (int i = 0; i < 4; ++i) runtime.spawn(weir::inout(numbers, 1500), [=] { add_one(numbers, 1500); });
  runtime.wait();
  require(numbers[1499] == 4, "numbers");
  for (int i = 0; i < 3; ++i) {
    runtime.spawn(weir::inout(page, 2048), [=] { std::memset(page, i, 2048); });
    runtime.spawn(weir::inout(page + 2048, 2048), [=] { std::memset(page + 2048, i, 2048); });
  }
  runtime.wait();
  char* const across = page + kPage - 100;
  const std::string text(200, 'z');
  runtime.spawn(weir::out(across, 200), [&] { std::memcpy(across, text.data(), 200); });
  runtime.spawn(weir::in(across, 200), weir::out(across + 1000, 200),
                [=] { std::memmove(across + 1000, across, 200); });
  char* const odd = page + kPage - 3;
  runtime.wait();
  runtime.spawn(weir::out(odd, 8), [=] {
    std::uint64_t number = 5;
    for (int i = 0; i < 100; ++i) {
      std::memcpy(odd, &number, 8);
      std::memcpy(&number, odd, 8);
    }
  });
  runtime.wait();
  require(across[1199] == 'z' && odd[0] == 5, "bytes");
}

// The kernel heeds what is closed.
void system_calls(weir::Runtime& runtime) {
  std::FILE* const file = std::tmpfile();
  const int fd = fileno(file);
  std::vector<char> text(6000, 'a'), copy(6000);
  runtime.spawn(weir::in(text.data(), 6000), [&] { require(write(fd, text.data(), 6000) == 6000, "write"); });
  runtime.wait();
  runtime.spawn(weir::out(copy.data(), 6000), [&] {
    require(pread(fd, copy.data(), 6000, 0) == 6000, "pread");
    require(copy[0] == 'a' && copy[5999] == 'a', "what pread has read");
  });
  runtime.wait();
  const iovec parts[2] = {{copy.data(), 100}, {copy.data() + 200, 100}};
  runtime.spawn(weir::out(copy.data(), 100), weir::out(copy.data() + 200, 100), [&] {
    require(preadv(fd, parts, 2, 0) == 200, "preadv");
    require(copy[0] + copy[250] == 2 * 'a', "what preadv has read");
  });
  runtime.wait();
  std::fclose(file);
}

// A thread that does what it is given, as libraries have them.
class Pool {
 public:
  ~Pool() {
    give(nullptr);
    thread_.join();
  }
  void run(const std::function<void()>& work) {
    give(&work);
    while (work_ != nullptr) std::this_thread::yield();
  }

 private:
  void give(const std::function<void()>* work) {
    work_ = work;
    ++given_;
  }
  void serve() {
    for (int done = 0;; ++done) {
      while (given_ == done) std::this_thread::yield();
      if (work_ == nullptr) return;
      (*work_)();
      work_ = nullptr;
    }
  }

  std::atomic<const std::function<void()>*> work_{nullptr};
  std::atomic<int> given_{0};
  std::thread thread_{[this] { serve(); }};
};

// What a thread beside the task's touches costs two changes of threads on a busy machine: of 40 pages some of each.
constexpr std::size_t kNumbers = 20000, kStride = 100;

// Threads of a task touch what the task may, at the same time, and hand it to the kernel, too.
void threads(weir::Runtime& runtime) {
  std::vector<char> values(6000);
  int ends[2];
  require(pipe(ends) == 0 && write(ends[1], values.data(), 6000) == 6000, "pipe");
  runtime.spawn(weir::inout(values.data(), 6000), [&] {
    std::thread([&] { require(read(ends[0], values.data(), 3000) == 3000, "read by a thread"); }).join();
    std::thread([&] { require(write(ends[1], values.data() + 1000, 4096) == 4096, "write by a thread"); }).join();
    std::thread([&] {
      for (std::size_t i = 0; i < values.size(); i += kStride) ++values[i];
    }).join();
  });
  runtime.wait();
  require(values[0] == 1 && values[6000 - kStride] == 1, "threads");
  close(ends[0]);
  close(ends[1]);
  weir::Block<char> block(runtime, 5000, "block");  // closed to everybody else
  Pool pool;                                        // was there before the task
  std::size_t letters = 0;
  runtime.spawn(weir::out(block), [&](std::span<char> b) {
    pool.run([&] { std::fill(b.begin(), b.end(), 'x'); });
    require(b[4999] == 'x', "what a thread of a pool has written");
  });
  runtime.spawn(weir::in(block), weir::inout(letters), [&](std::span<const char> b, std::size_t& s) {
    pool.run([&] { s += static_cast<std::size_t>(std::count(b.begin(), b.end(), 'x')); });
  });
  runtime.wait();
  require(letters == 5000, "a thread of a pool");
#ifdef _OPENMP
  std::vector<double> numbers(kNumbers, 1);
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    runtime.spawn(weir::inout(numbers.data(), numbers.size()), [&] {
#pragma omp parallel for num_threads(3)
      for (std::size_t k = 0; k < numbers.size(); k += kStride) numbers[k] *= 2;
    });
    runtime.spawn(weir::in(numbers.data(), numbers.size()), weir::inout(sum), [&] {
      double part = 0;
#pragma omp parallel for reduction(+ : part) num_threads(3)
      for (std::size_t k = 0; k < numbers.size(); k += kStride) part += numbers[k];
      sum += part;
    });
  }
  runtime.wait();
  require(sum == static_cast<double>(kNumbers / kStride) * (2 + 4 + 8), "threads of OpenMP");
#endif
}

int exit_status_of(pid_t child) {
  int status = 0;
  require(waitpid(child, &status, 0) == child && WIFEXITED(status), "a child has ended");
  return WEXITSTATUS(status);
}

void processes(weir::Runtime& runtime) {
  int values[100] = {};
  runtime.spawn(weir::inout(values), [&] {
    values[0] = 1;
    const pid_t forked = fork();
    if (forked == 0) {
      values[1] = values[0] + 1;
      std::_Exit(values[1]);
    }
    require(exit_status_of(forked) == 2, "fork");
    char shell[] = "/bin/sh", option[] = "-c", command[] = "exit 5";
    char* const arguments[] = {shell, option, command, nullptr};
    pid_t spawned = 0;
    require(posix_spawn(&spawned, shell, nullptr, nullptr, arguments, environ) == 0, "posix_spawn");
    require(exit_status_of(spawned) == 5, "what posix_spawn has started");
    const pid_t executed = vfork();
    if (executed == 0) {
      execv(shell, arguments);
      _exit(9);
    }
    require(exit_status_of(executed) == 5, "vfork");
    clone_args cleared{};  // as posix_spawn() of newer C libraries does it
    cleared.flags = CLONE_CLEAR_SIGHAND;
    cleared.exit_signal = SIGCHLD;
    const auto cloned = static_cast<pid_t>(syscall(SYS_clone3, &cleared, sizeof cleared));
    if (cloned == 0) _exit(6);
    require(exit_status_of(cloned) == 6 && cleared.flags == CLONE_CLEAR_SIGHAND, "clone3");
    std::FILE* const words = popen("echo words", "r");
    char line[20] = {};
    require(std::fgets(line, sizeof line, words) != nullptr && line[0] == 'w', "popen");
    pclose(words);
    values[2] = 3;
  });
  runtime.wait();
  require(values[1] == 0 && values[2] == 3, "processes");
}

std::atomic<int> signals_seen{0};

void jumps_and_signals(weir::Runtime& runtime) {
  std::signal(SIGALRM, [](int) {
    ++signals_seen;
    static_cast<void>(!write(-1, "", 0));
  });
  int values[10] = {};
  for (int& value : values) {
    runtime.spawn(weir::inout(value), [&value] {
      std::jmp_buf back;
      if (setjmp(back) == 0) {
        ++value;
        std::longjmp(back, 1);
      }
      std::raise(SIGALRM);
      try {
        value += 10;
        throw std::runtime_error("on purpose");
      } catch (const std::runtime_error&) {
        value += 100;
      }
    });
  }
  runtime.wait();
  require(values[9] == 111 && signals_seen == 10, "jumps and signals");
}

}  // namespace

int main() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);  // the library gets faults nevertheless
  weir::Runtime runtime;
  globals(runtime);
  sigemptyset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  heap(runtime);
  stack(runtime);
  stack_depths(runtime);
  pages(runtime);
  system_calls(runtime);
  threads(runtime);
  processes(runtime);
  jumps_and_signals(runtime);
  std::puts("all right");
}
