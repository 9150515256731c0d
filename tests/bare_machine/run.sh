#!/usr/bin/env bash
# run.sh [LABEL...]: in a bare Debian 12 made by debootstrap (git and ca-certificates added, nothing else), clones the
# committed state of this checkout and runs `./dev test LABEL...` there (default: unit tidy). Prints how long it took.
# Needs root. Its mounts and processes live in namespaces of their own and go with them.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/../.."
labels=("$@")
[ $# -gt 0 ] || labels=(unit tidy)
[ "$EUID" = 0 ] || exec sudo "$self" "${labels[@]}"
command -v debootstrap >/dev/null || { echo "run.sh: needs debootstrap: apt-get install debootstrap" >&2; exit 1; }

root=$(mktemp -d /var/tmp/carrack-bare.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
echo "==> make a bare Debian 12 in $root"
started=$SECONDS
debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
rm "$root.log"
echo "    $((SECONDS - started)) s"
git clone --quiet --no-hardlinks . "$root/carrack"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

echo "==> ./dev test ${labels[*]}, of commit $(git rev-parse --short HEAD)"
started=$SECONDS
status=0
# shellcheck disable=SC2016  # $1 and "$@" are the inner shell's.
unshare --mount --pid --fork --propagation private bash -c '
  root=$1; shift
  mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t sysfs sysfs "$root/sys"
  exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 /carrack/dev test "$@"
' bash "$root" "${labels[@]}" || status=$?
echo "bare machine: ./dev test ${labels[*]} took $((SECONDS - started)) s and ended with $status"
exit $status
