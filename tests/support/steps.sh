# shellcheck shell=bash
# How ./dev runs its steps: it announces each one, shows signs of life, writes its output into a log, and waits for any
# other ./dev that works on the same files. Sourced by `dev`; needs CARRACK_CACHE.

logs=build/logs
say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

# The variables that a command keeps when it runs as root.
root_environment=CARRACK_CACHE,PYTHONPATH,PYTHONDONTWRITEBYTECODE,KUBECONFIG,CI,http_proxy,https_proxy,no_proxy,NO_PROXY
as_root() { if [ "$EUID" = 0 ]; then "$@"; else sudo --preserve-env=$root_environment "$@"; fi; }
# Has sudo ask for the password now, because its prompt would not be seen within a step.
ask_for_root() {
  [ "$EUID" = 0 ] && return
  command -v sudo >/dev/null || die "this needs root; run it as root, or install sudo"
  sudo -v
}

# alone COMMAND...: runs it under the cache's lock, because several checkouts share the cache.
alone() {
  local status=0
  flock --nonblock --conflict-exit-code 200 "$CARRACK_CACHE/lock" "$@" || status=$?
  [ $status = 200 ] || return $status
  echo "another ./dev is writing to the cache; waiting for it"
  flock "$CARRACK_CACHE/lock" "$@"
}

# Holds this checkout's lock until the script ends. Two builds of one checkout would write the same files.
lock_checkout() {
  mkdir -p build "$CARRACK_CACHE" || die "CARRACK_CACHE ($CARRACK_CACHE): cannot create this folder; set CARRACK_CACHE to one that you can write to"
  exec 9>build/lock
  flock --nonblock 9 || { say "another ./dev is at work in this checkout; waiting for it"; flock 9; }
}

log_of() { printf '%s/%s.log\n' "$logs" "$(tr -cs 'A-Za-z0-9._\n' '-' <<<"$1" | cut -c1-80)"; }

# step NAME COMMAND...: runs the command with its output in a log. Every 20 s it prints the last line of the log, and the
# last 20 lines if the command fails.
step() {
  local name=$1 log started=$SECONDS next=$((SECONDS + 20)) pid
  shift
  mkdir -p "$logs"
  log=$(log_of "$name")
  say "$name"
  # The command gets its own process group, so that an interrupt ends all its processes.
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
  printf 'dev: FAILED: %s; the complete log is in %s\n' "$name" "$log" >&2
  return 1
}

# packages NAME...: installs the Debian packages that are missing.
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
