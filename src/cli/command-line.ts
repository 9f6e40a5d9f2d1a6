import { type ParseArgsConfig, parseArgs } from 'node:util'

/** How a program is called, and what `--help` says about it. */
type Program<Options extends NonNullable<ParseArgsConfig['options']>> = {
  /** As typed: `npm run audit -- [--json]`. */
  readonly usage: string
  readonly help: string
  readonly options?: Options
  /** How many arguments it takes that are no options; none unless given. */
  readonly least?: number
  readonly most?: number
}

const end = (code: 0 | 2, stream: NodeJS.WriteStream, text: string): never => {
  stream.write(`${text}\n`)
  process.exit(code)
}

/** Ends the program with one line for what is wrong with its call. */
export const misused = ({ usage }: Pick<Program<never>, 'usage'>, problem: string): never =>
  end(2, process.stderr, `${problem}; usage: ${usage}`)

/** What Node says beyond its first sentence explains how to pass a name that begins with a dash. */
const problemIn = (error: unknown): string =>
  (error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)).replace(/\n\s*/g, ' ')

/**
 * The options and the other arguments that this process was called with. `--help` prints the help and ends it with 0; an option it does
 * not know, or too few or too many arguments, end it with 2 and one line on stderr.
 */
export const commandLine = <const Options extends NonNullable<ParseArgsConfig['options']> = Record<never, never>>(
  program: Program<Options>,
) => {
  const { usage, help, options, least = 0, most = 0 } = program
  const parse = () => parseArgs({ options: { ...(options as Options), help: { type: 'boolean' } } as const, allowPositionals: true })
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse()
  } catch (error) {
    return misused(program, problemIn(error))
  }
  if ((parsed.values as { readonly help?: boolean }).help === true) return end(0, process.stdout, `${usage}\n\n${help}`)
  const { length } = parsed.positionals
  if (length < least) return misused(program, 'an argument is missing')
  if (length > most) return misused(program, `Unexpected argument '${parsed.positionals[most]}'`)
  return parsed
}
