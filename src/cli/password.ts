import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Misuse } from './data-file.ts'

/** The first line of stdin, whole; on a terminal what is typed is not shown. `Misuse` where there is none. */
export const readPassword = async (name: string): Promise<string> => {
  const { stdin, stderr } = process
  if (stdin.isTTY) stderr.write(`Password of ${name}: `)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY, crlfDelay: Number.POSITIVE_INFINITY })
  try {
    for await (const line of lines) return line
    throw new Misuse('stdin holds no password')
  } finally {
    lines.close()
    if (stdin.isTTY) stderr.write('\n')
  }
}
