#!/usr/bin/env bash
# build_images.sh FOLDER [--cuda]: builds the Dockerfiles beside this with buildah (no Docker engine, no registry) and
# leaves FOLDER/NAME.tar, archives that `docker load` and a cluster's containerd import. Needs root.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
folder=${1:?usage: build_images.sh FOLDER [--cuda]}
names=(operator trainer)
if [ "${2:-}" = --cuda ]; then names=(trainer-cuda); fi
base=docker.io/library/debian:bookworm-slim # As in the Dockerfiles.
ccache=${CCACHE_DIR:-$HOME/.cache/ccache}
mkdir -p "$folder" "$ccache"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=overlay

made=() # Temporary folders, removed however this ends.

# A user who came through sudo keeps the compiler cache and the archives as their own.
clean_up() {
  rm -rf "${made[@]}"
  if [ -n "${SUDO_UID:-}" ]; then chown -R "$SUDO_UID:${SUDO_GID:-}" "$ccache" "$folder"; fi
}
trap clean_up EXIT

# Where Docker would pull the base image, a machine without a registry makes it from Debian's packages.
make_base() {
  local root container
  root=$(mktemp -d)
  made+=("$root")
  debootstrap --variant=minbase bookworm "$root"
  rm -rf "$root"/var/cache/apt/archives/*.deb
  container=$(buildah from scratch)
  buildah add "$container" "$root" /
  buildah commit --rm "$container" "$base"
}

buildah inspect --type image "$base" >/dev/null 2>&1 || make_base
# pip inside a build trusts what this machine trusts; behind a company's proxy that is more than Debian's bundle.
settings=$(mktemp -d)
made+=("$settings")
cp -L /etc/ssl/certs/ca-certificates.crt "$settings/ca.crt"
printf '[global]\ncert = /machine/ca.crt\n' >"$settings/pip.conf"
for name in "${names[@]}"; do
  image=docker.io/carrack/$name:dev
  echo "building $image"
  rm -f "$folder/$name.tar" # An image that no longer builds must not be tested in its old form.
  buildah bud --layers --network host --pull=never --volume "$ccache:/ccache" \
    --volume "$settings:/machine:ro" --volume "$settings/pip.conf:/etc/pip.conf:ro" \
    --tag "$image" --file "docker/$name.Dockerfile" .
  rm -f "$folder/$name.partial"
  buildah push "$image" "docker-archive:$folder/$name.partial:$image"
  mv "$folder/$name.partial" "$folder/$name.tar"
  echo "made $image, $(numfmt --to=si --suffix=B "$(stat -c %s "$folder/$name.tar")"): $folder/$name.tar"
done
