// SPDX-License-Identifier: Apache-2.0

// Folder: where checkpoints are: the last whole one, and the next while it is written.
//
//   DIR/lock            held by the process that writes here
//   DIR/next/           being written: image.0, image.1 and so on, one for each rank
//   DIR/checkpoint.7/   whole: these, and the record, `whole`; the number is that of the checkpoint
//
// `next` gets its number by a rename, when all in it is on the device; only then the one before goes. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "checkpoint/record.hpp"
#include "platform/process.hpp"

namespace weir::checkpoint {

class Folder {
 public:
  // To write there, for as long as it lives. The folder is made when the one that it is to be in is there. io_error;
  // bad_option: it cannot be made, or another run writes there.
  static base::Result<Folder> open(const std::string& path);

  // An empty `next`. io_error, no_space.
  base::Status begin();
  // `next` is whole but for its record: it becomes the last. io_error, no_space.
  base::Status publish(const Record& record);
  // What is in `next` is worth nothing.
  void discard() noexcept;

 private:
  Folder(std::string path, platform::Descriptor lock, std::uint64_t last) noexcept;

  std::string path_;
  platform::Descriptor lock_;
  std::uint64_t last_;  // number of the last whole one, or of what was tried to be
};

// The file of that rank in the checkpoint which is written.
std::string next_image(const std::string& path, std::uint32_t rank);

// The last whole checkpoint's own folder. not_found: there is none; the message says what is there instead. io_error:
// the folder cannot be read.
base::Result<std::string> last_whole(const std::string& path);
std::string image_in(const std::string& folder, std::uint32_t rank);
std::string record_in(const std::string& folder);

}  // namespace weir::checkpoint
