// Decision 86.

import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { type EventOf, event, field, type OneOf, optional, recordCodec, sealedText } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'
import { isSameDescription } from './multi-origins.ts'
import { multiKinds } from './multi-path.ts'
import { oneOf } from './one-of.ts'
import { QuotedText } from './quoted-text.ts'
import type { Refusal, RefusalCode } from './refusal.ts'

export const visibilities = ['private', 'public', 'hidden'] as const
export const weightings = ['classic', 'fresh'] as const

/** The icons of the interface; `''`: none. */
// biome-ignore format: one name a line would say no more
export const icons = [
  '', 'art and design', 'ask', 'books', 'business', 'cars', 'comics', 'cute animals', 'diy', 'entertainment', 'food and drink',
  'funny', 'games', 'grooming', 'health', 'life advice', 'military', 'models pinup', 'music', 'news', 'philosophy',
  'pictures and gifs', 'science', 'shopping', 'sports', 'style', 'tech', 'travel', 'unusual stories', 'video',
] as const

/** The most subsites in one multi, multis of one account, and characters of the descriptions of all of them. */
export const MAX_SUBSITES_PER_MULTI = 100
export const MAX_MULTIS_PER_ACCOUNT = 100
export const MAX_DESCRIPTION_CHARACTERS = 200_000

/** The stream is the claim on the path: `multi-<account>.<kind>.<name>`. None of its events is public, since only some multis are. */
const path = {
  account: field(AccountId, 'Whose it is.', 'party', { party: true }),
  kind: field(oneOf(multiKinds), '`m`: a multi; `f`: a filter, whose subsites a listing leaves out.', 'party'),
  name: field(t.string, 'Its name in its address.', 'party'),
}

const multiFields = {
  ...path,
  displayName: field(sealedText('account'), 'The name that is shown; empty: that of the address.', 'party'),
  description: field(sealedText('account'), 'What its owner says of it, in markdown.', 'party'),
  subsites: field(t.readonlyArray(SubsiteId), 'The subsites in it.', 'party'),
  visibility: field(
    oneOf(visibilities),
    'Who sees it: its owner (`private`), everybody (`public`), everybody who knows its address (`hidden`).',
    'party',
  ),
  icon: field(t.string, 'One of the icons that there are; empty: none.', 'party'),
  color: field(t.string, '`#rrggbb` in lower case, or empty.', 'party'),
  weighting: field(oneOf(weightings), 'As clients set it, which alone act on it.', 'party'),
  created: field(t.number, 'When it was created, under its first name.', 'party', { unit: 'milliseconds since 1970' }),
  copiedFrom: field(
    t.union([
      recordCodec('MultiSource', {
        account: field(AccountId, 'Whose it is.', 'party'),
        name: field(t.string, 'Its name.', 'party'),
      }),
      t.null,
    ]),
    'The multi that it is a copy of; null: none.',
    'party',
  ),
  quotedName: field(optional(QuotedText), 'The name that another account gave what it is a copy of, until its owner changes it.', 'party'),
  quotedDescription: field(
    optional(QuotedText),
    'What another account says of what it is a copy of; shown before the description.',
    'party',
  ),
}

/** Every event except the last contains the whole multi, so that a decision reads only the last event. */
export const MultiCreated = event(
  'MultiCreated',
  'An account made a multi or a filter, copied one, or gave one another name.',
  {
    ...multiFields,
    renamed: field(
      optional(
        recordCodec('RenamedMulti', {
          from: field(t.string, 'Its former name.', 'party'),
          revision: field(t.number, 'The revision of its former stream that it is as of.', 'party'),
        }),
      ),
      'Of one that has another name from now on: what it was.',
      'party',
    ),
  },
  { by: 'party' },
)
export const MultiEdited = event(
  'MultiEdited',
  'An account changed a multi or a filter; the event has all of it as it is now.',
  multiFields,
  { by: 'party' },
)
export const MultiDeleted = event('MultiDeleted', 'An account deleted a multi or a filter, or gave it another name.', path, { by: 'party' })
export const multiEvents = [MultiCreated, MultiEdited, MultiDeleted] as const
export type MultiEvent = OneOf<typeof multiEvents>

