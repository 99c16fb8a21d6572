// SPDX-License-Identifier: Apache-2.0

// PartFile: a file that grows as FILE.part and takes the place of FILE when it is whole.
//
// Who is killed meanwhile leaves FILE.part, and FILE as it was. Another process that writes the same FILE at that time
// has FILE.PID.part; the last one to be whole wins. Where the file system has no locks, so has who finds a FILE.part.
// Another copy of this library in the process, of a program whose libraries each have one linked in, takes another FILE
// (unshared()). A FILE that exists and is no regular file (a pipe, the null device) is written when the contents are
// whole, and has no part.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "base/result.hpp"

namespace weir::platform {

class PartFile {
 public:
  // io_error, naming `path`, when it cannot be written: no such folder, no right, a folder, a device.
  static base::Result<std::unique_ptr<PartFile>> create(const std::string& path);
  // `path`, or, where another PartFile of this process has that, whole or not, the first of `path`.2, `path`.3 that
  // none has.
  static std::string unshared(const std::string& path);
  // Whether create() would succeed now; leaves nothing behind.
  static base::Status check(const std::string& path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  // What was not published stays as it is, with its part's name.
  ~PartFile();

  // Any thread: both texts of a call lie together, in the order of calls where one follows the other. io_error: then
  // nothing of them is there.
  base::Status append(std::string_view text, std::string_view more = {});

  // One thread, while no other appends.
  // Where the next append() writes.
  std::uint64_t bytes() const noexcept { return bytes_; }
  // What is from there on is not: the next append() writes there.
  void shorten(std::uint64_t bytes) noexcept { bytes_ = bytes; }
  // The contents, and `end` behind them, are FILE. io_error.
  base::Status publish(std::string_view end);
  // What was published grows again, in place of the `end`: FILE is FILE.part until the next publish(). io_error.
  base::Status reopen();
  // Its name now; empty: it has none, for FILE is irregular.
  const std::string& part() const noexcept { return part_; }
  // It goes away, unless it is FILE.
  void discard() noexcept;

 private:
  explicit PartFile(std::string path);
  int open_part();
  int try_part(const std::string& name, bool is_ours_by_name);
  int copy_to(int fd) const;

  const std::string path_;  // as it was given
  std::string final_;       // the file itself, where `path_` is a link
  std::string part_;        // as part()
  int fd_ = -1;
  bool published_ = false;
  base::Mutex mutex_;        // of those that append
  std::uint64_t bytes_ = 0;  // written with mutex_ held; without what publish() has put behind
};

}  // namespace weir::platform
