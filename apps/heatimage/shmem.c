/* SPDX-License-Identifier: Apache-2.0 */

/* Heat in a plate as a picture, in OpenSHMEM: `heatimage_shmem --n N --picture FILE`. Each PE computes its rows
 * (apps/heat2d/heat_rows.h) and colours them; PE 0 fetches the colours of all and writes a PNG file.
 *
 * The left half of what it shows is the mirror of the right one, bit for bit; no point is colder or hotter than all
 * were at first; and the colours in the file, which PE 0 reads again, have the sum of those that the PEs have made. */
#include <png.h>

#include "apps/heat2d/heat_rows.h"

enum { kColours = 3 };

/* A cold plate with a hot disc in it and a hot place at its upper border; `y` and `x` from 0 to 1. */
static double heat_at_first(double y, double x) {
  const double dy = y - 0.6, dx = x - 0.5;
  if (y == 0) return fabs(dx) <= 0.25 ? 1 : 0;
  return dy * dy + dx * dx <= 0.04 ? 1 : 0;
}

static void fill(const HeatRows* rows) {
  const uint64_t n = rows->n, width = n + 2;
  for (uint64_t i = 0; i < rows->count + 2; ++i)
    for (uint64_t j = 0; j < width; ++j) {
      const uint64_t mirrored = j < width / 2 ? j : width - 1 - j; /* the same x for both halves, to the last bit */
      const double y = (double)(rows->first - 1 + i) / (double)(n + 1), x = (double)mirrored / (double)(n + 1);
      rows->cells[0][i * width + j] = rows->cells[1][i * width + j] = heat_at_first(y, x);
    }
}

/* From black over red and yellow to white. */
static void colour(const double* cells, uint64_t count, unsigned char* colours) {
  for (uint64_t i = 0; i < count; ++i)
    for (int c = 0; c < kColours; ++c) {
      const double share = 3 * cells[i] - c;
      colours[i * kColours + (uint64_t)c] = (unsigned char)(share <= 0 ? 0 : share >= 1 ? 255 : 255 * share);
    }
}

static bool rows_are_right(const HeatRows* rows, const double* cells) {
  const uint64_t width = rows->n + 2;
  for (uint64_t i = 1; i <= rows->count; ++i)
    for (uint64_t j = 1; j <= rows->n; ++j) {
      const double heat = cells[i * width + j];
      if (!(heat >= 0 && heat <= 1) || heat != cells[i * width + width - 1 - j]) {
        printf("PE %d: point (%llu, %llu) is %.17g, its mirror %.17g\n", shmem_my_pe(),
               (unsigned long long)(rows->first - 1 + i), (unsigned long long)j, heat,
               cells[i * width + width - 1 - j]);
        return false;
      }
    }
  return true;
}

/* Depends on where each byte is, and is the sum of that of the parts; `first`: where they begin. */
static long long checksum(const unsigned char* bytes, uint64_t first, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += (first + i) % 65521 * bytes[i];
  return (long long)sum;
}

/* On PE 0: the colours of all. */
static unsigned char* gather(const unsigned char* colours, uint64_t n) {
  unsigned char* const all = app_private(n * n * kColours, "the picture");
  for (int pe = 0; pe < shmem_n_pes(); ++pe) {
    const uint64_t first = app_first(n, shmem_n_pes(), pe), last = app_first(n, shmem_n_pes(), pe + 1);
    shmem_getmem(all + first * n * kColours, colours, (last - first) * n * kColours, pe);
  }
  return all;
}

/* Writes the file, and reads it again into the same memory; false: it said why. */
static bool write_and_read(const char* file, unsigned char* colours, uint64_t n) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = (png_uint_32)n;
  image.format = PNG_FORMAT_RGB;
  bool done = png_image_write_to_file(&image, file, 0, colours, 0, NULL) != 0;
  if (done) {
    memset(colours, 0, n * n * kColours);
    done = png_image_begin_read_from_file(&image, file) != 0 && image.width == n && image.height == n;
    image.format = PNG_FORMAT_RGB;
    done = done && png_image_finish_read(&image, NULL, colours, 0, NULL) != 0;
  }
  if (!done) fprintf(stderr, "%s: %s\n", file, image.message[0] != '\0' ? image.message : "is not what was written");
  png_image_free(&image);
  return done;
}

static bool make_picture(const char* file, const unsigned char* colours, uint64_t n, long long expected) {
  if (shmem_my_pe() != 0) return true;
  unsigned char* const all = gather(colours, n);
  const bool right = write_and_read(file, all, n) && checksum(all, 0, n * n * kColours) == expected;
  free(all);
  return right;
}

int main(int argc, char** argv) {
  AppOption options[] = {{"n", "rows and columns of points", 1000, 2, 20000, NULL},
                         {"iterations", "before the picture is made", 2000, 0, 10000000, NULL},
                         {"picture", "the PNG file", app_as_value("heat.png"), 0, 0, kAppAnyText},
                         {NULL, NULL, 0, 0, 0, NULL}};
  int status;
  if (!app_start(argc, argv, "Heat in a plate, as a picture.", options, &status)) return status;
  const uint64_t n = options[0].value, iterations = options[1].value;
  if (n < (uint64_t)shmem_n_pes())
    return app_refuse("--n %llu: fewer rows than the %s", (unsigned long long)n, app_pes());
  HeatRows rows = heat_rows(n);
  fill(&rows);
  const double seconds = heat_iterate(&rows, iterations);
  const double* const cells = rows.cells[iterations % 2];
  unsigned char* const colours = app_symmetric((n / (uint64_t)shmem_n_pes() + 1) * n * kColours, "colours");
  for (uint64_t i = 0; i < rows.count; ++i) colour(cells + (i + 1) * (n + 2) + 1, n, colours + i * n * kColours);
  const long long sum =
      app_whole_sum(checksum(colours, (rows.first - 1) * n * kColours, rows.count * n * kColours)); /* all are there */
  bool right = rows_are_right(&rows, cells);
  right = make_picture(app_text(&options[2]), colours, n, sum) && right;
  shmem_barrier_all();
  shmem_free(colours);
  heat_rows_free(&rows);
  return app_end(right, "%llu x %llu points on %s, %llu iterations in %.3f s, colours %lld, in %s",
                 (unsigned long long)n, (unsigned long long)n, app_pes(), (unsigned long long)iterations, seconds, sum,
                 app_text(&options[2]));
}
