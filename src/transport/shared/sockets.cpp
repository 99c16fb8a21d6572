// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/sockets.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>

namespace weir::transport::shared {
namespace {

using base::Code;
using base::Status;
using platform::Descriptor;
using std::chrono::milliseconds;

constexpr std::size_t kLongestJob = 64;
constexpr std::chrono::minutes kNoted{1};  // how often a rank that waits for others says so

constexpr const char* kElsewhere = "; what has started and does not come is on another host, or in another container";

// In one piece.
void say(const std::string& line) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

struct Address {
  sockaddr_un name{};
  socklen_t bytes = 0;
  sockaddr* out() noexcept { return reinterpret_cast<sockaddr*>(&name); }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&name); }
};

// A long id by its FNV-1a hash: names of sockets are short.
std::string short_id(const std::string& job) {
  if (job.size() <= kLongestJob) return job;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}-{:016x}", job.substr(0, 32), hash);
}

std::string name_of(const std::string& job) { return fmt::format("weir-{}-{}", getuid(), short_id(job)); }

// Abstract: the first byte is 0.
Address address_of(const std::string& name) {
  Address address;
  address.name.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address.name.sun_path + 1);
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

// Of a rank's own end: so rank 0 knows whose it is when the rank ends before it has said a word.
constexpr std::string_view kOfRank = "-rank";
Address address_of(const std::string& job, Rank rank) {
  return address_of(fmt::format("{}{}{}", name_of(job), kOfRank, static_cast<std::uint32_t>(rank)));
}

// "rank 3"; "a rank" when its end has no such name.
std::string rank_at(const Address& address) {
  const std::size_t before = offsetof(sockaddr_un, sun_path) + 1;
  if (address.bytes <= before) return "a rank";
  const std::string_view name(address.name.sun_path + 1, address.bytes - before);
  const std::size_t at = name.rfind(kOfRank);
  return at == std::string_view::npos ? "a rank" : fmt::format("rank {}", name.substr(at + kOfRank.size()));
}

Descriptor new_socket() { return Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

Status failed(const char* what, int error) {
  return {Code::io_error, fmt::format("start of the ranks of a host: {}: {}", what, std::strerror(error))};
}

bool is_over(Deadline deadline) { return std::chrono::steady_clock::now() >= deadline; }

// Whether there is something to read, or the other end is gone.
bool is_readable(const Descriptor& socket, Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now()) + milliseconds(1);
    pollfd entry{socket.number(), POLLIN, 0};
    const int found = poll(&entry, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30)));
    if (found > 0) return true;
    if (found == 0 || errno != EINTR) return false;
  }
}

// The process at the other end, as it was when it connected.
ucred peer_of(const Descriptor& socket) {
  ucred peer{0, static_cast<uid_t>(-1), static_cast<gid_t>(-1)};
  socklen_t bytes = sizeof peer;
  getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
  return peer;
}

bool is_of_this_user(const Descriptor& socket) { return peer_of(socket).uid == getuid(); }

