// SPDX-License-Identifier: Apache-2.0

#include "explain/service.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "explain/render.hpp"
#include "explain/socket.hpp"
#include "platform/own_descriptor.hpp"
#include "platform/start_thread.hpp"

namespace weir::explain {

namespace {

using Clock = std::chrono::steady_clock;

// A pipe that wakes the service: what its ends are, and nothing that the program has there after it has closed them.
class WakePipe {
 public:
  void open() noexcept {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    reads_ = platform::OwnDescriptor(ends[0]);
    writes_ = platform::OwnDescriptor(ends[1]);
  }
  int number() const noexcept { return reads_.number(); }
  // Async-signal-safe.
  void wake() const noexcept { [[maybe_unused]] const ssize_t written = write(writes_.number(), "", 1); }
  void empty() const noexcept {
    char bytes[64];
    while (read(reads_.number(), bytes, sizeof bytes) > 0) {
    }
  }
  void close() noexcept {
    reads_.close();
    writes_.close();
  }

 private:
  platform::OwnDescriptor reads_, writes_;
};

constinit WakePipe the_wake;  // open while there is a service
constinit std::atomic<bool> takes_signal{false};
constinit std::atomic<bool> is_asked_by_signal{false};
constinit std::atomic<void (*)(int)> the_default{SIG_DFL};  // what stands for the default action here
struct sigaction action_before;                             // of SIGUSR1, while there is a service

extern "C" void weir_explain_on_signal(int) {
  if (!takes_signal.load()) return;
  const int saved = errno;
  is_asked_by_signal.store(true);
  the_wake.wake();
  errno = saved;
}

struct Watched {
  Source* source;
  std::uint64_t progress = 0;
  Clock::time_point since;  // when it was last seen to have done something
  bool told = false;        // of this standstill
};

class Service {
 public:
  explicit Service(const ServiceOptions& options) : options_(options), socket_(listen_for_questions()) {
    the_wake.open();
    if (options.signal) take_signal();
    try {
      thread_ = platform::start_thread("weir explain", [this] { work(); });
    } catch (const std::system_error& error) {
      std::fprintf(stderr, "weir: explain: this process cannot be explained: %s\n", error.what());
    }
  }
  ~Service() {
    stop_.store(true);
    the_wake.wake();
    if (thread_.joinable()) thread_.join();
    give_signal_back();
    close_files();
  }
  // In a forked child: the thread is the parent's.
  void abandon() noexcept {
    takes_signal.store(false);
    close_files();
  }

  void add(Source& source) {
    const base::Lock lock(mutex_);
    watched_.push_back({&source, 0, Clock::now(), false});
  }
  void remove(Source& source) {
    const base::Lock lock(mutex_);
    std::erase_if(watched_, [&](const Watched& w) { return w.source == &source; });
  }
  bool empty() {
    const base::Lock lock(mutex_);
    return watched_.empty();
  }

  Advance advance() {
    const base::Lock lock(mutex_);
    Advance sum;
    for (const Watched& w : watched_) {
      Advance one = w.source->advance();
      sum.done += one.done;
      sum.known += one.known;
      for (TierUse& tier : one.tiers) sum.tiers.push_back(std::move(tier));
    }
    return sum;
  }

 private:
  static constexpr int kLongestNapMs = 1000;

  void take_signal() noexcept {
    struct sigaction now {};
    if (sigaction(SIGUSR1, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0) return;
    const bool is_ours = now.sa_handler == &weir_explain_on_signal;  // from before a fork
    if (!is_ours && now.sa_handler != SIG_DFL && now.sa_handler != the_default.load()) return;
    if (!is_ours) action_before = now;
    is_asked_by_signal.store(false);
    takes_signal.store(true);
    struct sigaction ours {};
    ours.sa_handler = &weir_explain_on_signal;
    ours.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &ours, nullptr);
  }
  // Unless the program has taken it meanwhile.
  static void give_signal_back() noexcept {
    struct sigaction now {};
    if (!takes_signal.exchange(false) || sigaction(SIGUSR1, nullptr, &now) != 0) return;
    if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != &weir_explain_on_signal) return;
    sigaction(SIGUSR1, &action_before, nullptr);
  }
  void close_files() noexcept {
    the_wake.close();
    socket_.close();
  }

  int nap_ms() const noexcept {
    return options_.after_s == 0 ? kLongestNapMs : std::clamp(options_.after_s * 1000 / 8, 50, kLongestNapMs);
  }

  void work() noexcept {
    while (!stop_.load()) {
      pollfd files[] = {{the_wake.number(), POLLIN, 0}, {socket_.number(), POLLIN, 0}};
      poll(files, 2, nap_ms());
      if (stop_.load()) return;
      try {
        the_wake.empty();
        if (is_asked_by_signal.exchange(false)) print(explain_all("", "asked for by SIGUSR1"));
        if ((files[1].revents & POLLIN) != 0) serve();
        watch();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "weir: explain: %s\n", error.what());
      }
    }
  }

