/* SPDX-License-Identifier: Apache-2.0 */

/* Pages of static data that the program has protected before the start stay so: one that cannot be read, between others
 * that are symmetric, and one that cannot be written; in a forked child, too. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
static long area[5 * PAGE / sizeof(long)] __attribute__((aligned(PAGE)));
static long* page(int number) { return area + number * (PAGE / (long)sizeof(long)); }

static sigjmp_buf before;
static void note_fault(int number) { siglongjmp(before, number); }

static int faults(volatile long* word, int is_store) {
  if (sigsetjmp(before, 1) != 0) return 1;
  if (is_store)
    *word = 7;
  else
    (void)*word;
  return 0;
}

static int are_right(void) {
  return faults(page(1), 0) && faults(page(1), 1) && !faults(page(3), 0) && faults(page(3), 1) && *page(3) == 33 &&
         !faults(page(4), 1);
}

int main(void) {
  int me, next, status = -1, is_right = 0;
  struct sigaction action = {0};
  pid_t child;
  *page(0) = 10;
  *page(1) = *page(3) = 33;
  if (sysconf(_SC_PAGESIZE) != PAGE) return 0;
  if (mprotect(page(1), PAGE, PROT_NONE) != 0 || mprotect(page(3), PAGE, PROT_READ) != 0) return 2;
  shmem_init();
  me = shmem_my_pe();
  next = (me + 1) % shmem_n_pes();
  action.sa_handler = note_fault;
  sigaction(SIGSEGV, &action, NULL);
  is_right = *page(0) == 10 && are_right();
  shmem_long_p(page(2), 100 + me, next); /* behind the page that cannot be read */
  shmem_barrier_all();
  is_right = is_right && *page(2) == 100 + (me + shmem_n_pes() - 1) % shmem_n_pes();
  child = fork();
  if (child == 0) _exit(are_right() ? 0 : 1);
  waitpid(child, &status, 0);
  if (!is_right || status != 0) printf("PE %d: %d, child %d\n", me, is_right, status);
  shmem_finalize();
  return 0;
}
