import { globSync, readFileSync } from 'node:fs'

const startsProcesses = /from 'node:child_process'|support\/(service-process|processes)\.ts'|\b(spawned|spawnCommand)\b/
/** They need a document server, which `npm run test:stores` gives them. */
const needsServers = /\bdocumentServer\b/

/** Each takes more than four seconds of a processor, as much as four or more other files together. */
const long: readonly string[] = [
  'audit/former',
  'audit/projection-mutants',
  'audit/stored-mutants',
  'cli/damaged-export',
  'cli/export-directory',
  'cli/replay',
  'contracts/sqlite',
  'history/forgeries',
  'http/authority',
  'http/concurrent-moderation',
  'http/exact-limits',
  'http/hostile-parameters',
  'http/large-pages',
  'http/many-subsites',
  'http/private-subsite',
  'http/restricted-tokens',
  'http/written-parameters',
].map((name) => `test/${name}.test.ts`)

const starting = globSync('test/**/*.test.ts', { cwd: new URL('../..', import.meta.url) }).filter((file) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  return startsProcesses.test(text) && !needsServers.test(text)
})

/** The test files that start, kill and start again processes of the service, its commands, or programs of others, and the longest others. */
export const slowTests: readonly string[] = [...new Set([...starting, ...long])].sort()
