#!/usr/bin/env bash
# build_images.sh FOLDER [--cuda | --programs BIN]: leaves FOLDER/NAME.tar, archives that `docker load` and a cluster's
# containerd import. Works with buildah: it needs neither a Docker engine nor a registry. Needs root.
#
# Without --programs it builds the Dockerfiles beside this script, which compile the programs on the Debian release that
# they name. With --programs it packs the programs of BIN, which were built on this machine, with this machine's
# libraries: the same last stage of the same Dockerfiles without compiling anything, for tests.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
usage="usage: build_images.sh FOLDER [--cuda | --programs BIN]"
folder=${1:?$usage}
names=(operator trainer)
programs=
case ${2:-} in
  "") ;;
  --cuda) names=(trainer-cuda) ;;
  --programs) programs=${3:?$usage} ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
release=trixie
base=docker.io/library/debian:$release-slim # As in the Dockerfiles.
ccache=${CCACHE_DIR:-$HOME/.cache/ccache}
mkdir -p "$folder" "$ccache"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=overlay

temporary_folders=() # Removed however this script ends.

# A user who came through sudo keeps the compiler cache and the archives as their own.
clean_up() {
  rm -rf "${temporary_folders[@]}"
  if [ -n "${SUDO_UID:-}" ]; then chown -R "$SUDO_UID:${SUDO_GID:-}" "$ccache" "$folder"; fi
}
trap clean_up EXIT

# Where Docker would pull the base image, a machine without a registry makes it from Debian's packages.
make_base() {
  local root container
  root=$(mktemp -d)
  temporary_folders+=("$root")
  debootstrap --variant=minbase "$release" "$root"
  rm -rf "$root"/var/cache/apt/archives/*.deb
  container=$(buildah from scratch)
  buildah add "$container" "$root" /
  buildah commit --rm "$container" "$base"
}

# pip inside a build trusts what this machine trusts; behind a company's proxy that is more than Debian's bundle.
make_settings() {
  settings=$(mktemp -d)
  temporary_folders+=("$settings")
  cp -L /etc/ssl/certs/ca-certificates.crt "$settings/ca.crt"
  printf '[global]\ncert = /machine/ca.crt\n' >"$settings/pip.conf"
}

compile_image() {
  buildah bud --layers --network host --pull=never --volume "$ccache:/ccache" \
    --volume "$settings:/machine:ro" --volume "$settings/pip.conf:/etc/pip.conf:ro" \
    --tag "$image" --file "docker/$name.Dockerfile" .
}

pack_image() {
  local context
  context=$(mktemp -d)
  temporary_folders+=("$context")
  docker/collect_image.sh "$programs/carrack-$name" "$context/image"
  sed -n '/^FROM scratch/,$p' "docker/$name.Dockerfile" | sed 's|^COPY --from=build /image /$|COPY image /|' >"$context/Dockerfile"
  buildah bud --pull=never --tag "$image" --file "$context/Dockerfile" "$context"
}

if [ -z "$programs" ]; then
  buildah inspect --type image "$base" >/dev/null 2>&1 || make_base
  make_settings
fi
for name in "${names[@]}"; do
  image=docker.io/carrack/$name:dev
  echo "building $image"
  rm -f "$folder/$name.tar" # An image that no longer builds must not be tested in its old form.
  if [ -n "$programs" ]; then pack_image; else compile_image; fi
  rm -f "$folder/$name.partial"
  buildah push "$image" "docker-archive:$folder/$name.partial:$image"
  mv "$folder/$name.partial" "$folder/$name.tar"
  echo "made $image, $(numfmt --to=si --suffix=B "$(stat -c %s "$folder/$name.tar")"): $folder/$name.tar"
done
