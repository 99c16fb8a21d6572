// SPDX-License-Identifier: Apache-2.0

// What the Fortran routines have in common: names as gfortran and most others make them, in small letters with an
// underscore behind; all arguments are pointers. INTEGER and LOGICAL have four bytes.
//
// Each is defined as pshmem_..._; shmem_..._ is a weak name of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/api/entry.hpp"

// clang-format off
#define WEIR_SHMEM_FORTRAN(R, NAME, PARAMETERS)                                         \
  extern "C" [[gnu::weak, gnu::alias("p" #NAME "_")]] R NAME##_ PARAMETERS noexcept;    \
  extern "C" R p##NAME##_ PARAMETERS noexcept
// The same for what is one call of the library: of a mere jump no frame is left, by which messages name the routine.
#define WEIR_SHMEM_FORTRAN_FLAT(R, NAME, PARAMETERS)                                    \
  extern "C" [[gnu::weak, gnu::alias("p" #NAME "_")]] R NAME##_ PARAMETERS noexcept;    \
  extern "C" [[gnu::flatten]] R p##NAME##_ PARAMETERS noexcept
// clang-format on

namespace weir::shmem::fortran {

using Integer = std::int32_t;
using Logical = std::int32_t;

// Ends the program for a negative number, which no array has.
inline std::size_t count_of(const Integer* n) noexcept { return api::count_of(*n); }

}  // namespace weir::shmem::fortran
