// SPDX-License-Identifier: Apache-2.0

// WEIR_HAS_CONTAINERS, of a type that the library gives to programs and that has standard containers as members.
//
// With _GLIBCXX_DEBUG these have another layout. The linker then finds no function that gives such a type, unless the
// library was built with it, too: the tag is part of the function's name.
#pragma once

#include <cstddef>  // that of libstdc++ says whether this is the mode

#ifdef _GLIBCXX_DEBUG
#define WEIR_HAS_CONTAINERS [[gnu::abi_tag("of_a_Weir_built_with_GLIBCXX_DEBUG")]]
#else
#define WEIR_HAS_CONTAINERS
#endif
