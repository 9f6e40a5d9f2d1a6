import { type Bound, boundOf } from '../export/reading.ts'
import { misuseOf, parseArguments } from './command-line.ts'
import { type Program, runProgram } from './program.ts'
import { replayInto } from './replay-copy.ts'
import { replayWith } from './replay-fold.ts'

const usage = {
  usage: 'npx rostra replay --into FILE [--until PLACE] [--without-vault] | --with FOLD [--from PLACE] [--until PLACE] [--open]',
  help: `Goes through the log from its beginning (docs/history.md). A server may run meanwhile.

  --into FILE      make a data file of the site as it was, to be served by READ_ONLY=on npm start; one that is there already is never written over
  --with FOLD      run the fold that is the default export of a file (src/export/fold.ts), and write its states to stdout, a line of JSON each
  --from PLACE     begin with this event: its number n, its position of 20 digits, or an ISO time, for the first at this time or later
  --until PLACE    the last event, likewise; a time for the last event before one later than it; default: all
  --without-vault  into FILE: without the keys of texts, which then read [erased]
  --open           with FOLD: open texts; otherwise they are as they are stored, sealed

Into FILE the log is copied byte for byte up to the place, with the keys of today. What is deleted or erased today is blank in the copy, too. Credentials, sessions, apps,
tokens and counts of limits are not copied, nor is the history.`,
  options: {
    into: { type: 'string' },
    with: { type: 'string' },
    from: { type: 'string' },
    until: { type: 'string' },
    'without-vault': { type: 'boolean' },
    open: { type: 'boolean' },
  },
} as const

/** Parses a place in the log from an option. */
const boundFrom = (option: string, text: string | undefined): Bound | undefined => {
  const bound = text === undefined ? undefined : boundOf(text)
  if (text !== undefined && bound === undefined) throw misuseOf(usage, `--${option} is '${text}'`)
  return bound
}

export const replay: Program = async (call) => {
  const { values } = parseArguments(usage, call.args)
  const { into = '', with: file = '', open = false, 'without-vault': withoutVault = false } = values
  if ((into === '') === (file === '')) throw misuseOf(usage, 'either --into FILE or --with FOLD says what to make')
  const from = boundFrom('from', values.from)
  const until = boundFrom('until', values.until)
  if (file !== '') {
    if (withoutVault) throw misuseOf(usage, '--without-vault is for --into')
    return replayWith(call, { file, from, until, opened: open })
  }
  if (from !== undefined || open) throw misuseOf(usage, '--from and --open are for --with')
  return replayInto(call, { until, into, withVault: !withoutVault })
}

if (import.meta.main) await runProgram(replay)
