// SPDX-License-Identifier: Apache-2.0

// Printing and assertions.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "ocr/ocr.h"

namespace {

// One call to stdio, which locks the stream: lines are not mixed. Flushed, so that what was printed is there whatever
// happens next.
u32 print(const char* format, va_list arguments) {
  const int printed = std::vprintf(format, arguments);
  std::fflush(stdout);
  return printed < 0 ? 0 : static_cast<u32>(printed);
}

}  // namespace

extern "C" {

u32 ocrPrintf(const char* fmt, ...) {
  va_list arguments;
  va_start(arguments, fmt);
  const u32 printed = print(fmt, arguments);
  va_end(arguments);
  return printed;
}

u32 PRINTF(const char* fmt, ...) {
  va_list arguments;
  va_start(arguments, fmt);
  const u32 printed = print(fmt, arguments);
  va_end(arguments);
  return printed;
}

u32 SNPRINTF(char* buf, u32 size, const char* fmt, ...) {
  va_list arguments;
  va_start(arguments, fmt);
  const int printed = std::vsnprintf(buf, size, fmt, arguments);
  va_end(arguments);
  return printed < 0 ? 0 : static_cast<u32>(printed);
}

void _ocrAssert(bool ok, const char* text, const char* file, u32 line) {
  if (ok) return;
  std::fflush(stdout);
  std::fprintf(stderr, "ASSERT FAILURE: %s at %s:%u\n", text, file, line);
  std::abort();
}

void _ocrVerify(bool ok, const char* file, u32 line, const char* fmt, ...) {
  va_list arguments;
  va_start(arguments, fmt);
  flockfile(stdout);
  std::printf("%s @ '%s:%u' ", ok ? "PASSED" : "FAILURE", file, line);
  print(fmt, arguments);
  funlockfile(stdout);
  va_end(arguments);
}

}  // extern "C"