  void serve() {
    const auto question = accept_question(socket_.number());
    if (!question) return;
    std::string reply;
    try {
      reply = question->text == "advance" ? advance_text() : explain_all(question->text, nullptr);
    } catch (const std::exception& error) {
      reply = fmt::format("weir: explain: {}\n", error.what());
    }
    answer(*question, reply);
  }

  std::string advance_text() {
    const Advance sum = advance();
    std::string text = fmt::format("{} {}\n", sum.done, sum.known);
    for (const TierUse& tier : sum.tiers) text += fmt::format("{} {} {}\n", tier.used, tier.budget, tier.name);
    return text;
  }

  // `how`: "json", else text.
  std::string explain_all(const std::string& how, const char* why) {
    std::vector<Situation> all;
    {
      const base::Lock lock(mutex_);
      for (Watched& w : watched_) all.push_back(look_at(w));
    }
    if (how == "json") {
      std::string text;
      for (const Situation& one : all) text += fmt::format("{}{}", text.empty() ? "" : ",", to_json(one));
      return fmt::format("[{}]\n", text);
    }
    std::string text = why == nullptr ? std::string() : fmt::format("weir: explain: {}\n", why);
    for (const Situation& one : all) text += to_text(one);
    return text.empty() ? "weir: explain: no runtime is left\n" : text;
  }

  static Situation look_at(Watched& watched) {
    std::uint64_t progress = 0;
    const bool still = watched.source->is_still(progress);
    Situation situation = watched.source->look();
    situation.quiet_seconds = std::chrono::duration<double>(Clock::now() - watched.since).count();
    situation.nothing_runs = still && progress == watched.progress;
    return situation;
  }

  // Says it once for each time that nothing happens any more.
  void watch() {
    std::vector<Situation> stuck;
    {
      const base::Lock lock(mutex_);
      const auto now = Clock::now();
      for (Watched& w : watched_) {
        std::uint64_t progress = 0;
        if (!w.source->is_still(progress) || progress != w.progress) {
          w.progress = progress;
          w.since = now;
          w.told = false;
        }
        if (options_.after_s == 0 || w.told || now - w.since < std::chrono::seconds(options_.after_s)) continue;
        w.told = true;
        Situation situation = look_at(w);
        const bool waits = std::any_of(situation.things.begin(), situation.things.end(), [](const Thing& t) {
          return (t.kind == Kind::task || t.kind == Kind::edt) && t.state == State::waiting;
        });
        if (waits && situation.nothing_runs) stuck.push_back(std::move(situation));
      }
    }
    std::string text;
    for (const Situation& one : stuck) text += to_text(one);
    print(text);
  }

  static void print(const std::string& text) noexcept {
    if (text.empty()) return;
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  }

  const ServiceOptions options_;
  platform::OwnDescriptor socket_;
  std::atomic<bool> stop_{false};
  base::Mutex mutex_;
  std::vector<Watched> watched_ WEIR_GUARDED_BY(mutex_);
  std::thread thread_;  // last: it uses the others
};

// Constant-initialised and trivially destroyed: runtimes may live when static objects end.
struct TheService {
  base::Mutex mutex;
  Service* service WEIR_GUARDED_BY(mutex) = nullptr;
};
constinit TheService the;

// fork() must not find the lock taken by a thread that the child does not have. Taken by one of these functions and
// given back by another one.
void before_fork() WEIR_NOT_ANALYSED { the.mutex.lock(); }
void after_fork_in_parent() WEIR_NOT_ANALYSED { the.mutex.unlock(); }
void after_fork_in_child() WEIR_NOT_ANALYSED {
  if (the.service != nullptr) std::exchange(the.service, nullptr)->abandon();  // leaked: its lock may be taken
  the.mutex.unlock();
}
[[maybe_unused]] const int kAtFork = pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);

}  // namespace

Registration::Registration(Source& source, const ServiceOptions& options) : source_(source) {
  const base::Lock lock(the.mutex);
  if (the.service == nullptr) the.service = new Service(options);
  the.service->add(source);
}

Registration::~Registration() {
  const base::Lock lock(the.mutex);  // until it has ended: the next one needs its socket
  std::unique_ptr<Service> last;
  if (the.service == nullptr) return;  // in a forked child
  the.service->remove(source_);
  if (the.service->empty()) last.reset(std::exchange(the.service, nullptr));
}

void take_signal_from(void (*handler)(int)) noexcept { the_default.store(handler); }

Advance advance_of_process() {
  const base::Lock lock(the.mutex);
  return the.service == nullptr ? Advance() : the.service->advance();
}

}  // namespace weir::explain
