// SPDX-License-Identifier: Apache-2.0

// One line on standard error for misuse that no return code can report: it names the EDT, what it did, and the GUID.
#pragma once

#include <string>
#include <string_view>

#include "ocr/objects/edt.hpp"

namespace weir::ocr {

// "weir: ocr: EDT sum (0x...) <what>: 0x...".
void complain(const Edt& edt, const char* what, Guid guid) noexcept;
// The same of what has no GUID.
void complain(const Edt& edt, const char* what) noexcept;
// The same of no EDT: "weir: ocr: <what>: 0x...".
void complain(const char* what, Guid guid) noexcept;
// The same, but only of the first EDT of its kind: what is wrong in one is so in all.
void complain_once(const Edt& edt, const char* what, Guid guid) noexcept;
// At the start of OCR.
void forget_complaints() noexcept;

// What people call it: the name that the program gave, else that of the function, else its address; "main()" for null.
std::string name_of(const EdtKind* kind);
inline constexpr std::string_view kEdtWord = "EDT ";      // how all but main() begin
inline constexpr const char* kUnnamed = "EDT function ";  // how those that have an address only begin
// The same text, which stays for ever.
const char* lasting_name_of(const EdtKind* kind);

}  // namespace weir::ocr
