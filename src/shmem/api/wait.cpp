// SPDX-License-Identifier: Apache-2.0

// shmem_<type>_wait_until, shmem_<type>_test and their forms for several words.
#include "shmem/rma/wait.hpp"

#include "shmem/api/entry.hpp"

namespace weir::shmem::api {
namespace {

template <class T>
void do_wait_until(T* word, int cmp, T value) {
  wait_until(word, cmp, value);
}
template <class T>
int do_test(T* word, int cmp, T value) {
  return test(word, cmp, value) ? 1 : 0;
}
template <class T>
void do_wait(T* word, T value) {
  wait_until(word, SHMEM_CMP_NE, value);
}

template <class T>
void do_wait_until_all(T* words, std::size_t n, const int* status, int cmp, T value) {
  wait_until_all<T>({words, n, status}, cmp, {&value, false});
}
template <class T>
std::size_t do_wait_until_any(T* words, std::size_t n, const int* status, int cmp, T value) {
  return wait_until_any<T>({words, n, status}, cmp, {&value, false});
}
template <class T>
std::size_t do_wait_until_some(T* words, std::size_t n, std::size_t* indices, const int* status, int cmp, T value) {
  return wait_until_some<T>({words, n, status}, indices, cmp, {&value, false});
}
template <class T>
int do_test_all(T* words, std::size_t n, const int* status, int cmp, T value) {
  return test_all<T>({words, n, status}, cmp, {&value, false}) ? 1 : 0;
}
template <class T>
std::size_t do_test_any(T* words, std::size_t n, const int* status, int cmp, T value) {
  return test_any<T>({words, n, status}, cmp, {&value, false});
}
template <class T>
std::size_t do_test_some(T* words, std::size_t n, std::size_t* indices, const int* status, int cmp, T value) {
  return test_some<T>({words, n, status}, indices, cmp, {&value, false});
}

template <class T>
void do_wait_until_all_vector(T* words, std::size_t n, const int* status, int cmp, const T* values) {
  wait_until_all<T>({words, n, status}, cmp, {values, true});
}
template <class T>
std::size_t do_wait_until_any_vector(T* words, std::size_t n, const int* status, int cmp, const T* values) {
  return wait_until_any<T>({words, n, status}, cmp, {values, true});
}
template <class T>
std::size_t do_wait_until_some_vector(T* words, std::size_t n, std::size_t* indices, const int* status, int cmp,
                                      const T* values) {
  return wait_until_some<T>({words, n, status}, indices, cmp, {values, true});
}
template <class T>
int do_test_all_vector(T* words, std::size_t n, const int* status, int cmp, const T* values) {
  return test_all<T>({words, n, status}, cmp, {values, true}) ? 1 : 0;
}
template <class T>
std::size_t do_test_any_vector(T* words, std::size_t n, const int* status, int cmp, const T* values) {
  return test_any<T>({words, n, status}, cmp, {values, true});
}
template <class T>
std::size_t do_test_some_vector(T* words, std::size_t n, std::size_t* indices, const int* status, int cmp,
                                const T* values) {
  return test_some<T>({words, n, status}, indices, cmp, {values, true});
}

}  // namespace
}  // namespace weir::shmem::api

WEIR_SHMEM_P2P_TYPES(WEIR_SHMEM_WAIT, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_AMO_TYPES(WEIR_SHMEM_WAIT_SEVERAL, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_P2P_TYPES(WEIR_SHMEM_OLD_WAIT, WEIR_SHMEM_DEFINE_TYPED)

// Of a long, under the name that has no type in it.
WEIR_SHMEM_ENTRY(void, shmem_wait_until, (long* ivar, int cmp, long cmp_value)) {
  weir::shmem::wait_until(ivar, cmp, cmp_value);
}
WEIR_SHMEM_ENTRY(void, shmem_wait, (long* ivar, long cmp_value)) {
  weir::shmem::wait_until(ivar, SHMEM_CMP_NE, cmp_value);
}
// Flat, as those of a type are: of a mere jump no frame is left, by which messages name the routine.
WEIR_SHMEM_DEFINE(std::uint64_t, signal_wait_until, (std::uint64_t * sig_addr, int cmp, std::uint64_t cmp_value),
                  weir::shmem::wait_until(sig_addr, cmp, cmp_value))
