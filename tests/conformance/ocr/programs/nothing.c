/* SPDX-License-Identifier: Apache-2.0 */

/* What a program has beside its libraries. */
extern int nothing;
int nothing;
