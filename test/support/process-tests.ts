import { globSync, readFileSync } from 'node:fs'

const startsProcesses = /from 'node:child_process'|support\/(service-process|processes)\.ts'|\b(spawned|spawnCommand)\b/
/** They need a document server, which `npm run test:stores` gives them. */
const needsServers = /\bdocumentServer\b/

/** The test files that start, kill and start again processes of the service, its commands, or programs of others. */
export const processTests: readonly string[] = globSync('test/**/*.test.ts', { cwd: new URL('../..', import.meta.url) })
  .filter((file) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    return startsProcesses.test(text) && !needsServers.test(text)
  })
  .sort()
