/* SPDX-License-Identifier: Apache-2.0 */

/* hbwmalloc_c_test POLICY: the functions of hbwmalloc.h from C99, on whatever machine this is. Prints what is wrong. */
#include <errno.h>
#include <hbwmalloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int good, const char *what) {
  if (good) return;
  ++failures;
  printf("wrong: %s\n", what);
}

static int policy_named(const char *name) {
  if (strcmp(name, "preferred") == 0) return HBW_POLICY_PREFERRED;
  if (strcmp(name, "bind") == 0) return HBW_POLICY_BIND;
  if (strcmp(name, "bind_all") == 0) return HBW_POLICY_BIND_ALL;
  if (strcmp(name, "interleave") == 0) return HBW_POLICY_INTERLEAVE;
  return 0;
}

static void check_settings(hbw_policy_t policy) {
  check(hbw_get_policy() == HBW_POLICY_PREFERRED, "the default policy");
  check(hbw_set_policy((hbw_policy_t)77) == EINVAL, "an unknown policy");
  check(hbw_set_policy(policy) == 0, "setting the policy");
  check(hbw_get_policy() == policy, "the policy that was set");
  check(hbw_set_policy(HBW_POLICY_PREFERRED) == EPERM, "setting the policy again");
}

/* Memory that must be there. */
static void check_memory(void) {
  char *text = hbw_malloc(10);
  double *zeroes = hbw_calloc(1000, sizeof(double));
  void *aligned = NULL;
  check(text != NULL && zeroes != NULL, "memory");
  strcpy(text, "123456789");
  text = hbw_realloc(text, 100000);
  check(text != NULL && strcmp(text, "123456789") == 0, "contents after hbw_realloc");
  check(hbw_malloc_usable_size(text) >= 100000, "hbw_malloc_usable_size");
  check(zeroes[0] == 0 && zeroes[999] == 0, "zeroes of hbw_calloc");
  check(hbw_posix_memalign(&aligned, 4096, 100) == 0 && (uintptr_t)aligned % 4096 == 0, "hbw_posix_memalign");
  if (hbw_check_available() == 0 && hbw_get_policy() != HBW_POLICY_PREFERRED) {
    check(hbw_verify_memory_region(text, 100000, 0) == 0, "hbw_verify_memory_region");
  }
  hbw_free(aligned);
  hbw_free(zeroes);
  hbw_free(text);
}

static void check_no_memory(void) {
  void *data = &failures;
  errno = 0;
  check(hbw_malloc(1) == NULL && errno == ENOMEM, "hbw_malloc without memory");
  errno = 0;
  check(hbw_calloc(1, 1) == NULL && errno == ENOMEM, "hbw_calloc without memory");
  check(hbw_posix_memalign(&data, 64, 1) == ENOMEM, "hbw_posix_memalign without memory");
}

static void check_arguments(void) {
  void *data = NULL;
  check(hbw_malloc(0) == NULL && hbw_calloc(0, 1) == NULL, "nothing");
  check(hbw_posix_memalign(&data, 3, 1) == EINVAL, "an alignment of 3");
  check(hbw_posix_memalign_psize(&data, 64, 1, HBW_PAGESIZE_1GB) == EINVAL, "pages of 1 GiB");
  check(hbw_verify_memory_region(NULL, 1, 0) == EINVAL, "verifying NULL");
  check(hbw_verify_memory_region(&data, 1, 1 << 5) == EINVAL, "an unknown flag");
  hbw_free(NULL);
}

int main(int argc, char **argv) {
  const int policy = argc == 2 ? policy_named(argv[1]) : 0;
  const int available = hbw_check_available();
  if (policy == 0) {
    fprintf(stderr, "usage: hbwmalloc_c_test preferred|bind|bind_all|interleave\n");
    return 2;
  }
  check(available == 0 || available == ENODEV, "hbw_check_available");
  check_settings((hbw_policy_t)policy);
  check_arguments();
  if (available == 0 || policy == HBW_POLICY_PREFERRED) {
    check_memory();
  } else {
    check_no_memory();
  }
  return failures == 0 ? 0 : 1;
}
