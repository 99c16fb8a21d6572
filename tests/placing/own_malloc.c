/* SPDX-License-Identifier: Apache-2.0 */

/* A program with an allocator of its own in its file, which gives nothing back. It prints "right" when all that it
 * wrote was there again. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { MIB = 1 << 20 };

static char* next = NULL;

void* malloc(size_t size);
void free(void* data);
void* calloc(size_t count, size_t size);
void* realloc(void* data, size_t size);

void* malloc(size_t size) {
  if (next == NULL) next = mmap(NULL, 256 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* const data = next + 64;
  memcpy(data - sizeof size, &size, sizeof size);
  next = data + (size + 63) / 64 * 64;
  return data;
}

void free(void* data) { (void)data; }

void* calloc(size_t count, size_t size) { return malloc(count * size); }

void* realloc(void* data, size_t size) {
  char* const result = malloc(size);
  size_t before = 0;
  if (data == NULL) return result;
  memcpy(&before, (char*)data - sizeof before, sizeof before);
  return memcpy(result, data, before < size ? before : size);
}

int main(void) {
  char* const data = malloc(8 * MIB);
  memset(data, 1, 8 * MIB);
  const int holds = data[0] == 1 && memcmp(data, data + 1, 8 * MIB - 1) == 0;
  puts(holds ? "right" : "wrong");
  return holds ? 0 : 1;
}
