/** A line of the log of the process that somebody should read. */
export type Warning = { readonly at: number; readonly level: 'warn' | 'error' | 'fatal'; readonly message: string }

const MAX_WARNINGS = 50
const MAX_MESSAGE_CHARACTERS = 500

const levels: Readonly<Record<number, Warning['level']>> = { 40: 'warn', 50: 'error', 60: 'fatal' }

const recent: Warning[] = []

/** Returns the words of an error, if the arguments of a line have one. */
const errorIn = (fields: unknown): string | undefined => {
  const err = fields instanceof Error ? fields : (fields as { readonly err?: unknown } | null)?.err
  return err instanceof Error ? err.message : undefined
}

/** Remembers a line of the log, if it is a warning or worse: its words, and those of its error. */
export const rememberWarning = (level: number, [fields, message]: readonly unknown[], at = Date.now()): void => {
  const name = levels[level]
  if (name === undefined) return
  const parts = typeof fields === 'string' ? [fields] : [message, errorIn(fields)].filter((part) => typeof part === 'string')
  recent.push({ at, level: name, message: parts.join(': ').slice(0, MAX_MESSAGE_CHARACTERS) })
  if (recent.length > MAX_WARNINGS) recent.shift()
}

/** Returns the last warnings and errors of this process, the newest first. */
export const recentWarnings = (): readonly Warning[] => recent.toReversed()
