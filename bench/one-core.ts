import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { Misuse } from '../src/cli/data-file.ts'

// As a small machine runs the service: each server has the first core and nothing else, and the load has the second.

const SERVER_CORE = '0'
const LOAD_CORE = '1'

let isPinned = false

/** Keeps this process, which makes the load, to its core, and all servers that start from now on to theirs. */
export const pinToOneCore = (): void => {
  if (process.platform !== 'linux' || availableParallelism() < 2) throw new Misuse('--one-core needs Linux, and two cores')
  const { error, status } = spawnSync('taskset', ['-acp', LOAD_CORE, String(process.pid)])
  if (error || status !== 0) throw new Misuse('--one-core needs the program taskset, of util-linux')
  isPinned = true
}

type Command = readonly [string, ...string[]]

/** The command that runs a server on its core. */
export const onServerCore = (command: Command): Command => (isPinned ? ['taskset', '-c', SERVER_CORE, ...command] : command)
