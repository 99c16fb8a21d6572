// SPDX-License-Identifier: Apache-2.0

// A program whose master, or whose worker, is what the test asks for.
//
//   island_peer run          sums on two workers under `weir run --islands`, or forked ones
//   island_peer two          the same, of a second master before that of the first
//   island_peer forever      a task that does not end
//   island_peer die          a task that kills its worker, of which the rest goes on
//   island_peer opens        master and task open and close the file that their memory lies in
//   island_peer reads        reads numbers before there is a master; and on each worker
//   island_peer quits        a worker ends well before it comes to its master
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weir/island.hpp"

namespace {

using namespace weir;

int constructed = 0;
const bool is_constructed = [] {
  constructed = 41;
  return true;
}();

int sums(island::Master& master) {
  auto* const x = master.allocate<int>(1024);
  auto* const pids = master.allocate<long>(16 * 8);
  for (int i = 0; i < 1024; ++i) x[i] = i;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 16; ++i) {
      master.spawn(inout(x + 64 * i, 64), out(pids[8 * i]), [](std::span<int> s, long& pid) {
        for (int& value : s) value += constructed - 40;
        pid = ::getpid();
        ::usleep(100);
      });
    }
  }
  master.wait();
  int wrong = 0, elsewhere = 0;
  for (int i = 0; i < 1024; ++i) wrong += x[i] != i + 10;
  for (int i = 0; i < 16; ++i) elsewhere += pids[8 * i] != ::getpid();
  std::printf("%d wrong, %d elsewhere, %d workers\n", wrong, elsewhere, master.worker_count());
  return wrong;
}

// Beside a master whose workers have attached another has memory of its own.
int two(island::Master& first) {
  auto* const x = first.allocate<int>(1024);
  for (int i = 0; i < 1024; ++i) x[i] = i;
  island::Master second;
  const int wrong = sums(second);
  for (int i = 0; i < 1024; ++i)
    if (x[i] != i) return 1;
  return wrong + sums(first);
}

int opens(island::Master& master) {
  struct Name {
    char text[256];
  } name{};
  std::strncpy(name.text, std::getenv("WEIR_ISLAND_SEGMENT"), sizeof name.text - 1);
  const auto open_and_close = [name] {
    if (std::FILE* const file = std::fopen(name.text, "r")) std::fclose(file);
  };
  auto* const x = master.allocate<int>(1);
  open_and_close();
  master.spawn(inout(*x), [open_and_close](int& value) {
    open_and_close();
    for (int i = 0; i < 20; ++i, ++value) ::usleep(5000);  // the master looks after its worker meanwhile
  });
  master.wait();
  std::printf("%d steps, %d rerun\n", *x, static_cast<int>(master.statistics().tasks_rerun));
  return 0;
}

long numbers = 0, their_sum = 0;

int read_all(island::Master& master) {
  const int workers = master.worker_count();
  auto* const seen = master.allocate<long>(8 * 64);
  for (int i = 0; i < 64; ++i) {
    master.spawn(out(seen[8 * i]), [](long& value) {
      value = numbers;
      ::usleep(1000);
    });
  }
  master.wait();
  long most = 0, least = numbers + 1;
  for (int i = 0; i < 64; ++i) {
    most = std::max(most, seen[8 * i]);
    least = std::min(least, seen[8 * i]);
  }
  std::printf("%ld numbers, sum %ld, %d workers read %ld to %ld\n", numbers, their_sum, workers, least, most);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  try {
    if (std::strcmp(what, "attach") == 0) {
      island::attach(argv[2]);
      return 0;
    }
    if (std::strcmp(what, "early") == 0 && std::getenv("WEIR_ATTACH") != nullptr) std::raise(SIGKILL);
    if (std::strcmp(what, "quits") == 0 && std::getenv("WEIR_ATTACH") != nullptr) return 0;
    if (std::strcmp(what, "reads") == 0)
      for (long value = 0; std::scanf("%ld", &value) == 1; ++numbers) their_sum += value;
    island::MasterOptions own;
    own.retries = std::strcmp(what, "die") == 0 || std::strcmp(what, "opens") == 0 ? 1 : 0;
    if (std::strcmp(what, "attached") == 0) own.attached = 1;
    island::Master master(Options::from_environment(), own);
    if (std::strcmp(what, "forever") == 0 || std::strcmp(what, "die") == 0 || std::strcmp(what, "crash") == 0) {
      auto* const one = master.allocate<int>(1);
      if (what[0] == 'f')
        master.spawn(inout(*one), name("long"), [](int&) {
          if (std::FILE* const file = std::fopen("in-task", "w")) std::fclose(file);
          ::sleep(1000);
        });
      if (what[0] == 'c') master.spawn(inout(*one), name("crash"), [](int&) { std::raise(SIGKILL); });
      if (what[0] == 'd') {
        auto* const first = master.allocate<int>(1);
        master.spawn(inout(*first), name("dies"), [](int& done) {
          const bool again = ::access("died", F_OK) == 0;
          if (std::FILE* const file = std::fopen("died", "w")) std::fclose(file);
          if (!again) std::raise(SIGKILL);
          done = 7;
        });
        master.wait();
        if (*first != 7) return 1;
      }
      std::printf("begun\n");
      std::fflush(stdout);
      master.wait();
    }
    if (std::strcmp(what, "opens") == 0) return opens(master);
    if (std::strcmp(what, "reads") == 0) return read_all(master);
    return std::strcmp(what, "two") == 0 ? two(master) : sums(master);
  } catch (const Error& error) {
    std::fprintf(stderr, "island_peer: %s\n", error.what());
    return 3;
  }
}
