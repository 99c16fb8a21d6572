// SPDX-License-Identifier: Apache-2.0

#include "transport/far_reader.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "platform/start_thread.hpp"

namespace weir::transport {

FarReader::~FarReader() {
  std::thread thread;
  {
    const base::Lock lock(mutex_);
    ends_ = true;
    thread = std::move(thread_);
  }
  more_.notify_one();
  if (thread.joinable()) thread.join();
}

void FarReader::read(Location from, std::span<std::byte> to, Done done) {
  if (const base::Status status = start(); !status) return done(status);
  {
    const base::Lock lock(mutex_);
    waiting_.push_back({from, to, std::move(done)});
  }
  more_.notify_one();
}

base::Status FarReader::start() {
  const base::Lock lock(mutex_);
  if (thread_.joinable()) return base::Status::success();
  try {
    thread_ = platform::start_thread("weir far reader", [this] { run(); });
    return base::Status::success();
  } catch (const std::system_error& error) {
    return {base::Code::no_space, std::string("what another host has cannot be read: ") + error.what()};
  }
}

void FarReader::run() {
  const std::unique_ptr<Channel> channel = transport_.open_channel();
  std::vector<Read> reads;
  for (;;) {
    {
      base::Lock lock(mutex_);
      while (waiting_.empty() && !ends_) lock.wait(more_);
      if (waiting_.empty()) return;
      reads.swap(waiting_);
    }
    perform(*channel, reads);
    reads.clear();
  }
}

// All are begun before the first is waited for.
void FarReader::perform(Channel& channel, std::vector<Read>& reads) {
  for (Read& read : reads) read.begun = channel.get_nbi(read.to.data(), read.from, read.to.size());
  const base::Status arrived = channel.quiet();
  for (const Read& read : reads) read.done(read.begun ? arrived : read.begun);
}

}  // namespace weir::transport
