import { type ParseArgsConfig, parseArgs } from 'node:util'
import { Misuse } from './data-file.ts'

/** How a program is called, and what `--help` says about it. */
type Usage<Options extends NonNullable<ParseArgsConfig['options']>> = {
  /** As typed: `npm run audit -- [--json]`. */
  readonly usage: string
  readonly help: string
  readonly options?: Options
  /** How many arguments it takes that are no options; none unless given. */
  readonly least?: number
  readonly most?: number
}

/** What `--help` prints; whoever asks for it wants nothing else. */
export class HelpWanted extends Error {}

/** What is wrong with the call of a program, on one line. */
export const misused = ({ usage }: Pick<Usage<never>, 'usage'>, problem: string): Misuse => new Misuse(`${problem}; usage: ${usage}`)

/** What Node says beyond its first sentence explains how to pass a name that begins with a dash. */
const problemIn = (error: unknown): string =>
  (error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)).replace(/\n\s*/g, ' ')

/** The options and the other arguments that a program was called with. Throws `HelpWanted`, or `Misuse` for other options or too few or too many arguments. */
export const parsedArguments = <const Options extends NonNullable<ParseArgsConfig['options']> = Record<never, never>>(
  program: Usage<Options>,
  args: readonly string[],
) => {
  const { usage, help, options, least = 0, most = 0 } = program
  const parse = () =>
    parseArgs({ args: [...args], options: { ...(options as Options), help: { type: 'boolean' } } as const, allowPositionals: true })
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse()
  } catch (error) {
    throw misused(program, problemIn(error))
  }
  if ((parsed.values as { readonly help?: boolean }).help === true) throw new HelpWanted(`${usage}\n\n${help}`)
  const { length } = parsed.positionals
  if (length < least) throw misused(program, 'an argument is missing')
  if (length > most) throw misused(program, `Unexpected argument '${parsed.positionals[most]}'`)
  return parsed
}

/** The same of this process, which ends here with 0 where the help is wanted, and with 2 and one line on stderr where it is misused. */
export const commandLine = <const Options extends NonNullable<ParseArgsConfig['options']> = Record<never, never>>(
  program: Usage<Options>,
) => {
  try {
    return parsedArguments(program, process.argv.slice(2))
  } catch (error) {
    const isHelp = error instanceof HelpWanted
    if (!(isHelp || error instanceof Misuse)) throw error
    process[isHelp ? 'stdout' : 'stderr'].write(`${error.message}\n`)
    return process.exit(isHelp ? 0 : 2)
  }
}
