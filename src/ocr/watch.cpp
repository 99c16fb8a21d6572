#include "ocr/watch.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "ocr/pause.hpp"
#include "ocr/report.hpp"
#include "ocr/system.hpp"

namespace weir::ocr {

namespace {

constexpr auto kInterval = std::chrono::milliseconds(20);
constexpr int kIdleLooks = 3;  // before it believes it
constexpr u8 kStuck = 1;       // exit code

volatile std::sig_atomic_t report_asked = 0;
void ask_for_report(int) { report_asked = 1; }

// Unless the program has a use for the signal.
void take_signal() noexcept {
  struct sigaction now {};
  if (sigaction(SIGUSR1, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = &ask_for_report;
  ours.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &ours, nullptr);
}

}  // namespace

Watch::Watch(System& system) : system_(system) {
  take_signal();
  thread_ = std::thread([this] { work(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watch::work() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wake_.wait_for(lock, kInterval);
    if (!stop_) look();
  }
}

void Watch::look() {
  if (report_asked != 0) {
    report_asked = 0;
    print_report("asked for by SIGUSR1");
  }
  const System::Activity now = system_.activity();
  const bool stuck = now.idle && now.ended == ended_ && system_.first_thread_waits() && !system_.has_guests() &&
                     !system_.shutting_down() && !is_pausing();
  ended_ = now.ended;
  idle_looks_ = stuck ? idle_looks_ + 1 : 0;
  if (idle_looks_ < kIdleLooks) return;
  std::fflush(stdout);
  print_report("the program can make no progress: nothing is ready or runs, and ocrShutdown() was not called");
  system_.shut_down(kStuck);
}

}  // namespace weir::ocr
