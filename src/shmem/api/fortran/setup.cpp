// SPDX-License-Identifier: Apache-2.0

// Start, end, order and the rest of Fortran's routines that move no data.
#include <algorithm>
#include <cstring>

#include "shmem/api/fortran/fortran.hpp"

namespace weir::shmem {

using fortran::Integer;
using fortran::Logical;

WEIR_SHMEM_FORTRAN(void, start_pes, (const Integer* npes)) { pstart_pes(*npes); }
WEIR_SHMEM_FORTRAN(void, shmem_init, (void)) { pshmem_init(); }
WEIR_SHMEM_FORTRAN(void, shmem_finalize, (void)) { pshmem_finalize(); }
WEIR_SHMEM_FORTRAN(void, shmem_global_exit, (const Integer* status)) { pshmem_global_exit(*status); }
WEIR_SHMEM_FORTRAN(void, globalexit, (const Integer* status)) { pshmem_global_exit(*status); }
WEIR_SHMEM_FORTRAN(Integer, my_pe, (void)) { return pshmem_my_pe(); }
WEIR_SHMEM_FORTRAN(Integer, num_pes, (void)) { return pshmem_n_pes(); }
WEIR_SHMEM_FORTRAN(Integer, shmem_my_pe, (void)) { return pshmem_my_pe(); }
WEIR_SHMEM_FORTRAN(Integer, shmem_n_pes, (void)) { return pshmem_n_pes(); }

WEIR_SHMEM_FORTRAN(Logical, shmem_pe_accessible, (const Integer* pe)) { return pshmem_pe_accessible(*pe); }
WEIR_SHMEM_FORTRAN(Logical, shmem_addr_accessible, (const void* addr, const Integer* pe)) {
  return pshmem_addr_accessible(addr, *pe);
}
WEIR_SHMEM_FORTRAN(void*, shmem_ptr, (const void* dest, const Integer* pe)) { return pshmem_ptr(dest, *pe); }
WEIR_SHMEM_FORTRAN(void, shmem_info_get_version, (Integer * major, Integer* minor)) {
  pshmem_info_get_version(major, minor);
}
// With blanks to its end, as Fortran has it; the length comes after the arguments.
WEIR_SHMEM_FORTRAN(void, shmem_info_get_name, (char* name, std::size_t length)) {
  constexpr std::size_t kLength = sizeof(SHMEM_VENDOR_STRING) - 1;
  std::memset(name, ' ', length);
  std::memcpy(name, SHMEM_VENDOR_STRING, std::min(length, kLength));
}

WEIR_SHMEM_FORTRAN(void, shmem_barrier_all, (void)) { pshmem_barrier_all(); }
WEIR_SHMEM_FORTRAN(void, shmem_sync_all, (void)) { pshmem_sync_all(); }
WEIR_SHMEM_FORTRAN(void, shmem_fence, (void)) { pshmem_fence(); }
WEIR_SHMEM_FORTRAN(void, shmem_quiet, (void)) { pshmem_quiet(); }

WEIR_SHMEM_FORTRAN(void, shmem_set_cache_inv, (void)) {}
WEIR_SHMEM_FORTRAN(void, shmem_set_cache_line_inv, (void*)) {}
WEIR_SHMEM_FORTRAN(void, shmem_clear_cache_inv, (void)) {}
WEIR_SHMEM_FORTRAN(void, shmem_clear_cache_line_inv, (void*)) {}
WEIR_SHMEM_FORTRAN(void, shmem_udcflush, (void)) {}
WEIR_SHMEM_FORTRAN(void, shmem_udcflush_line, (void*)) {}

}  // namespace weir::shmem
