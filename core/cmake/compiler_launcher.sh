#!/bin/sh
# The compiler behind ccache: compiler_launcher.sh CCACHE COMPILER ARGUMENTS...
# Before a precompiled header is made anew its old file goes, else ccache takes that for an input, and the header's text for unchanged.
for argument; do
  [ "$before" = -o ] && output=$argument
  [ "$argument" = c++-header ] && header=1
  before=$argument
done
[ -n "$header" ] && rm -f "$output"
exec "$@"
