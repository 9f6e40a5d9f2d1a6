import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Misuse } from './data-file.ts'
import type { Call } from './program.ts'

/** Returns the first line of stdin, whole. A terminal does not show the typed text. Throws `Misuse` if there is no line. */
export const readPassword = async (name: string, { stdin: open, stderr }: Pick<Call, 'stdin' | 'stderr'>): Promise<string> => {
  const stdin = open()
  if (stdin.isTTY) stderr.write(`Password of ${name}: `)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true, crlfDelay: Number.POSITIVE_INFINITY })
  try {
    for await (const line of lines) return line
    throw new Misuse('stdin holds no password')
  } finally {
    lines.close()
    if (stdin.isTTY) stderr.write('\n')
  }
}
