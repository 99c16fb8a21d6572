// SPDX-License-Identifier: Apache-2.0

// Names of files that a command line gives, compared by the files they stand for, and for who is in another folder. Any
// thread.
#pragma once

#include <initializer_list>
#include <string>

#include "base/result.hpp"

namespace weir::tool {

// By two names, also of a file that is not there yet. Devices and pipes do not count: to be written to twice harms
// none.
bool is_same_file(const std::string& a, const std::string& b);

// "" stays; so does every name where the folder that this process is in is gone.
std::string absolute_name(const std::string& name);

struct NamedFile {
  std::string role;  // "--html", "the trace"
  std::string name;  // "": not given
};

// bad_option, which names both, when two are the same file: one would be written over the other.
base::Status check_differ(std::initializer_list<NamedFile> files);

}  // namespace weir::tool
