// Decisions 29 and 77.

import * as E from 'fp-ts/lib/Either.js'
import Papa from 'papaparse'
import { v5 } from 'uuid'
import { type Flair, isEmpty, parseClasses, setUserFlair, UserFlair } from '../../../domain/flair.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { firstCharacters, limits } from '../../../domain/text-limits.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import type { Command } from '../../../runtime/command.ts'
import type { CommandResult } from '../../../runtime/run.ts'
import { type Context, section } from '../../contract/endpoint.ts'
import { foldLineEnds } from '../../contract/line-ends.ts'
import { describeParam, rawText } from '../../contract/params.ts'
import type { Refusal } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { moderatorHere } from '../../needs/facts.ts'
import { accountOfName } from './target.ts'

const MAX_CSV_LINES = 100
/** The most characters: more than a hundred lines of the longest values need. */
const MAX_CSV_CHARACTERS = 262_144

type Notes = Readonly<Record<string, string>>
type Result = { readonly ok: boolean; readonly status: string; readonly errors: Notes; readonly warnings: Notes }
type Line = { readonly name: string; readonly account: AccountId; readonly flair: Flair; readonly warnings: Notes }

const skipLine = (errors: Notes): Result => ({ ok: false, status: 'skipped', errors, warnings: {} })

/**
 * Returns the first lines. A line break at the end begins no further one. White space is shortened first, which changes no value: the
 * parser looks through a long run of it again for every quote before it.
 */
const rowsOf = (csv: string): readonly (readonly string[])[] => {
  const body = foldLineEnds(csv)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\n$/, '')
  if (body === '') return []
  return Papa.parse<string[]>(body, { delimiter: ',', newline: '\n', preview: MAX_CSV_LINES, skipEmptyLines: false }).data
}

/** Returns a text in one line. */
const foldLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

/** Returns the result of a line, or the reason why it was ignored. */
const lineOf = async (context: Pick<Context, 'load'>, row: readonly string[]): Promise<Line | Result> => {
  const [name, text, classes] = row
  if (row.length !== 3 || name === undefined || text === undefined || classes === undefined)
    return skipLine({ row: 'a line must have exactly three columns: user, text, css class' })
  const account = await accountOfName(context, name)
  if (account === undefined) return skipLine({ user: `there is no user called ${firstCharacters(100, name)}` })
  const css = parseClasses(classes)
  if (E.isLeft(css)) return skipLine({ css: 'at most ten names of letters, digits and hyphens' })
  const line = foldLine(text)
  const shortened = firstCharacters(limits.flair, line)
  const isCut = shortened !== line
  const warnings: Notes = isCut ? { text: `the text was cut to ${limits.flair} characters` } : {}
  return { name: name.trim(), account, flair: { text: shortened, css: css.right }, warnings }
}

/** Returns a command of its own for each line, the same whenever the request is repeated. */
const commandOfLine = (command: Command, line: number): Command => {
  const id = v5(`line ${line}`, command.id)
  return { ...command, id, causationId: id }
}

type LineOutcome = { readonly result: Result; readonly recorded: E.Either<Refusal, CommandResult> | undefined }

const apply = async (context: Context<unknown, SignedIn>, subsite: string, line: Line | Result, number: number): Promise<LineOutcome> => {
  if ('ok' in line) return { result: line, recorded: undefined }
  const { name, account, flair, warnings } = line
  const command = commandOfLine(context.command, number)
  const recorded = await context.run(UserFlair, `${subsite}.${account}`, setUserFlair({ subsite, account }, flair, true), command)
  const status = `${isEmpty(flair) ? 'removed flair for' : 'added flair for'} user ${name}`
  return { result: { ok: true, status, errors: {}, warnings }, recorded }
}

/** Applies the lines. Those about the same account are applied in their order. */
const applyAll = async (
  context: Context<unknown, SignedIn>,
  subsite: string,
  lines: readonly (Line | Result)[],
): Promise<readonly LineOutcome[]> => {
  const last = new Map<AccountId, Promise<unknown>>()
  return Promise.all(
    lines.map((line, number) => {
      const before = 'ok' in line ? undefined : last.get(line.account)
      const applied =
        before === undefined ? apply(context, subsite, line, number) : before.then(() => apply(context, subsite, line, number))
      if (!('ok' in line)) last.set(line.account, applied)
      return applied
    }),
  )
}

const errorsShape = { ...shape.someOf({ row: shape.text(), user: shape.text(), css: shape.text() }), examples: [{}] }
const warningsShape = { ...shape.someOf({ text: shape.text('the text was cut to 64 characters') }), examples: [{}] }

export const flairCsv = section('Flair').post('[/s/{sub}]/api/flaircsv', {
  scope: 'modflair',
  login: 'moderator',
  errors: 'plain',
  answers: {
    200: shape.listOf(
      shape.recordSchema({ ok: shape.flag, status: shape.text('added flair for user ann'), errors: errorsShape, warnings: warningsShape }),
    ),
  },
  summary: 'Set the flair of many users.',
  notes:
    'For moderators with `flair`. Lines of the form `user,text,css`, quoted where needed; lines after the hundredth are ignored. If text and css are both empty, the flair is cleared. An invalid line does not stop the others; each line that changes something is an entry in the moderation log.',
  params: { flair_csv: describeParam(rawText({ max: MAX_CSV_CHARACTERS }), 'CSV') },
  needs: { act: moderatorHere('flair') },
  handle: async (context) => {
    const lines = await Promise.all(rowsOf(context.params.flair_csv).map((row) => lineOf(context, row)))
    let results: readonly Result[] = []
    const outcome = await withinQuota(context, 'flaircsv', async (): Promise<E.Either<Refusal, CommandResult>> => {
      const applied = await applyAll(context, context.act.subsite, lines)
      const failed = applied.find(({ recorded }) => recorded && E.isLeft(recorded))?.recorded
      if (failed && E.isLeft(failed)) return failed
      results = applied.map(({ result }) => result)
      const positions = applied.flatMap(({ recorded }) => (recorded && E.isRight(recorded) ? [recorded.right] : []))
      return E.right({
        events: positions.flatMap(({ events }) => events),
        position: positions
          .map(({ position }) => position)
          .toSorted()
          .at(-1),
      })
    })
    return E.isLeft(outcome) ? outcome : { kind: 'json', body: results }
  },
})
