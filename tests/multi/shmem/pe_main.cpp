// SPDX-License-Identifier: Apache-2.0

// shmem_pe BODY   one PE of a job, as whoever has started it says
#include <cstdio>

#include "multi/shmem/bodies.hpp"
#include "shmem/rma/context.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem::multi {

namespace {
std::map<std::string, Body>& all() {
  static std::map<std::string, Body> made;
  return made;
}
}  // namespace

Named::Named(const char* name, Body body) { all()[name] = body; }
const std::map<std::string, Body>& bodies() { return all(); }

void expect(bool is_true, const char* what) {
  if (is_true) return;
  std::fprintf(stderr, "PE %d of %d: not so: %s\n", me(), pes(), what);
  global_exit(1);
}

int me() { return world().my_pe; }
int pes() { return world().n_pes; }
int next() { return (me() + 1) % pes(); }
int previous() { return (me() + pes() - 1) % pes(); }

void meet() {
  quiet(default_context());
  check(world().transport->barrier());
}

}  // namespace weir::shmem::multi

int main(int argc, char** argv) {
  const auto found = weir::shmem::multi::bodies().find(argc == 2 ? argv[1] : "");
  if (found == weir::shmem::multi::bodies().end()) {
    std::fprintf(stderr, "shmem_pe BODY: one of");
    for (const auto& [name, body] : weir::shmem::multi::bodies()) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  found->second();
  return 0;
}
