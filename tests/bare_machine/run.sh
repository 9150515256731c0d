#!/usr/bin/env bash
# run.sh [RELEASE [LABEL...]]: in a bare Debian made by debootstrap (git and ca-certificates added, nothing else), clones
# the committed state of this checkout and runs `./dev demo` and `./dev test LABEL...` there. RELEASE is bookworm or
# trixie (the default); the default labels are unit and tidy. Prints how long each took.
# Needs root. Its mounts and processes live in namespaces of their own and go with them.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/../.."
release=${1:-trixie}
labels=("${@:2}")
[ ${#labels[@]} -gt 0 ] || labels=(unit tidy)
[ "$EUID" = 0 ] || exec sudo "$self" "$release" "${labels[@]}"
command -v debootstrap >/dev/null || { echo "run.sh: needs debootstrap: apt-get install debootstrap" >&2; exit 1; }

root=$(mktemp -d /var/tmp/carrack-bare.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
echo "==> make a bare Debian $release in $root"
started=$SECONDS
debootstrap --variant=minbase --include=git,ca-certificates "$release" "$root" >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
rm "$root.log"
echo "    $((SECONDS - started)) s"
git clone --quiet --no-hardlinks . "$root/carrack"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# What Debian's installer does, unlike debootstrap and mktemp.
echo "127.0.0.1 localhost" >"$root/etc/hosts"
chmod 755 "$root"

# in_root VERB WORD...: runs ./dev there, and prints how long it took.
in_root() {
  local started=$SECONDS status=0
  echo "==> ./dev $*, on $release, of commit $(git rev-parse --short HEAD)"
  # shellcheck disable=SC2016  # $1 and "$@" are the inner shell's.
  unshare --mount --pid --fork --propagation private bash -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t sysfs sysfs "$root/sys"
    exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 /carrack/dev "$@"
  ' bash "$root" "$@" || status=$?
  echo "bare machine, $release: ./dev $* took $((SECONDS - started)) s and ended with $status"
  return $status
}

failed=0
in_root demo || failed=1
in_root test "${labels[@]}" || failed=1
exit $failed
