// SPDX-License-Identifier: Apache-2.0

#include "transport/joined/post.hpp"

#include <utility>

#include "transport/no_memory.hpp"

namespace weir::transport::joined {
namespace {

thread_local const Post* post_of_this_thread = nullptr;  // whose handlers it runs

}  // namespace

Post::Post(const Neighbourhood& neighbourhood, Transport& near, mpi::Link& link)
    : neighbourhood_(neighbourhood), near_(near), link_(link) {
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i] = {this, static_cast<std::uint16_t>(i)};
}

void Post::set_handler(std::uint16_t number, Transport::Handler handler, void* context) {
  handlers_.set(number, handler, context);
  near_.set_handler(number, &Post::from_near, &entries_[number]);
}

bool Post::is_in_handler() const noexcept { return post_of_this_thread == this; }

void Post::from_near(void* context, Rank near, std::span<const std::byte> bytes) {
  const Entry& entry = *static_cast<const Entry*>(context);
  entry.post->take_near(entry.number, entry.post->neighbourhood_.far(near), bytes);
}

// Calls come in order, one at a time: the near transport's handlers are. What is kept goes first.
void Post::take_near(std::uint16_t number, Rank from, std::span<const std::byte> bytes) {
  if (!is_in_handler()) {
    const std::unique_lock running(running_, std::try_to_lock);
    if (running) {
      run_kept();
      return run_one(number, from, bytes);
    }
  }
  const std::lock_guard lock(kept_mutex_);
  or_end_without_memory("a message of a neighbour", [&] {
    kept_.push_back({from, number, {bytes.begin(), bytes.end()}});
  });
}

void Post::run_one(std::uint16_t number, Rank from, std::span<const std::byte> bytes) {
  post_of_this_thread = this;
  handlers_.run(number, from, bytes);
  post_of_this_thread = nullptr;
}

bool Post::run_kept() {
  std::deque<mpi::Letter> letters;
  {
    const std::lock_guard lock(kept_mutex_);
    letters.swap(kept_);
  }
  for (const mpi::Letter& letter : letters) run_one(letter.handler, letter.from, letter.bytes);
  return !letters.empty();
}

bool Post::run_far() {
  const std::deque<mpi::Letter> letters = link_.take_mail();
  for (const mpi::Letter& letter : letters) {
    run_one(letter.handler, letter.from, letter.bytes);
    link_.handled(letter);
  }
  return !letters.empty();
}

bool Post::run() {
  if (is_in_handler()) return false;
  bool worked = near_.progress();
  const std::unique_lock running(running_, std::try_to_lock);
  if (!running) return worked;
  worked = run_kept() || worked;
  return run_far() || worked;
}

}  // namespace weir::transport::joined
