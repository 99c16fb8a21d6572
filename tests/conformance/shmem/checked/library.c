/* SPDX-License-Identifier: Apache-2.0 */

/* A library of which each PE may load a copy of its own. */
long library_words[1000];
