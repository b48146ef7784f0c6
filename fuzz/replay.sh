#!/bin/sh
# sh fuzz/replay.sh BUILD_DIR [SECONDS]: runs every fuzz target on its corpus once (seeds and past
# findings), or fuzzes each for SECONDS. What SECONDS finds stays in BUILD_DIR/found.
set -eu
build=$1
seconds=${2:-0}
root=$(dirname "$0")
mkdir -p "$build/found"
for folder in "$root"/corpus/*/; do
  name=$(basename "$folder")
  program=$build/fuzz/targets/fuzz_$name
  log=$build/found/$name.log
  if [ "$seconds" = 0 ]; then
    set -- "$folder"*
  else
    mkdir -p "$build/found/$name"
    set -- -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=4096 \
      -artifact_prefix="$build/found/" "$build/found/$name" "$folder"
  fi
  if ! "$program" "$@" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "fuzz $name: FAILED ($log)"
    exit 1
  fi
  echo "fuzz $name: ok, $(grep -E '^(Executed|Done) ' "$log" | tail -n 1)"
done