// Room for one descriptor beside a message.
union Ancillary {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

bool send_packet(const Descriptor& socket, Packet packet, int descriptor) {
  iovec data{&packet, sizeof packet};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  Ancillary ancillary{};
  if (descriptor >= 0) {
    message.msg_control = &ancillary;
    message.msg_controllen = sizeof ancillary;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do sent = sendmsg(socket.number(), &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == sizeof packet;
}

std::optional<Packet> receive_packet(const Descriptor& socket, Descriptor& descriptor) {
  Packet packet;
  iovec data{&packet, sizeof packet};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  Ancillary ancillary{};
  message.msg_control = &ancillary;
  message.msg_controllen = sizeof ancillary;
  ssize_t received = 0;
  // ECONNRESET: the other end has not read all; what it has sent can be read still.
  do received = recvmsg(socket.number(), &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && (errno == EINTR || errno == ECONNRESET));
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (received > 0 && header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof number);
    descriptor = Descriptor(number);
  }
  if (received != sizeof packet || packet.magic != Packet::kMagic) return std::nullopt;
  packet.text[sizeof packet.text - 1] = '\0';
  return packet;
}

// Binds the job's name. It may be taken for a moment by a transport of the same job that just ends.
base::Result<Descriptor> listen_as(const std::string& job, std::uint32_t ranks, Deadline deadline) {
  Descriptor listener = new_socket();
  if (!listener.is_open()) return failed("no socket can be made", errno);
  const Address address = address_of(name_of(job));
  const Deadline until = std::min(deadline, std::chrono::steady_clock::now() + std::chrono::seconds(5));
  while (bind(listener.number(), address.get(), address.bytes) != 0) {
    if (errno != EADDRINUSE) return failed("a socket cannot be named", errno);
    if (is_over(until)) {
      return Status{Code::bad_option,
                    fmt::format("another job on this host has the id {} (a process listens at @{}): start this one "
                                "under another id",
                                job, name_of(job))};
    }
    std::this_thread::sleep_for(milliseconds(2));
  }
  if (listen(listener.number(), static_cast<int>(ranks)) != 0) return failed("a socket cannot listen", errno);
  return listener;
}

}  // namespace

base::Result<Sockets> Sockets::connect(const std::string& job, Rank rank, std::uint32_t ranks, Deadline deadline) {
  Sockets sockets(ranks);
  const Status status = rank == Rank{0} ? sockets.accept_all(job, deadline) : sockets.reach_first(job, rank, deadline);
  if (!status) return status;
  return sockets;
}

// What one rank said wrong is told to all that have come.
base::Status Sockets::accept_all(const std::string& job, Deadline deadline) {
  base::Result<Descriptor> listener = listen_as(job, static_cast<std::uint32_t>(to_.size()), deadline);
  if (!listener) return listener.status();
  Status status;
  for (std::size_t missing = to_.size() - 1; missing > 0 && status; --missing) {
    status = comes_one(*listener, job, deadline) ? accept_one(*listener, deadline) : absent(job);
  }
  if (!status) tell_all(*listener, status);
  return status;
}

// Those that have connected and were not accepted yet, too.
void Sockets::tell_all(const Descriptor& listener, const base::Status& verdict) {
  const Deadline soon = std::chrono::steady_clock::now() + milliseconds(200);
  while (is_readable(listener, std::chrono::steady_clock::now()) && !is_over(soon)) {
    static_cast<void>(accept_one(listener, soon));
  }
  Packet packet;
  packet.code = static_cast<std::uint32_t>(verdict.code);
  verdict.message.copy(packet.text, sizeof packet.text - 1);
  for (const auto* sockets : {&to_, &refused_}) {
    for (const Descriptor& socket : *sockets) {
      if (socket.is_open()) static_cast<void>(send_packet(socket, packet, -1));
    }
  }
}

base::Status Sockets::accept_one(const Descriptor& listener, Deadline deadline) {
  Address theirs;
  theirs.bytes = sizeof theirs.name;
  Descriptor socket(accept4(listener.number(), theirs.out(), &theirs.bytes, SOCK_CLOEXEC));
  if (!socket.is_open()) return failed("a rank cannot be accepted", errno);
  if (!is_of_this_user(socket)) return {Code::bad_option, "a process of another user claims to be a rank of this job"};
  Descriptor none;
  const auto hello = is_readable(socket, deadline) ? receive_packet(socket, none) : std::nullopt;
  if (!hello) {
    return {Code::lost,
            fmt::format("{} (process {}) has ended while the ranks of this host were finding one another, or it is of "
                        "another libweir",
                        rank_at(theirs), peer_of(socket).pid)};
  }
  if (hello->ranks != to_.size() || hello->rank == 0 || hello->rank >= to_.size()) {
    refused_.push_back(std::move(socket));
    return {Code::bad_option, fmt::format("rank {} of {} has come to a job of {} ranks: all must be started alike",
                                          hello->rank, hello->ranks, to_.size())};
  }
  if (to_[hello->rank].is_open()) {
    refused_.push_back(std::move(socket));
    return {Code::bad_option, fmt::format("two processes claim to be rank {} of {}: a job's id must be unlike that of "
                                          "any other job of this host",
                                          hello->rank, hello->ranks)};
  }
  to_[hello->rank] = std::move(socket);
  return Status::success();
}

bool Sockets::comes_one(const Descriptor& listener, const std::string& job, Deadline deadline) const {
  while (!is_readable(listener, std::min(deadline, std::chrono::steady_clock::now() + kNoted))) {
    if (is_over(deadline)) return false;
    say(fmt::format("weir: rank 0 of {} of job {} waits for these to start: {}{}\n", to_.size(), job, missing(),
                    kElsewhere));
  }
  return true;
}

std::string Sockets::missing() const {
  std::string names;
  for (std::size_t i = 1; i < to_.size(); ++i) {
    if (!to_[i].is_open()) names += fmt::format("{}rank {}", names.empty() ? "" : ", ", i);
  }
  return names;
}

base::Status Sockets::absent(const std::string& job) const {
  return {Code::lost, fmt::format("of {} ranks of job {} these have not come in time: {}; either they have ended, or "
                                  "they are not on this host",
                                  to_.size(), job, missing())};
}

base::Status Sockets::reach_first(const std::string& job, Rank rank, Deadline deadline) {
  const Address address = address_of(name_of(job));
  Descriptor socket = new_socket();
  if (!socket.is_open()) return failed("no socket can be made", errno);
  // Where another process has that name, both come, and rank 0 says what is wrong.
  const Address own = address_of(job, rank);
  if (bind(socket.number(), own.get(), own.bytes) != 0 && errno != EADDRINUSE)
    return failed("a socket cannot be named", errno);
  auto pause = std::chrono::microseconds(200);
  Deadline noted = std::chrono::steady_clock::now() + kNoted;
  while (::connect(socket.number(), address.get(), address.bytes) != 0) {
    if (errno != ECONNREFUSED && errno != EINTR && errno != EAGAIN) return failed("rank 0 cannot be reached", errno);
    if (is_over(deadline)) {
      return {Code::lost, fmt::format("rank 0 of job {} has not come in time: no process listens at @{}; either it has "
                                      "ended, or it is not on this host",
                                      job, name_of(job))};
    }
    if (rank == Rank{1} && is_over(noted)) {
      say(fmt::format("weir: rank 1 of {} of job {} waits for rank 0 to start{}\n", to_.size(), job, kElsewhere));
      noted += kNoted;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(4000));
  }
  if (!is_of_this_user(socket)) {
    return {Code::bad_option, fmt::format("a process of another user listens at @{}", name_of(job))};
  }
  to_[0] = std::move(socket);
  Packet hello;
  hello.rank = static_cast<std::uint32_t>(rank);
  hello.ranks = static_cast<std::uint32_t>(to_.size());
  static_cast<void>(send(Rank{0}, hello));  // where rank 0 does not read it any more, it has said why
  return Status::success();
}

base::Status Sockets::send(Rank to, const Packet& packet, int descriptor) {
  const Descriptor& socket = to_[static_cast<std::uint32_t>(to)];
  if (send_packet(socket, packet, descriptor)) return Status::success();
  const int error = errno;
  // Who has ended may have said why before: that another rank was killed.
  Descriptor none;
  const auto last = is_readable(socket, std::chrono::steady_clock::now()) ? receive_packet(socket, none) : std::nullopt;
  if (last && last->code != 0) return {static_cast<Code>(last->code), last->text};
  return {Code::lost, fmt::format("rank {} has ended: {}", static_cast<std::uint32_t>(to), std::strerror(error))};
}

base::Result<Packet> Sockets::receive(Rank from, Deadline deadline, Descriptor* descriptor) {
  const Descriptor& socket = to_[static_cast<std::uint32_t>(from)];
  const auto number = static_cast<std::uint32_t>(from);
  if (!is_readable(socket, deadline)) return Status{Code::lost, fmt::format("rank {} says nothing", number)};
  Descriptor came;
  const auto packet = receive_packet(socket, came);
  if (!packet) return Status{Code::lost, fmt::format("rank {} has ended while the ranks were starting", number)};
  if (packet->code != 0) return Status{static_cast<Code>(packet->code), packet->text};
  if (descriptor != nullptr) *descriptor = std::move(came);
  return *packet;
}

}  // namespace weir::transport::shared
