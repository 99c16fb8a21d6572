// The report on a program that ends or hangs: what is left and why. Any thread.
#pragma once

namespace weir::ocr {

// To standard error: each EDT that has not run with its open slots and what would satisfy them, events that were never
// satisfied, blocks never destroyed, all with where they were created. `why` is its first line.
void print_report(const char* why) noexcept;

}  // namespace weir::ocr
