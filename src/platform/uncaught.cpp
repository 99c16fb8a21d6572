// SPDX-License-Identifier: Apache-2.0

#include "platform/uncaught.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "base/one_line.hpp"
#include "weir/error.hpp"

namespace weir::platform {

namespace {

constexpr int kUsage = 2;  // the exit status for what was asked and cannot be had

std::terminate_handler before = nullptr;  // set once, during static initialisation

// Other threads may run: no destructor is called. What the program has printed is not lost.
[[noreturn]] void end_with(const Error& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "weir: %s\n", base::one_line(error.what()).c_str());
  std::_Exit(kUsage);
}

[[noreturn]] void terminate() noexcept {
  try {
    if (const std::exception_ptr current = std::current_exception()) std::rethrow_exception(current);
  } catch (const Error& error) {
    end_with(error);
  } catch (...) {  // not ours: the handler before finds it as the current exception, too
    if (before != nullptr) before();
    std::abort();
  }
  if (before != nullptr) before();
  std::abort();
}

}  // namespace

bool report_uncaught_errors() noexcept {
  if (std::get_terminate() != &terminate && before == nullptr) before = std::set_terminate(&terminate);
  return true;
}

}  // namespace weir::platform
