// Prints the test files in which a log of AVA reports a failure, one a line: node .ci/failed-files.mjs LOG
import { globSync, readFileSync } from 'node:fs'

const files = globSync('test/**/*.test.ts')
const log = readFileSync(process.argv[2], 'utf8').replaceAll(/\x1b\[[0-9;]*m/g, '')

/**
 * AVA names a test by the path of its file below the folder that all selected files share, and by its title. That folder is nearly always
 * `test`, so a file of that path directly below `test` goes before files of the same name further below.
 */
const filesOfTest = (name) => {
  const parts = name.split(' › ')
  for (let length = parts.length - 1; length > 0; length--) {
    const end = `/${parts.slice(0, length).join('/')}.test.ts`
    if (files.includes(`test${end}`)) return [`test${end}`]
    const ended = files.filter((file) => file.endsWith(end))
    if (ended.length > 0) return ended
  }
  return []
}

const failed = new Set()
for (const [, name] of log.matchAll(/^ *✘ \[fail\]: (.+)$/gm)) for (const file of filesOfTest(name)) failed.add(file)
for (const [, file] of log.matchAll(/(?:✘ .*?|exception in |rejection in |pending in )(test\/\S+\.test\.ts)/g)) failed.add(file)
// a title may name what is no file
for (const file of failed) if (files.includes(file)) console.log(file)