export type Multi = EventOf<typeof MultiEdited>['data']
export type MultiId = Pick<Multi, 'account' | 'kind' | 'name'>
/** The content that a multi's owner sets. */
export type MultiContent = Omit<Multi, keyof MultiId | 'created' | 'copiedFrom' | 'quotedName' | 'quotedDescription'>
/** The texts of a multi, and the quotes of others among them. */
export type MultiTexts = Pick<Multi, 'displayName' | 'description' | 'quotedName' | 'quotedDescription'>

/** A multi, and the revision of its stream that it was folded up to. */
export type StandingMulti = { readonly multi: Multi; readonly revision: number }

export const MultiStream: Aggregate<StandingMulti, MultiEvent> = {
  category: 'multi',
  subsiteOf: null,
  on: {
    MultiCreated: (_, { renamed: __, ...multi }, { revision }) => ({ multi, revision }),
    MultiEdited: (_, multi, { revision }) => ({ multi, revision }),
    MultiDeleted: () => undefined,
  },
  decidedByLast: true,
}

export const multiId = ({ account, kind, name }: MultiId): string => `${account}.${kind}.${name}`

export const COLOR = /^(#[0-9A-Fa-f]{6})?$/

/** Returns a color in lower case, or empty for none. */
export const parseColor = (color: unknown): E.Either<Refusal, string> =>
  typeof color === 'string' && COLOR.test(color) ? E.right(color.toLowerCase()) : E.left({ code: 'BAD_COLOR', field: 'key_color' })

/** The defaults of a new multi. */
export const defaultContent: MultiContent = {
  displayName: '',
  description: '',
  subsites: [],
  visibility: 'private',
  icon: '',
  color: '#cee3f8',
  weighting: 'classic',
}

export const paragraphs = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n')

export const descriptionOf = ({ description, quotedDescription }: Pick<MultiTexts, 'description' | 'quotedDescription'>): string =>
  paragraphs(quotedDescription?.text ?? '', description)

/** Returns a multi with its texts as they are shown: those of its owner together with the quoted ones. */
export const withQuotes = <M extends MultiTexts>(multi: M): M => ({
  ...multi,
  displayName: multi.quotedName?.text ?? multi.displayName,
  description: descriptionOf(multi),
})

/** Returns a multi as its owner changes it. A quoted text stays a quotation unless the owner writes another one. */
const changeMulti = (multi: Multi, { displayName, description, ...changes }: Partial<MultiContent>): Multi => {
  const { quotedName, quotedDescription, ...content } = multi
  const keepsName = displayName === undefined || displayName === quotedName?.text
  const isAsShown = description !== undefined && isSameDescription(description, descriptionOf(multi))
  const keepsDescription = description === undefined || (quotedDescription !== undefined && isAsShown)
  return {
    ...content,
    ...changes,
    ...(!keepsName && { displayName }),
    ...(!keepsDescription && { description }),
    ...(keepsName && quotedName && { quotedName }),
    ...(keepsDescription && quotedDescription && { quotedDescription }),
  }
}

/** The account's other multis: their number, and the total length of their descriptions. */
export type OtherMultis = { readonly count: number; readonly described: number }

/** Returns the refusal of a change. A limit that is already exceeded refuses only changes that exceed it further. */
const problemOf = (
  next: MultiContent & MultiTexts,
  before: MultiTexts | undefined,
  { count, described }: OtherMultis,
): RefusalCode | undefined => {
  if (next.subsites.length > MAX_SUBSITES_PER_MULTI) return 'MULTI_TOO_MANY_SUBSITES'
  if (before === undefined && count >= MAX_MULTIS_PER_ACCOUNT) return 'TOO_MANY_MULTIS'
  const { length } = descriptionOf(next)
  const isLonger = length > (before ? descriptionOf(before).length : 0)
  return isLonger && described + length > MAX_DESCRIPTION_CHARACTERS ? 'MULTI_TOO_LONG_DESCRIPTIONS' : undefined
}

const fieldOf: Partial<Record<RefusalCode, string>> = {
  MULTI_TOO_MANY_SUBSITES: 'subreddits',
  MULTI_TOO_LONG_DESCRIPTIONS: 'description_md',
}

type NewMulti = MultiContent & MultiTexts & Pick<Multi, 'created' | 'copiedFrom'>

/** Creates a multi; `MULTI_EXISTS` if there is one. */
export const createMulti =
  (id: MultiId, beginning: NewMulti, others: OtherMultis): Decide<StandingMulti, MultiEvent> =>
  (standing) => {
    if (standing) return refuse('MULTI_EXISTS', 'multipath')
    const problem = problemOf(beginning, undefined, others)
    return problem ? refuse(problem, fieldOf[problem] ?? 'multipath') : decideEvents(MultiCreated({ ...id, ...beginning }))
  }

/**
 * Creates the same multi under another name. Without a display name it is still shown by its former name. The end of the old one follows
 * from the event. `others` are all multis but the old one. They count, since several renames of one multi at the same time leave several.
 */
export const renameMulti =
  (
    { multi, revision }: StandingMulti,
    { name, displayName }: { readonly name: string; readonly displayName: string | undefined },
    others: OtherMultis,
  ): Decide<StandingMulti, MultiEvent> =>
  (standing) => {
    if (standing) return refuse('MULTI_EXISTS', 'multipath')
    const problem = problemOf(multi, undefined, others)
    if (problem) return refuse(problem, fieldOf[problem] ?? 'multipath')
    const called = displayName ?? multi.quotedName?.text ?? (multi.displayName || multi.name)
    return decideEvents(MultiCreated({ ...changeMulti(multi, { displayName: called }), name, renamed: { from: multi.name, revision } }))
  }

/** Ends the renamed multi, unless it changed after it was copied. Then both stay, so that nothing is lost. */
export const endRenamed =
  (id: MultiId, revision: number): Decide<StandingMulti, MultiEvent> =>
  (standing) =>
    standing?.revision === revision ? decideEvents(MultiDeleted(id)) : noEvents

/** Changes a multi. Makes no event if nothing differs; `MULTI_NOT_FOUND` if there is none. */
export const editMulti =
  (changeContent: (content: Multi) => Partial<MultiContent>, others: OtherMultis): Decide<StandingMulti, MultiEvent> =>
  (standing) => {
    if (!standing) return refuse('MULTI_NOT_FOUND', 'multipath')
    const before = standing.multi
    const next = changeMulti(before, changeContent(before))
    if (isDeepStrictEqual(next, before)) return noEvents
    const problem = problemOf(next, before, others)
    return problem ? refuse(problem, fieldOf[problem] ?? 'multipath') : decideEvents(MultiEdited(next))
  }

/** Changes a multi, or creates one from the defaults and these changes. */
export const putMulti =
  (id: MultiId, changes: Partial<MultiContent>, created: number, others: OtherMultis): Decide<StandingMulti, MultiEvent> =>
  (standing) =>
    standing
      ? editMulti(() => changes, others)(standing)
      : createMulti(id, { ...defaultContent, ...changes, created, copiedFrom: null }, others)(standing)

export const withSubsite =
  (subsite: string) =>
  ({ subsites }: Multi): Partial<MultiContent> =>
    subsites.includes(subsite) ? {} : { subsites: [...subsites, subsite] }

/** Adds a subsite. A filter begins with the first subsite that is left out; a multi must exist. */
export const addSubsiteTo =
  (id: MultiId, subsite: SubsiteId, created: number, others: OtherMultis): Decide<StandingMulti, MultiEvent> =>
  (standing) =>
    standing === undefined && id.kind === 'f'
      ? createMulti(id, { ...defaultContent, subsites: [subsite], created, copiedFrom: null }, others)(standing)
      : editMulti(withSubsite(subsite), others)(standing)

export const withoutSubsite =
  (subsite: string) =>
  ({ subsites }: Multi): Partial<MultiContent> => ({ subsites: subsites.filter((one) => one !== subsite) })

export const deleteMulti =
  (id: MultiId): Decide<StandingMulti, MultiEvent> =>
  (standing) =>
    standing ? decideEvents(MultiDeleted(id)) : refuse('MULTI_NOT_FOUND', 'multipath')
