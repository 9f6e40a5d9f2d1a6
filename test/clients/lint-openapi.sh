#!/usr/bin/env bash
# Runs linters of OpenAPI over both documents of the interface: `test/clients/lint-openapi.sh`. They are installed in a temporary folder, in
# fixed versions. A warning fails, too; that each linter can fail is tried with a document that deserves warnings only. Prints a line for
# each linter and document, as AVA marks its tests. Exit code 0: they find nothing; 1: a finding, or none of them was to be had. A linter
# that cannot be had is named.
set -u
cd "$(dirname "$0")/../.."
here=$PWD/test/clients/lint
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
PATH=$PWD/node_modules/node/bin:$PATH
node --input-type=module -e "
import { writeFileSync } from 'node:fs'
import { endpoints } from '$PWD/src/http/endpoints/all.ts'
import { openApiOf } from '$PWD/src/http/openapi/document.ts'
const write = (name, document) => writeFileSync('$place/' + name + '.json', JSON.stringify(document, null, 1))
write('openapi', openApiOf(endpoints))
write('openapi-current', openApiOf(endpoints, { current: true }))
const get = { operationId: 'get', summary: 'Get.', tags: ['a'], responses: { 200: { description: 'Done.' } } }
write('with-warnings', {
  openapi: '3.1.0',
  info: { title: 'No licence, no contact', version: '1' },
  servers: [{ url: '/' }],
  security: [],
  tags: [{ name: 'a' }],
  paths: { '/': { get } },
})
" || exit 1

# A document, and the command of the linter with its arguments. Succeeds if it finds nothing.
clean() {
  local document=$1 printed=$place/$2-$1
  shift
  (cd "$place" && "$@" "$document.json") >"$printed" 2>&1 || return 1
  # redocly succeeds with warnings
  ! grep -q 'You have [0-9]* warning' "$printed"
}

# A linter's name, and its command with its arguments.
lint() {
  local name=$1
  shift
  touch "$place/ran"
  for document in openapi openapi-current; do
    if clean "$document" "$@"; then
      echo "  ✔ lint › $name $document.json"
    else
      cat "$place/$name-$document"
      echo "  ✘ lint › $name $document.json"
      touch "$place/found"
    fi
  done
  if clean with-warnings "$@" || ! grep -q 'warning' "$place/$name-with-warnings"; then
    cat "$place/$name-with-warnings"
    echo "  ✘ lint › $name lets warnings pass"
    touch "$place/found"
  else
    echo "  ✔ lint › $name fails on warnings"
  fi
}

# The same for a package of npm with its version.
install_and_lint() {
  local package=$1 name=$2
  if ! npm install --silent --no-audit --no-fund --prefer-offline --prefix "$place/$name" "$package" >"$place/$name.log" 2>&1; then
    echo "  - [skip] lint › $name: $package is not to be had here"
    return
  fi
  PATH=$place/$name/node_modules/.bin:$PATH lint "$name" "${@:2}"
}

install_and_lint @redocly/cli@2.77.0 redocly lint --config "$here/redocly.yaml" --max-problems 20 --format stylish &
install_and_lint @stoplight/spectral-cli@6.16.3 spectral lint --ruleset "$here/spectral.yaml" --fail-severity hint &
wait

# its package of npm fetches a program from elsewhere, so only one that is installed is run
if command -v vacuum >/dev/null; then
  lint vacuum vacuum lint --details --fail-severity warn --ignore-array-circle-ref --ignore-polymorph-circle-ref
else
  echo "  - [skip] lint › vacuum: it is not installed here"
fi

[ -e "$place/ran" ] && [ ! -e "$place/found" ]
