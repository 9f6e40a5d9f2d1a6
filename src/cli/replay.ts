import { misused, parsedArguments } from './command-line.ts'
import { placeFrom } from './place.ts'
import { type Program, runProgram } from './program.ts'
import { replayInto } from './replay-copy.ts'

const usage = {
  usage: 'npm run replay -- --into FILE [--until PLACE] [--without-vault]',
  help: `Makes a data file of the site as it was, to be served by READ_ONLY=on npm start (docs/history.md). A server may run meanwhile.

  --into FILE      the file to make; one that is there already is never written over
  --until PLACE    the last event: its number n, its position of 20 digits, or an ISO time, for the last event before one later than it; default: all
  --without-vault  without the keys of texts, which then read [erased]

The log is copied byte for byte up to the place, with the keys of today. What is deleted or erased today is blank in the copy, too. Credentials, sessions, apps,
tokens and counts of limits are not copied, nor is the history.`,
  options: { until: { type: 'string' }, into: { type: 'string' }, 'without-vault': { type: 'boolean' } },
} as const

export const replay: Program = async (call) => {
  const { values } = parsedArguments(usage, call.args)
  if (values.into === undefined || values.into === '') throw misused(usage, '--into FILE is missing')
  const until = values.until === undefined ? undefined : placeFrom(usage, 'until', values.until)
  return replayInto(call, { until, into: values.into, withVault: values['without-vault'] !== true })
}

if (import.meta.main) await runProgram(replay)
