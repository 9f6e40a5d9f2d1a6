// Decision 85.

import { diffComm, merge } from 'node-diff3'
import { escapeHtml } from '../../wire/html.ts'

/*
 * Merges and compares texts by line. A user can make this slow, so it runs in a process of its own (merge-worker.ts).
 */

type Lines = readonly string[]

const linesOf = (text: string): Lines => text.split('\n')

/** Returns the number of lines that all texts have in common at their beginning. */
const commonStart = ([first = [], ...others]: readonly Lines[]): number => {
  const most = Math.min(first.length, ...others.map(({ length }) => length))
  let count = 0
  while (count < most && others.every((lines) => lines[count] === first[count])) count += 1
  return count
}

/** Returns the texts without their common first and last lines, which leaves little of a long page with a small change. */
const trimCommon = (texts: readonly Lines[]) => {
  const start = commonStart(texts)
  const rests = texts.map((lines) => lines.slice(start))
  const end = commonStart(rests.map((lines) => lines.toReversed()))
  const [some = []] = rests
  return {
    head: texts[0]?.slice(0, start) ?? [],
    middles: rests.map((lines) => lines.slice(0, lines.length - end)),
    tail: some.slice(some.length - end),
  }
}

/** `text` is the merged text; undefined if both changes change the same lines differently. */
export type MergeResult = { readonly text: string | undefined }

/** Joins the changes that `mine` and `theirs` each made to `base`. */
export const mergeLines = ({ base, theirs, mine }: Readonly<Record<'base' | 'theirs' | 'mine', string>>): MergeResult => {
  const { head, middles, tail } = trimCommon([mine, base, theirs].map(linesOf))
  const [ours = [], origin = [], others = []] = middles
  const { conflict, result } = merge(ours, origin, others, { excludeFalseConflicts: true }) as {
    readonly conflict: boolean
    readonly result: Lines
  }
  return { text: conflict ? undefined : [...head, ...result, ...tail].join('\n') }
}

/** The unchanged lines shown around a change. */
const CONTEXT_LINES = 3
/** Limits of a table, in rows and characters; a longer one is cut, with a note. */
const MAX_DIFF_ROWS = 2_000
const MAX_DIFF_CHARACTERS = 600_000

type MergedLine = { readonly kind: 'same' | 'gone' | 'new' | 'skip'; readonly line: string }

type Hunk = { readonly common: Lines } | { readonly buffer1: Lines; readonly buffer2: Lines }

const rowsOfCommon = (lines: Lines, isFirst: boolean, isLast: boolean): readonly MergedLine[] => {
  const toSameLines = (lines: Lines): readonly MergedLine[] => lines.map((line) => ({ kind: 'same', line }))
  const lead = isFirst ? 0 : CONTEXT_LINES
  const trail = isLast ? 0 : CONTEXT_LINES
  if (lines.length <= lead + trail) return toSameLines(lines)
  const skipped: MergedLine = { kind: 'skip', line: `${lines.length - lead - trail} unchanged lines` }
  return [...toSameLines(lines.slice(0, lead)), skipped, ...toSameLines(lines.slice(lines.length - trail))]
}

const rowsOf = (before: Lines, after: Lines): readonly MergedLine[] => {
  const hunks = diffComm([...before], [...after]) as readonly Hunk[]
  return hunks.flatMap((hunk, index) =>
    'common' in hunk
      ? rowsOfCommon(hunk.common, index === 0, index === hunks.length - 1)
      : [
          ...hunk.buffer1.map((line): MergedLine => ({ kind: 'gone', line })),
          ...hunk.buffer2.map((line): MergedLine => ({ kind: 'new', line })),
        ],
  )
}

const signs = { same: '', gone: '-', new: '+', skip: '…' } as const

const rowHtml = ({ kind, line }: MergedLine): string => `<tr class="diff_${kind}"><td>${signs[kind]}</td><td>${escapeHtml(line)}</td></tr>`

/** Returns the rows that fit. `whole` means that all of them do. */
const selectFittingRows = (rows: readonly MergedLine[]): { readonly html: readonly string[]; readonly whole: boolean } => {
  const html: string[] = []
  let characters = 0
  for (const row of rows) {
    const text = rowHtml(row)
    characters += text.length
    if (html.length >= MAX_DIFF_ROWS || characters > MAX_DIFF_CHARACTERS) return { html, whole: false }
    html.push(text)
  }
  return { html, whole: true }
}

const ENDS_EARLY = '<tr class="diff_skip"><td>…</td><td>The rest of the difference is too long to be shown.</td></tr>'

/** Returns the difference of two texts as an HTML table of two columns: a sign, and the line. */
export const tableOf = ({ before, after }: Readonly<Record<'before' | 'after', string>>): string => {
  const { html, whole } = selectFittingRows(rowsOf(linesOf(before), linesOf(after)))
  return `<table class="diff">${html.join('')}${whole ? '' : ENDS_EARLY}</table>`
}
