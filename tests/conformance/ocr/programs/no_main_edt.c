/* SPDX-License-Identifier: Apache-2.0 */

/* Nothing that a runtime could start. */
typedef int Nothing;
