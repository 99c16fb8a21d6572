// SPDX-License-Identifier: Apache-2.0

#include "transport/far_reader.hpp"

#include <utility>

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
  {
    const base::Lock lock(mutex_);
    waiting_.push_back({from, to, std::move(done)});
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  more_.notify_one();
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
  base::Status status;
  for (const Read& read : reads) {
    if (status) status = channel.get_nbi(read.to.data(), read.from, read.to.size());
  }
  if (base::Status quiet = channel.quiet(); status) status = std::move(quiet);
  for (const Read& read : reads) read.done(status);
}

}  // namespace weir::transport
