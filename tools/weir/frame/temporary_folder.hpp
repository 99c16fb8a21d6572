// SPDX-License-Identifier: Apache-2.0

// A folder that goes with what is in it when its owner does, or a signal ends the program.
#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"
#include "platform/temporary_name.hpp"

namespace weir::tool {

// As TMPDIR has it, else /tmp; whether it is there or not.
std::string folder_of_temporary_files();

class TemporaryFolder {
 public:
  // Within `parent`, by a name that begins with `name`. io_error, which says what it is for.
  static base::Result<TemporaryFolder> create(const std::string& parent, const std::string& name,
                                              const std::string& purpose);
  // In the folder of temporary files; bad_option when that is not there.
  static base::Result<TemporaryFolder> create(const std::string& name, const std::string& purpose);
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : name_(std::exchange(other.name_, "")), known_(std::move(other.known_)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& name() const noexcept { return name_; }
  // It stays, with what is in it. Its name.
  std::string keep();

 private:
  TemporaryFolder(std::string name, platform::TemporaryName known) : name_(std::move(name)), known_(std::move(known)) {}
  std::string name_;
  platform::TemporaryName known_;
};

}  // namespace weir::tool
