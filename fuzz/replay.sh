#!/bin/sh
# sh fuzz/replay.sh BUILD_DIR [SECONDS]: runs every fuzz target on its corpus once (seeds and past
# findings), or fuzzes each for SECONDS. New inputs that SECONDS finds stay in BUILD_DIR.
set -eu
build=$1
seconds=${2:-0}
root=$(dirname "$0")
for folder in "$root"/corpus/*/; do
  name=$(basename "$folder")
  program=$build/fuzz/targets/fuzz_$name
  echo "fuzz $name"
  if [ "$seconds" = 0 ]; then
    "$program" -runs=0 "$folder" 2>&1 | tail -n 1
    "$program" "$folder"* >/dev/null 2>&1 || { "$program" "$folder"*; exit 1; }
  else
    mkdir -p "$build/found/$name"
    "$program" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=8192 \
      -artifact_prefix="$build/found/" "$build/found/$name" "$folder" 2>&1 | tail -n 3
  fi
done
