// SPDX-License-Identifier: Apache-2.0

// Record: what a checkpoint says of the program as a whole, in its file `whole`. A value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/submission.hpp"

namespace weir::checkpoint {

struct Record {
  Submission::Mark at;  // where the program was
  std::uint32_t ranks = 1;
  std::vector<Submission::Mark> marks{};
  std::string variables{};    // Variables::encode()
  std::string program{};      // its name
  std::uint32_t runtime = 1;  // which of those that its process had made with this folder; Course says how they count
};

// Writes it so that it is on the device. io_error, no_space.
base::Status write_record(const std::string& path, const Record& record);
// io_error, bad_input: it cannot be read, or is damaged.
base::Result<Record> read_record(const std::string& path);

}  // namespace weir::checkpoint
