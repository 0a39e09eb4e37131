# common.sh - what build.sh, demo.sh and test.sh share; sourced, not run.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

ROOT=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${NXV_BUILD_DIR:-$ROOT/build}
JOBS=${NXV_JOBS:-$(nproc)}

PACKAGES="cmake ninja-build mold pkg-config git
  clang-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  nlohmann-json3-dev libxxhash-dev zlib1g-dev libzstd-dev
  libvulkan-dev libvulkan-volk-dev libvulkan1 mesa-vulkan-drivers vulkan-validationlayers
  spirv-tools spirv-headers libgtest-dev python3 python3-psutil"

say() {
  printf '\n== %s\n' "$*"
}

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "packages are missing and neither root nor sudo is at hand; install them yourself: $MISSING"
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@"
}

is_installed() {
  dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

is_offered() {
  apt-cache policy "$1" | grep -q 'Candidate: [^(]'
}

# Only where the machine's own sources have no LLVM 22.
add_llvm_source() {
  say "LLVM 22 is not in this machine's apt sources: adding apt.llvm.org"
  apt_get install --no-install-recommends ca-certificates wget
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  as_root mkdir -p /etc/apt/keyrings
  wget -qO- https://apt.llvm.org/llvm-snapshot.gpg.key | as_root tee /etc/apt/keyrings/apt.llvm.org.asc >/dev/null
  echo "deb [signed-by=/etc/apt/keyrings/apt.llvm.org.asc] https://apt.llvm.org/$codename/ llvm-toolchain-$codename-22 main" |
    as_root tee /etc/apt/sources.list.d/llvm-22.list >/dev/null
  apt_get update
}

install_packages() {
  command -v dpkg-query >/dev/null || die "this is not a Debian machine; install the equivalents of: $(echo $PACKAGES)"
  MISSING=
  for package in $PACKAGES; do
    is_installed "$package" || MISSING="$MISSING $package"
  done
  [ -n "$MISSING" ] || return 0
  say "Installing:$MISSING"
  apt_get update
  is_offered clang-22 && is_offered libmlir-22-dev || add_llvm_source
  # shellcheck disable=SC2086 # one word a package
  apt_get install --no-install-recommends $MISSING
}

build() {
  install_packages
  say "Configuring $BUILD"
  cd "$ROOT"
  cmake --preset default -B "$BUILD"
  say "Building with $JOBS jobs"
  cmake --build "$BUILD" -j "$JOBS"
}
