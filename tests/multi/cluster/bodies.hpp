// SPDX-License-Identifier: Apache-2.0

// What ranks of the program cluster_rank run, by name.
#pragma once

#include <exception>
#include <map>
#include <string>

namespace weir::cluster::multi {

// Returns when all is as it should be; else says what is not, and ends the process with status 1.
using Body = void (*)();
struct Named {
  Named(const char* name, Body body);
};
const std::map<std::string, Body>& bodies();

void expect(bool is_true, const std::string& what);
// What this rank is told when something fails: by any call, since another rank may be far ahead.
template <class Body>
std::string told_by(const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}
// An integer of the environment.
int setting(const char* name, int otherwise);

}  // namespace weir::cluster::multi
