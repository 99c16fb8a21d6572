#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Fails when a source has no line that says its licence, and names it. One of the linters.
set -eu
cd "$(dirname "$0")/.."
without=$(scripts/sources.sh all | xargs grep -L 'SPDX-License-Identifier: Apache-2\.0' || true)
[ -z "$without" ] && exit 0
echo "without a line 'SPDX-License-Identifier: Apache-2.0':"
echo "$without"
exit 1
