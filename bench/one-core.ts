import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { Misuse } from '../src/cli/data-file.ts'

// As a small machine runs the service: each server has the first core and nothing else, and the load has the second.

export const SERVER_CORE = '0'
const LOAD_CORE = '1'
/** The cores of a server on a machine with one core more. The load has a share of it. */
export const BOTH_CORES = `${SERVER_CORE},${LOAD_CORE}`

let isPinned = false

/** Keeps a process and all its threads to these cores. */
export const keepTo = (cores: string, pid: number): void => {
  if (process.platform !== 'linux' || cpus().length < 2) throw new Misuse('keeping a server to its cores needs Linux, and two of them')
  const { error, status } = spawnSync('taskset', ['-acp', cores, String(pid)])
  if (error || status !== 0) throw new Misuse('keeping a server to its cores needs the program taskset, of util-linux')
}

/** Keeps this process, which makes the load, to its core, and all servers that start from now on to theirs. */
export const pinToOneCore = (): void => {
  keepTo(LOAD_CORE, process.pid)
  isPinned = true
}

type Command = readonly [string, ...string[]]

/** Returns the command that runs a server on its core. */
export const onServerCore = (command: Command): Command => (isPinned ? ['taskset', '-c', SERVER_CORE, ...command] : command)
