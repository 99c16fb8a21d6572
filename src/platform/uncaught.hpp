// SPDX-License-Identifier: Apache-2.0

// A weir::Error that no code of the program catches is a line on standard error and exit status 2, not an abort.
//
// The handler of std::terminate() that was there before gets everything else. A program that installs a handler of its
// own, at any time after its static initialisation, has that one instead. Each file of the library that throws to
// programs includes this header, so that no program has the errors without the handler.
#pragma once

namespace weir::platform {

// Installs the handler; more calls than one change nothing. Returns true.
bool report_uncaught_errors() noexcept;

[[maybe_unused]] static const bool kReportsUncaughtErrors = report_uncaught_errors();

}  // namespace weir::platform
