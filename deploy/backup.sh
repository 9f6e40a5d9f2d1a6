#!/bin/sh
# Copies a site on one data file, while it runs or not, into a new directory, and proves the copy:
#
#   deploy/backup.sh /var/lib/rostra/rostra.db /var/backups/rostra
#
# Prints the directory of the copy. Only its owner can read it: it holds password hashes and the keys of texts. The order is the one that
# docs/operations.md explains: the history, the log with the vault, then the images. What the site does not have is left out. The file of the
# last head is never copied, since putting it back would hide that a log was put back.
set -eu
umask 077

[ $# -eq 2 ] || { echo "usage: $0 DATA_FILE DIRECTORY" >&2; exit 2; }
file=$1
name=$(basename "$file")
app=$(cd "$(dirname "$0")/.." && pwd)
# The project's own Node, where it has one.
PATH=$app/node_modules/.bin:$PATH
[ -f "$file" ] || { echo "there is no data file $file" >&2; exit 2; }

mkdir -p "$2"
to=$(cd "$2" && pwd)/$(date -u +%Y%m%dT%H%M%SZ)
part=$to.part
mkdir "$part"
trap 'rm -rf "$part"' EXIT

# One step reads one state of the file, however much the service writes meanwhile.
copy_database() {
  # shellcheck disable=SC2016 # the program is JavaScript
  node --input-type=module --eval '
    import { backup, DatabaseSync } from "node:sqlite"
    const [from, to] = process.argv.slice(1)
    const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 })
    await backup(source, to, { rate: 2 ** 31 - 1 })
    source.close()
    const copy = new DatabaseSync(to)
    const [{ quick_check: result }] = copy.prepare("PRAGMA quick_check(1)").all()
    copy.close()
    if (result !== "ok") throw new Error(`${from} is damaged: ${result}`)
  ' "$1" "$part/$(basename "$1")"
}

if [ -f "$file.history" ]; then copy_database "$file.history"; fi
copy_database "$file"
for beside in blobs session-secret history-key; do
  if [ -e "$file.$beside" ]; then cp -R "$file.$beside" "$part/"; fi
done

# Proves the copied log against every head that was signed of it.
if [ -f "$file.history" ]; then
  (cd "$app" && HISTORY_HEAD_FILE=$part/last-head EVENT_STORE_URL=sqlite:$part/$name DOCUMENT_STORE_URL=sqlite:$part/$name \
    bin/rostra verify >&2) || { echo "the copy of $file could not be proved" >&2; exit 1; }
fi
rm -f "$part/$name-wal" "$part/$name-shm" "$part/$name.history-wal" "$part/$name.history-shm" "$part/$name-lock"

mv "$part" "$to"
echo "$to"
