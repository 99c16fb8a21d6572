// SPDX-License-Identifier: Apache-2.0

// Reductions of REAL*16, which is no type of C's on every processor: each PE gets the sources of all and puts them
// together in the order of the set.
#include <algorithm>
#include <functional>
#include <vector>

#include "shmem/api/fortran/fortran.hpp"
#include "shmem/rma/rma.hpp"

namespace weir::shmem::fortran {
namespace {

#if defined(__x86_64__)
__extension__ typedef __float128 Quad;
#else
using Quad = long double;
#endif
static_assert(sizeof(Quad) == 16);

struct Set {
  int start, log_stride, size;
  long* sync;
  void barrier() const { pshmem_barrier(start, log_stride, size, sync); }
  int pe(int member) const noexcept { return start + (member << log_stride); }
};

template <class Combine>
void reduce(Quad* dest, const Quad* source, std::size_t n, const Set& set, Combine combine) {
  check_end(dest, n * sizeof(Quad));
  std::vector<Quad> all(n), one(n);
  set.barrier();  // all sources are ready
  get(default_context(), all.data(), source, n * sizeof(Quad), set.pe(0));
  for (int member = 1; member < set.size; ++member) {
    get(default_context(), one.data(), source, n * sizeof(Quad), set.pe(member));
    std::transform(all.begin(), all.end(), one.begin(), all.begin(), combine);
  }
  set.barrier();  // nobody reads a source any more: it may be dest
  std::copy(all.begin(), all.end(), dest);
}

}  // namespace
}  // namespace weir::shmem::fortran

namespace weir::shmem {
using fortran::Integer;
using fortran::Quad;

// clang-format off
#define WEIR_SHMEM_FORTRAN_QUAD(OP, COMBINE)                                                                     \
  WEIR_SHMEM_FORTRAN(void, shmem_real16_##OP##_to_all,                                                           \
                     (Quad* dest, const Quad* source, const Integer* nreduce, const Integer* PE_start,           \
                      const Integer* logPE_stride, const Integer* PE_size, Quad*, Integer* pSync)) {             \
    fortran::reduce(dest, source, fortran::count_of(nreduce),                                                    \
                    {*PE_start, *logPE_stride, *PE_size, reinterpret_cast<long*>(pSync)}, COMBINE);              \
  }
// clang-format on

WEIR_SHMEM_FORTRAN_QUAD(sum, std::plus<Quad>())
WEIR_SHMEM_FORTRAN_QUAD(prod, std::multiplies<Quad>())
WEIR_SHMEM_FORTRAN_QUAD(min, [](Quad a, Quad b) { return b < a ? b : a; })
WEIR_SHMEM_FORTRAN_QUAD(max, [](Quad a, Quad b) { return a < b ? b : a; })

}  // namespace weir::shmem
