// SPDX-License-Identifier: Apache-2.0

// A trace as an archive of the Open Trace Format 2: a folder for each runtime.
//
// FILE.otf2 for the first, FILE-2.otf2 for the second. An archive that is there is replaced, anything else is not
// touched. Implemented by otf2_file.cpp where the library was found, else by missing.cpp.
#pragma once

#include <string>

#include "names.hpp"

namespace weir::tool::convert {

// Whether write_otf2() could write there now. unsupported where OTF2 was not found; io_error.
base::Status check_otf2(const std::string& path);
// io_error; bad_input when the trace is damaged meanwhile.
base::Status write_otf2(const TraceReader& reader, const std::string& path);

}  // namespace weir::tool::convert
