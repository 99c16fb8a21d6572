// SPDX-License-Identifier: Apache-2.0

// One rank of a job, as whoever has started it says: opens the transport and does what it is told.
//
// transport_rank BODY...   runs these bodies one after the other (`all`: every one that ends well), with one transport
// transport_rank --list    names them
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "conformance/transport/bodies.hpp"
#include "transport/open_transport.hpp"

namespace {

using namespace weir::transport::conformance;  // NOLINT(google-build-using-namespace)
using weir::transport::Transport;

constexpr std::chrono::seconds kPatience{10};

int fail(const Transport& transport, const char* name, const char* what) {
  std::fprintf(stderr, "rank %u of %u over %s: %s: %s\n", me(transport), transport.ranks(), transport.name(), name,
               what);
  return 1;
}

int run(Transport& transport, const Body& body) {
  try {
    body.run(transport);
    return 0;
  } catch (const std::exception& wrong) {
    return fail(transport, body.name, wrong.what());
  }
}

int run_named(Transport& transport, const std::string& name) {
  if (name == "all") {
    int result = 0;
    for_each_body([&](const Body& body) {
      if (result == 0) result = run(transport, body);
    });
    return result;
  }
  const Body* const body = find_body(name);
  return body != nullptr ? run(transport, *body)
                         : fail(transport, name.c_str(), "there is no such body; --list names them");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for_each_body([](const Body& body) { std::puts(body.name); });
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOFBF, 4096);
  const auto job = weir::launch::job_from_environment();
  auto transport = job ? weir::transport::open_transport(*job, {.patience = kPatience}) : job.status();
  if (!transport) {
    std::fprintf(stderr, "%s\n", transport.status().message.c_str());
    return 3;
  }
  std::puts("started");
  std::fflush(stdout);
  for (int i = 1; i < argc; ++i) {
    if (const int status = run_named(**transport, argv[i]); status != 0) return status;
  }
  if ((*transport)->lost()) return 0;
  const weir::base::Status left = (*transport)->leave();
  return left ? 0 : fail(**transport, "leave", left.message.c_str());
}
