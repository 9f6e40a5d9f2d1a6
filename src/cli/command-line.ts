import { type ParseArgsConfig, parseArgs } from 'node:util'
import { Misuse } from './data-file.ts'

/** The call of a program and its `--help`. */
type Usage<Options extends NonNullable<ParseArgsConfig['options']>> = {
  /** As typed: `npx rostra audit [--json]`. */
  readonly usage: string
  readonly help: string
  readonly options?: Options
  /** The number of arguments that are no options; none unless given. */
  readonly least?: number
  readonly most?: number
}

/** Carries the text of `--help`. It ends the command. */
export class HelpWanted extends Error {}

/** Returns the error of a wrong call, on one line. */
export const misuseOf = ({ usage }: Pick<Usage<never>, 'usage'>, problem: string): Misuse => new Misuse(`${problem}; usage: ${usage}`)

/** Returns the first sentence of Node's message. The rest explains how to pass a name that begins with a dash. */
const problemIn = (error: unknown): string =>
  (error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)).replace(/\n\s*/g, ' ')

/**
 * Returns the options and the other arguments of a call. Throws `HelpWanted`, or `Misuse` for other options or too few or too many
 * arguments.
 */
export const parseArguments = <const Options extends NonNullable<ParseArgsConfig['options']> = Record<never, never>>(
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
    throw misuseOf(program, problemIn(error))
  }
  if ((parsed.values as { readonly help?: boolean }).help === true) throw new HelpWanted(`${usage}\n\n${help}`)
  const { length } = parsed.positionals
  if (length < least) throw misuseOf(program, 'an argument is missing')
  if (length > most) throw misuseOf(program, `Unexpected argument '${parsed.positionals[most]}'`)
  return parsed
}

/** Parses the call of this process. It ends here with 0 after `--help`, and with 2 and one line on stderr after a wrong call. */
export const commandLine = <const Options extends NonNullable<ParseArgsConfig['options']> = Record<never, never>>(
  program: Usage<Options>,
) => {
  try {
    return parseArguments(program, process.argv.slice(2))
  } catch (error) {
    const isHelp = error instanceof HelpWanted
    if (!(isHelp || error instanceof Misuse)) throw error
    process[isHelp ? 'stdout' : 'stderr'].write(`${error.message}\n`)
    return process.exit(isHelp ? 0 : 2)
  }
}
