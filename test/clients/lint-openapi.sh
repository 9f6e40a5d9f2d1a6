#!/usr/bin/env bash
# Runs linters of OpenAPI over both documents of the interface: `test/clients/lint-openapi.sh`. They are installed in a temporary folder, in
# fixed versions. Exit code 0: they find nothing; 1: a finding, or none of them was to be had. A linter that cannot be had is named.
set -u
cd "$(dirname "$0")/../.."
here=$PWD/test/clients/lint
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
PATH=$PWD/node_modules/node/bin:$PATH
cp docs/openapi.json "$place/openapi.json"
node --input-type=module -e "
import { writeFileSync } from 'node:fs'
import { endpoints } from '$PWD/src/http/endpoints/all.ts'
import { openApiOf } from '$PWD/src/http/openapi/document.ts'
writeFileSync('$place/openapi-current.json', JSON.stringify(openApiOf(endpoints, { current: true }), null, 1))
" || exit 1

ran=0
found=0
# A linter's package with its version, and its command with its arguments.
lint() {
  local package=$1
  shift
  if ! npm install --silent --no-audit --no-fund --prefix "$place/$package" "$package" >"$place/log" 2>&1; then
    echo "not to be had here: $package"
    return
  fi
  ran=1
  for document in openapi openapi-current; do
    echo "$package on $document.json"
    (cd "$place" && "$place/$package/node_modules/.bin/$1" "${@:2}" "$document.json") >"$place/log" 2>&1 || found=1
    cat "$place/log"
    # redocly succeeds with warnings
    if grep -q '^You have [0-9]* warning' "$place/log"; then found=1; fi
  done
}

lint @redocly/cli@2.77.0 redocly lint --config "$here/redocly.yaml" --max-problems 20 --format stylish
lint @stoplight/spectral-cli@6.16.3 spectral lint --ruleset "$here/spectral.yaml" --fail-severity hint
lint @quobix/vacuum@0.30.3 vacuum lint --details --fail-severity warn --ignore-array-circle-ref --ignore-polymorph-circle-ref

[ $ran = 1 ] && [ $found = 0 ]
