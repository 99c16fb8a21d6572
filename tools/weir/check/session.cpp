// SPDX-License-Identifier: Apache-2.0

#include "check/session.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "check/decode.hpp"
#include "check/hooks.hpp"
#include "platform/abstract_socket.hpp"
#include "platform/child_end.hpp"
#include "platform/companion.hpp"
#include "platform/process.hpp"

namespace weir::tool::check {

namespace {

using weir::checker::Answer;
using weir::checker::MessageKind;

std::atomic<int> interrupts{0};
std::atomic<int> interrupted_child{0};

// A terminal sends it to the program, too; whoever uses kill(1) does not.
void on_interrupt(int, siginfo_t* info, void*) {
  const int child = interrupted_child;
  if (++interrupts > 1)
    kill(child, SIGKILL);
  else if (info->si_code != SI_KERNEL)
    kill(child, SIGINT);
}

class Interrupts {
 public:
  explicit Interrupts(int child) {
    interrupted_child = child;
    sigaction(SIGINT, nullptr, &before_);
    if (before_.sa_handler == SIG_IGN) return;  // the program ignores it, too
    struct sigaction action {};
    action.sa_sigaction = &on_interrupt;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

class Session {
 public:
  Session(const HowToCheck& how, const OnFinding& on_finding) : how_(how), on_finding_(on_finding) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    for (const Process& process : processes_) close(process.socket);
    if (listener_ >= 0) close(listener_);
  }

  base::Status listen();
  base::Status start(const std::vector<std::string>& program);
  Outcome serve();

 private:
  struct Process {
    int socket;
    int pid;
  };
  union Message {
    MessageKind kind;
    weir::checker::Hello hello;
    weir::checker::DecodeRequest decode;
    weir::checker::Finding finding;
    weir::checker::Repeated repeated;
    weir::checker::Bye bye;
    Message() : kind() {}
  };

  void accept_process();
  bool answer(const Process& process);
  bool answer(const Process& process, const Message& message);
  static bool send(int socket, const void* what, std::size_t bytes) {
    return ::send(socket, what, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
  }
  // False: no process has anything to say.
  bool serve_once(int timeout_ms);

  const HowToCheck how_;
  const OnFinding& on_finding_;
  std::string name_;
  int listener_ = -1;
  std::optional<platform::Process> process_;
  std::vector<Process> processes_;
  Outcome outcome_;
};

base::Status Session::listen() {
  name_ = platform::socket_name("weir.check", "/proc/self", getpid());
  const auto address = platform::AbstractSocket::named(name_);
  listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (listener_ < 0 || bind(listener_, address.get(), address.size) != 0 || ::listen(listener_, 64) != 0) {
    return {base::Code::unsupported, fmt::format("cannot make a local socket: {}", std::strerror(errno))};
  }
  return base::Status::success();
}

base::Status Session::start(const std::vector<std::string>& program) {
  const auto library = platform::find_companion("libweir-check.so", "src/checker");
  if (!library) return library.status();
  platform::Command command{program, {{weir::check::kVariable, fmt::format("{}:{}", name_, *library)}}};
  if (how_.output_to_stderr) command.out = STDERR_FILENO;
  command.dies_with_us = true;  // what nobody watches any more is of no use
  const auto started = platform::Process::start(command);
  if (!started) return started.status();
  process_ = *started;
  return base::Status::success();
}

void Session::accept_process() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return;
  ucred peer{};
  socklen_t length = sizeof peer;
  getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length);
  processes_.push_back({socket, peer.pid});
}

bool Session::answer(const Process& process, const Message& message) {
  Answer verdict = Answer::go_on;
  switch (message.kind) {
    case MessageKind::hello:
      ++outcome_.processes;
      outcome_.all_calls_seen = outcome_.all_calls_seen && message.hello.holds_system_calls != 0;
      if (how_.exact) verdict = Answer::go_on_exactly;
      return send(process.socket, &verdict, sizeof verdict);
    case MessageKind::decode: {
      const platform::Instruction result = decode({message.decode.code, weir::checker::kCodeBytes});
      return send(process.socket, &result, sizeof result);
    }
    case MessageKind::finding: {
      const Heard heard = on_finding_(message.finding, process.pid);
      ++(heard == Heard::again ? outcome_.repetitions : outcome_.findings);
      if (heard != Heard::again && is_advice(message.finding.kind)) ++outcome_.advice;
      outcome_.stopped = heard == Heard::stop;
      if (outcome_.stopped) verdict = Answer::stop;
      return send(process.socket, &verdict, sizeof verdict);
    }
    case MessageKind::repeated: outcome_.repetitions += message.repeated.times; return true;
    case MessageKind::bye:
      outcome_.tasks += message.bye.tasks;
      outcome_.unseen += message.bye.unseen;
      outcome_.in_part += message.bye.in_part;
      outcome_.parts += message.bye.parts;
      outcome_.parts_free += message.bye.parts_free;
      return send(process.socket, &verdict, sizeof verdict);
  }
  return false;
}

// False: the process has ended, or does not speak our language.
bool Session::answer(const Process& process) {
  Message message;
  const ssize_t bytes = recv(process.socket, &message, sizeof message, 0);
  return bytes >= static_cast<ssize_t>(sizeof(MessageKind)) && answer(process, message);
}

bool Session::serve_once(int timeout_ms) {
  std::vector<pollfd> waiting{{listener_, POLLIN, 0}};
  waiting.reserve(processes_.size() + 1);
  for (const Process& process : processes_) waiting.push_back({process.socket, POLLIN, 0});
  if (poll(waiting.data(), waiting.size(), timeout_ms) <= 0) return false;
  std::vector<Process> alive;
  for (std::size_t i = 1; i < waiting.size(); ++i) {
    const Process process = processes_[i - 1];
    if (waiting[i].revents == 0 || answer(process))
      alive.push_back(process);
    else
      close(process.socket);
  }
  processes_ = std::move(alive);
  if (waiting[0].revents != 0) accept_process();
  return true;
}

Outcome Session::serve() {
  constexpr int kLookAfterMs = 20;
  {
    const Interrupts ours(process_->pid());  // which go to it only until it is waited for
    while (serve_once(kLookAfterMs) || !platform::has_ended(process_->pid())) {
    }
    while (serve_once(0)) {
    }
  }
  const platform::ProcessEnd end = process_->wait();
  outcome_.signal = end.signal;
  outcome_.interrupted = interrupts != 0;
  outcome_.status = end.status;
  return outcome_;
}

}  // namespace

base::Result<Outcome> run_checked(const std::vector<std::string>& program, const HowToCheck& how,
                                  const OnFinding& on_finding) {
  Session session(how, on_finding);
  if (base::Status status = session.listen(); !status) return status;
  if (base::Status status = session.start(program); !status) return status;
  return session.serve();
}

}  // namespace weir::tool::check
