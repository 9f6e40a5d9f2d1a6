import type { Readable, Writable } from 'node:stream'
import { StoreFault } from '../ports/faults.ts'
import { HelpWanted } from './command-line.ts'
import { Misuse } from './data-file.ts'

/** The call of a program, and its input and output: those of this process or, in a test, others. */
export type Call = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: () => Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** Works until it has an exit code. */
export type Program = (call: Call) => Promise<number>

/** Runs a program to its exit code: 2 for misuse and for stores that cannot be used now. */
export const exitCodeOf = async (program: Program, call: Call): Promise<number> => {
  try {
    return await program(call)
  } catch (error) {
    const isHelp = error instanceof HelpWanted
    if (!(isHelp || error instanceof Misuse || error instanceof StoreFault)) throw error
    call[isHelp ? 'stdout' : 'stderr'].write(`${error.message}\n`)
    return isHelp ? 0 : 2
  }
}

/** The exit code that a shell gives a program ended by SIGPIPE; Node.js ignores that signal. */
const BROKEN_PIPE_EXIT_CODE = 141

/** Runs a program as this process. It ends when nobody reads its output any more, as after `| head`. */
export const runProgram = async (program: Program): Promise<void> => {
  const { argv, env, stdout, stderr } = process
  // opened when it is first asked for
  const stdin = () => process.stdin
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(BROKEN_PIPE_EXIT_CODE)
    throw error
  })
  process.exitCode = await exitCodeOf(program, { args: argv.slice(2), env, stdin, stdout, stderr })
}
