#!/usr/bin/env bash
# collect_image.sh PROGRAM FOLDER: the whole file system of an image that runs PROGRAM and nothing else: the program,
# the shared libraries it needs and their licences, TLS certificates, an unprivileged user. No shell, no package manager.
set -euo pipefail
program=${1:?usage: collect_image.sh PROGRAM FOLDER}
folder=${2:?usage: collect_image.sh PROGRAM FOLDER}

copy() {
  mkdir -p "$folder$(dirname "$2")"
  cp -L "$1" "$folder$2"
}

licence_of() {
  # dpkg knows files by the path they were installed under, which on a merged /usr is not always the one the loader says.
  local package
  package=$({ dpkg-query -S "$1" || dpkg-query -S "${1#/usr}" || dpkg-query -S "/usr$1"; } 2>/dev/null | head -n 1 | cut -d: -f1) || true
  [ -n "$package" ] || { echo "collect_image.sh: no package owns $1, so its licence is not known" >&2; exit 1; }
  copy "/usr/share/doc/$package/copyright" "/usr/share/doc/$package/copyright"
}

copy "$program" "/usr/bin/$(basename "$program")"
strip "$folder/usr/bin/$(basename "$program")"
ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
  copy "$library" "$library"
  licence_of "$(realpath "$library")"
done
copy /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
mkdir -p "$folder/usr/lib/ssl" # Where OpenSSL looks for them.
ln -s /etc/ssl/certs/ca-certificates.crt "$folder/usr/lib/ssl/cert.pem"
copy /usr/share/doc/ca-certificates/copyright /usr/share/doc/ca-certificates/copyright
copy LICENSE /usr/share/doc/carrack/copyright
mkdir -p "$folder/etc"
install -d -m 1777 "$folder/tmp"
echo 'carrack:x:65532:65532:carrack:/:/sbin/nologin' >"$folder/etc/passwd"
echo 'carrack:x:65532:' >"$folder/etc/group"
