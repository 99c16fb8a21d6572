/* SPDX-License-Identifier: Apache-2.0 */

/* host PLUGIN: loads it, and says what it has counted where it has counted something. */
#include <dlfcn.h>
#include <stdio.h>

typedef long (*Count)(void);

int main(int argc, char** argv) {
  void* const plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  const Count count = plugin != NULL ? (Count)dlsym(plugin, "count_pes") : NULL;
  long counted;
  if (count == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  counted = count();
  if (counted != 0) printf("a plugin: %ld PEs\n", counted);
  return 0;
}
