// SPDX-License-Identifier: Apache-2.0

// A folder that goes with what is in it when its owner does.
#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"

namespace weir::tool {

class TemporaryFolder {
 public:
  // Within `parent`, by a name that begins with `name`. io_error, which says what it is for.
  static base::Result<TemporaryFolder> create(const std::string& parent, const std::string& name,
                                              const std::string& purpose);
  // In the folder of temporary files of this system.
  static base::Result<TemporaryFolder> create(const std::string& name, const std::string& purpose);
  TemporaryFolder(TemporaryFolder&& other) noexcept : name_(std::exchange(other.name_, "")) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& name() const noexcept { return name_; }

 private:
  explicit TemporaryFolder(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

}  // namespace weir::tool
