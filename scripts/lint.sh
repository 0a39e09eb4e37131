#!/bin/sh
# lint.sh - checks what a compiler does not: licence headers, white space, links in the documentation, and that each
# pass has its test.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
cd "$(dirname "$0")/.."
status=0

fail() {
  printf '%s\n' "$*" >&2
  status=1
}

sources() {
  git ls-files -- "$@"
}

for file in $(sources '*.h' '*.cpp' '*.c' '*.td' '*.sh' '*.py' ':!*.cfg.py'); do
  head -n 12 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' ||
    fail "$file: the licence header is missing"
done

for file in $(sources '*.h' '*.cpp' '*.c' '*.td' '*.sh' '*.py' '*.md' '*.mlir' '*CMakeLists.txt' '*.cmake'); do
  grep -nE '[[:blank:]]+$' "$file" /dev/null && fail "$file: white space at the end of a line"
  case $file in *.h | *.cpp | *.td | *.py) grep -n "$(printf '\t')" "$file" /dev/null && fail "$file: a tab" ;; esac
  [ -z "$(tail -c 1 "$file")" ] || fail "$file: no newline at the end"
done

for file in $(sources '*.md'); do
  for link in $(grep -oE '\]\([^)# ]+' "$file" | cut -c3- | grep -v '^https\?:' | sort -u); do
    [ -e "$(dirname "$file")/$link" ] || fail "$file: there is no $link"
  done
done

for pass in $(sources '*Passes.td' | xargs -r grep -hoE '"nxv-[a-z0-9-]+"' | tr -d '"' | sort -u); do
  stem=${pass#nxv-}
  [ -n "$(sources "test/**/$stem*.mlir" "test/**/$pass*.mlir" "test/**/$pass/*" "test/**/$stem/*")" ] ||
    grep -rqE -e "-$pass\b" test/ ||
    fail "$pass: no test runs this pass"
done

if command -v clang-format-22 >/dev/null; then
  sources '*.h' '*.cpp' | xargs -r clang-format-22 --dry-run --Werror 2>&1 | head -n 40 >"${TMPDIR:-/tmp}/nxv-format.$$" || true
  if [ -s "${TMPDIR:-/tmp}/nxv-format.$$" ]; then
    cat "${TMPDIR:-/tmp}/nxv-format.$$" >&2
    fail "run clang-format-22 -i on these files"
  fi
  rm -f "${TMPDIR:-/tmp}/nxv-format.$$"
fi
exit $status
