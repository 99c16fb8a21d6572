// SPDX-License-Identifier: Apache-2.0

// The manual pages weir(1), weir-topo(1) and so on, made from what --help shows. `weir manual PAGE` prints one; the
// build calls it.
#pragma once

#include <string>

#include "describe.hpp"

namespace weir::tool {

// The page of the program, or of a verb of it together with the verbs below, in man(7) macros.
std::string manual_page(const VerbText& verb, const VerbText& program);

// Hidden: `weir manual [VERB]`.
void add_manual(CLI::App& app, Global& global);

}  // namespace weir::tool
