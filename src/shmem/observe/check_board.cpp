// SPDX-License-Identifier: Apache-2.0

#include "shmem/observe/check_board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "platform/clock.hpp"
#include "shmem/world/address.hpp"
#include "shmem/world/waiting.hpp"

namespace weir::shmem {

namespace {

constexpr std::size_t kTextBytes = 512;
constexpr std::uint64_t kLookNs = 200'000'000;         // from one look for circles to the next
constexpr std::uint64_t kPatienceNs = 10'000'000'000;  // with another PE whose message is awaited

// What a PE shows. All words are written by their owner only.
struct Shown {
  std::atomic<std::uint64_t> version{0};  // another one after each change, odd during it
  std::atomic<std::uint64_t> awaited{0};  // the PE that is waited for, + 1; 0: none
  std::atomic<std::uint64_t> word{0};     // what is awaited: an offset in the library's own symmetric memory,
  std::atomic<std::uint64_t> value{0};    // and its least value
  char call[kTextBytes]{};
};

// This process's, and the channel by which it reads others'.
struct Board {
  Shown* shown = nullptr;
  std::mutex mutex;
  std::unique_ptr<transport::Channel> channel;
};
constinit Board* board = nullptr;

class Change {
 public:
  Change() noexcept { board->shown->version.fetch_add(1); }
  ~Change() { board->shown->version.fetch_add(1); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
};

bool shows() noexcept { return !world().is_threaded; }

std::uint64_t read_word(int pe, const std::atomic<std::uint64_t>* word) {
  if (const std::byte* const there = mapped(word, pe); there != nullptr)
    return reinterpret_cast<const std::atomic<std::uint64_t>*>(there)->load();
  std::uint64_t value = 0;
  read_of(pe, word, &value, sizeof(value));
  return value;
}

const std::atomic<std::uint64_t>* word_at(std::uint64_t offset) {
  return reinterpret_cast<const std::atomic<std::uint64_t>*>(world().internal + offset);
}

// A PE that waits.
struct StandingPe {
  int pe = 0;
  std::uint64_t version = 0;
  AwaitedWord awaited;
};

std::optional<StandingPe> standing_of(int pe) {
  const Shown& shown = *board->shown;
  StandingPe found{pe, read_word(pe, &shown.version), {}};
  const std::uint64_t awaited = read_word(pe, &shown.awaited);
  found.awaited = {static_cast<int>(awaited) - 1, word_at(read_word(pe, &shown.word)), read_word(pe, &shown.value)};
  const bool is_whole = found.version % 2 == 0 && read_word(pe, &shown.version) == found.version;
  if (!is_whole || awaited == 0) return std::nullopt;
  return found;
}

bool waits_in_vain(const StandingPe& standing) {
  return read_word(standing.awaited.pe, standing.awaited.word) < standing.awaited.value;
}
// Whether it still waits in the same way. After waits_in_vain(): so both were true at one time.
bool has_not_moved(const StandingPe& standing) {
  return read_word(standing.pe, &board->shown->version) == standing.version;
}

// From this PE to whom it waits for, and so on, back to this PE; empty: there is no such circle, or it moves.
std::vector<StandingPe> find_circle() {
  std::vector<StandingPe> circle;
  int pe = world().my_pe;
  do {
    const std::optional<StandingPe> standing = standing_of(pe);
    if (!standing || circle.size() == static_cast<std::size_t>(world().n_pes)) return {};
    circle.push_back(*standing);
    pe = standing->awaited.pe;
  } while (pe != world().my_pe);
  if (!std::all_of(circle.begin(), circle.end(), waits_in_vain)) return {};
  if (!std::all_of(circle.begin(), circle.end(), has_not_moved)) return {};
  return circle;
}

[[noreturn]] void fail_circle(const std::vector<StandingPe>& circle) {
  std::string text;
  for (const StandingPe& standing : circle) {
    char call[kTextBytes];
    read_of(standing.pe, board->shown->call, call, sizeof(call));
    fmt::format_to(std::back_inserter(text), "PE {} is in {}, and waits for PE {}; ", standing.pe, call,
                   standing.awaited.pe);
  }
  fail(text + "all members of a team or an active set make the same collective calls, in the same order");
}

void look_for_circle(std::uint64_t waited_ns) {
  const std::vector<StandingPe> circle = find_circle();
  if (circle.empty()) return;
  const auto first = std::min_element(circle.begin(), circle.end(),
                                      [](const StandingPe& a, const StandingPe& b) { return a.pe < b.pe; });
  if (first->pe == world().my_pe || waited_ns > kPatienceNs) fail_circle(circle);
}

void show_awaited(const AwaitedWord& awaited) {
  const auto offset = reinterpret_cast<const std::byte*>(awaited.word) - world().internal;
  Shown& shown = *board->shown;
  const Change change;
  shown.awaited.store(static_cast<std::uint64_t>(awaited.pe) + 1);
  shown.word.store(static_cast<std::uint64_t>(offset));
  shown.value.store(awaited.value);
}

void show_none() {
  const Change change;
  board->shown->awaited.store(0);
}

}  // namespace

void open_check_board() {
  board = new Board;
  board->shown = reinterpret_cast<Shown*>(reserve_internal(sizeof(Shown)));
}

void close_check_board() noexcept {
  delete board;
  board = nullptr;
}

void begin_call(std::string_view text) {
  if (!shows()) return;
  const std::size_t n = std::min(text.size(), kTextBytes - 1);
  char* const call = board->shown->call;
  const Change change;
  std::memcpy(call, text.data(), n);
  call[n] = '\0';
}

void end_call() {
  if (shows()) show_none();
}

void wait_for(const AwaitedWord& awaited) {
  if (read_word(awaited.pe, awaited.word) >= awaited.value) return;
  if (shows()) show_awaited(awaited);
  const std::uint64_t since = platform::now_ns();
  std::uint64_t next_look = since + kLookNs;
  for (Waiting waiting; read_word(awaited.pe, awaited.word) < awaited.value;) {
    waiting.pause({.kind = Awaited::Kind::pe, .pe = awaited.pe});
    const std::uint64_t now = platform::now_ns();
    if (!shows() || now < next_look) continue;
    look_for_circle(now - since);
    next_look = platform::now_ns() + kLookNs;
  }
  if (shows()) show_none();
}

void read_of(int pe, const void* symmetric, void* to, std::size_t bytes) {
  if (const std::byte* const there = mapped(symmetric, bytes, pe); there != nullptr) {
    std::memcpy(to, there, bytes);
    return;
  }
  const std::lock_guard lock(board->mutex);
  if (board->channel == nullptr) board->channel = world().transport->open_channel();
  check(board->channel->get(to, *locate(symmetric, pe), bytes));
}

void wait_for_the_end() {
  const std::uint64_t since = platform::now_ns();
  for (Waiting waiting; platform::now_ns() - since < kPatienceNs;) waiting.pause();
}

}  // namespace weir::shmem
