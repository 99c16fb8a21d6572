/* SPDX-License-Identifier: Apache-2.0 */

#include <hbwmalloc.h>
#include <string.h>

int main(void) {
  char *text = hbw_malloc(100);
  if (text == NULL) return 1;
  strcpy(text, "weir");
  text = hbw_realloc(text, 10000);
  return text != NULL && strcmp(text, "weir") == 0 ? 0 : 1;
}
