// SPDX-License-Identifier: Apache-2.0

// cluster_rank BODY   one rank of a job, as whoever has started it says
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "multi/cluster/bodies.hpp"

namespace weir::cluster::multi {

namespace {
std::map<std::string, Body>& all() {
  static std::map<std::string, Body> made;
  return made;
}
}  // namespace

Named::Named(const char* name, Body body) { all()[name] = body; }
const std::map<std::string, Body>& bodies() { return all(); }

void expect(bool is_true, const std::string& what) {
  if (is_true) return;
  std::fprintf(stderr, "not so: %s\n", what.c_str());
  std::exit(1);
}

int setting(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace weir::cluster::multi

int main(int argc, char** argv) {
  const auto found = weir::cluster::multi::bodies().find(argc == 2 ? argv[1] : "");
  if (found == weir::cluster::multi::bodies().end()) {
    std::fprintf(stderr, "cluster_rank BODY: one of");
    for (const auto& [name, body] : weir::cluster::multi::bodies()) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  try {
    found->second();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ends by an exception: %s\n", error.what());
    return 3;
  }
  return 0;
}
