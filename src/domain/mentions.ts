/** A text with more names than this notifies none of them. */
const MAX_MENTIONS = 3

const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/u
const mention = /(?<![\w/.-])\/?u\/([A-Za-z0-9_-]{3,20})(?![\w-])/gu

const isIndented = (line: string) => line.startsWith('    ') || line.startsWith('\t')

/** The lines that are in no fenced or indented block of code. */
const outsideBlocks = (markdown: string): string => {
  const prose: string[] = []
  let open: string | undefined
  for (const line of markdown.split('\n')) {
    const marks = fence.exec(line)?.[1]
    if (open === undefined) {
      if (marks !== undefined) open = marks
      else if (!isIndented(line)) prose.push(line)
    } else if (marks?.startsWith(open) && line.trim() === marks) open = undefined
  }
  return prose.join('\n')
}

type Run = { readonly start: number; readonly end: number }

/** The text without `code` and ``code``: a run of backticks begins it, the next run of as many ends it. Each run is looked at twice. */
const outsideSpans = (text: string): string => {
  const runs: readonly Run[] = Array.from(text.matchAll(/`+/gu), ({ index, 0: { length } }) => ({ start: index, end: index + length }))
  const closers = new Map<Run, Run>()
  const nearest = new Map<number, Run>() // by length, of the runs that follow
  for (const run of runs.toReversed()) {
    const closer = nearest.get(run.end - run.start)
    if (closer) closers.set(run, closer)
    nearest.set(run.end - run.start, run)
  }
  const prose: string[] = []
  let from = 0
  for (const run of runs) {
    const closer = run.start < from ? undefined : closers.get(run)
    if (!closer) continue
    prose.push(text.slice(from, run.start))
    from = closer.end
  }
  return [...prose, text.slice(from)].join(' ')
}

/**
 * The names (lower case, each once) that a text mentions as `/u/name` or `u/name` outside code; none when there are too many. Takes time
 * in proportion to the text, whatever it is.
 */
export const mentionedNames = (markdown: string): readonly string[] => {
  const names = new Set<string>()
  for (const [, name = ''] of outsideSpans(outsideBlocks(markdown)).matchAll(mention)) {
    names.add(name.toLowerCase())
    if (names.size > MAX_MENTIONS) return []
  }
  return [...names]
}
