# shellcheck shell=bash
# How ./dev does things: it says what it does, shows that it is alive, keeps what was printed, and never works beside
# another ./dev on the same files. Sourced by `dev`; needs CARRACK_CACHE.

logs=build/logs
say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

# What a command keeps of our environment when it runs as root.
kept=CARRACK_CACHE,PYTHONPATH,PYTHONDONTWRITEBYTECODE,KUBECONFIG,CI,http_proxy,https_proxy,no_proxy,NO_PROXY
as_root() { if [ "$EUID" = 0 ]; then "$@"; else sudo --preserve-env=$kept "$@"; fi; }
# Asked for once, before a step runs where its question would not be seen.
ask_for_root() {
  [ "$EUID" = 0 ] && return
  command -v sudo >/dev/null || die "this needs root: run it as root, or install sudo"
  sudo -v
}

# Two checkouts share the cache: what fills a folder of it does so alone.
alone() {
  local status=0
  flock --nonblock --conflict-exit-code 200 "$CARRACK_CACHE/lock" "$@" || status=$?
  [ $status = 200 ] || return $status
  echo "another ./dev fills the cache; waiting for it"
  flock "$CARRACK_CACHE/lock" "$@"
}

# Two builds of one checkout would write the same files; the second waits for the end of the first.
lock_checkout() {
  mkdir -p build "$CARRACK_CACHE" || die "CARRACK_CACHE ($CARRACK_CACHE) cannot be written"
  exec 9>build/lock
  flock --nonblock 9 || { say "another ./dev works in this checkout; waiting for it"; flock 9; }
}

log_of() { printf '%s/%s.log\n' "$logs" "$(tr -cs 'A-Za-z0-9._\n' '-' <<<"$1" | cut -c1-80)"; }

# step NAME COMMAND...: says what it does, shows that it is alive, keeps the output in a log and shows its end on failure.
step() {
  local name=$1 log started=$SECONDS next=$((SECONDS + 20)) pid
  shift
  mkdir -p "$logs"
  log=$(log_of "$name")
  say "$name"
  # A process group of its own, so that an interrupt ends all of it.
  set -m
  "$@" >"$log" 2>&1 </dev/null 9>&- &
  pid=$!
  set +m
  trap 'kill -- "-$pid" 2>/dev/null; exit 130' INT TERM HUP
  while [ -d "/proc/$pid" ]; do
    if [ $SECONDS -ge $next ]; then
      printf '    %3d s: %s\n' $((SECONDS - started)) "$(tail -n 1 "$log" | cut -c1-100)" >&2
      next=$((SECONDS + 20))
    fi
    sleep 0.1
  done
  trap - INT TERM HUP
  wait "$pid" && return
  tail -n 20 "$log" | sed 's/^/    /' >&2
  printf 'dev: FAILED: %s; the whole log is in %s\n' "$name" "$log" >&2
  return 1
}

packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  ask_for_root || return
  step "read Debian's package lists" as_root apt-get update || return
  step "install ${missing[*]}" as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"
}
