/* SPDX-License-Identifier: Apache-2.0 */

/* What the functions of OCR return: 0, or one of these. */
#ifndef OCR_ERRORS_H
#define OCR_ERRORS_H

#define OCR_EPERM 1   /* not allowed, or done already */
#define OCR_ENOENT 2  /* a hint has no value for this property */
#define OCR_EINTR 4   /* interrupted */
#define OCR_EIO 5     /* input or output failed */
#define OCR_ENXIO 6   /* no such affinity, or a hint that is none */
#define OCR_E2BIG 7   /* too long */
#define OCR_ENOEXEC 8 /* cannot be run */
#define OCR_EAGAIN 11 /* try again */
#define OCR_ENOMEM 12 /* not enough memory, or room */
#define OCR_EACCES 13 /* the EDT has not acquired the data block */
#define OCR_EFAULT 14 /* a pointer is NULL that must not be */
#define OCR_EBUSY 16  /* in use */
#define OCR_ENODEV 19
#define OCR_EINVAL 22 /* no such object, or a value out of range */
#define OCR_ENOSPC 28
#define OCR_ESPIPE 29
#define OCR_EROFS 30
#define OCR_EDOM 33
#define OCR_ERANGE 34
#define OCR_ENOSYS 38
#define OCR_ENOTEMPTY 39
#define OCR_ENOTSUP 95
#define OCR_EGUIDEXISTS 100 /* an object has this label already */
#define OCR_EACQ 101
#define OCR_EPEND 102
#define OCR_ENOP 103
#define OCR_ECANCELED 125 /* the program is shutting down */

#endif
