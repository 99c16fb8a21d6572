// SPDX-License-Identifier: Apache-2.0

#include "checker/tell/link.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/abstract_socket.hpp"

namespace weir::checker {

namespace {

[[noreturn]] void give_up() noexcept {
  constexpr char kText[] = "weir: check: weir check has gone away\n";
  static_cast<void>(!::write(2, kText, sizeof kText - 1));
  _exit(2);
}

}  // namespace

base::Status Link::open(const std::string& name, bool holds_system_calls) {
  const auto address = platform::AbstractSocket::named(name);
  if (name.empty() || name.size() + 2 > sizeof address.name.sun_path)
    return {base::Code::bad_option,
            fmt::format("{}={}: it is set by weir check; run `weir check PROGRAM`", check::kVariable, name)};
  socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (socket_ < 0 || connect(socket_, address.get(), address.size) != 0) {
    const int why = errno;
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
    return {base::Code::bad_option,
            fmt::format("{}={}: no weir check listens there ({}); run `weir check PROGRAM`, or unset {}",
                        check::kVariable, name, std::strerror(why), check::kVariable)};
  }
  Hello hello;
  hello.holds_system_calls = holds_system_calls ? 1 : 0;
  send(&hello, sizeof hello);
  Answer answer = Answer::go_on;
  receive(&answer, sizeof answer);
  all_exact_ = answer == Answer::go_on_exactly;
  return base::Status::success();
}

void Link::forget() noexcept {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

platform::Instruction Link::decode(std::uintptr_t instruction) noexcept {
  DecodeRequest request;
  // By the kernel, which stops where nothing is mapped.
  const iovec to{request.code, kCodeBytes};
  const iovec from{reinterpret_cast<void*>(instruction), kCodeBytes};
  platform::Instruction result;
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) <= 0)  // forbidden in some containers
    std::memcpy(request.code, reinterpret_cast<const void*>(instruction),
                std::min(kCodeBytes, std::size_t{4096} - (instruction & 4095)));
  send(&request, sizeof request);
  receive(&result, sizeof result);
  return result;
}

Answer Link::tell(const Finding& finding) noexcept {
  Answer answer = Answer::go_on;
  send(&finding, sizeof finding);
  receive(&answer, sizeof answer);
  return answer;
}

void Link::tell(const Repeated& repeated) noexcept { send(&repeated, sizeof repeated); }

void Link::tell(const Bye& bye) noexcept {
  Answer answer = Answer::go_on;
  send(&bye, sizeof bye);
  receive(&answer, sizeof answer);  // it may still want to know what lies where in this process
}

void Link::send(const void* message, std::size_t bytes) noexcept {
  std::memcpy(buffer_, message, bytes);  // the kernel heeds what is closed
  ssize_t sent = -1;
  do sent = ::send(socket_, buffer_, bytes, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) give_up();
}

void Link::receive(void* answer, std::size_t bytes) noexcept {
  ssize_t received = -1;
  do received = ::recv(socket_, buffer_, bytes, 0);
  while (received < 0 && errno == EINTR);
  if (received != static_cast<ssize_t>(bytes)) give_up();
  std::memcpy(answer, buffer_, bytes);
}

}  // namespace weir::checker
