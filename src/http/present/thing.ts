import type { Approval, Removal } from '../../../projections/engine/verdicts.ts'
import type { Flair } from '../../domain/flair.ts'
import type { AccountId } from '../../domain/ids.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { Around } from '../../queries/around.ts'
import { username } from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { type Fragment, SharedFragment } from '../wire/json-writing.ts'
import { countedReasons } from './reported.ts'

/** Four facts as a number, by which what shows nothing else of a viewer is kept. */
export const bitsOf = (a: boolean, b: boolean, c: boolean, d: boolean): number => (a ? 8 : 0) + (b ? 4 : 0) + (c ? 2 : 0) + (d ? 1 : 0)

/** Four facts as JSON members. There are few such texts and every thing has some of them, so each is put together once. */
export const fourFlags = (text: (a: boolean, b: boolean, c: boolean, d: boolean) => string): ((bits: number) => string) => {
  const texts = Array.from({ length: 16 }, (_, n) => text((n & 8) !== 0, (n & 4) !== 0, (n & 2) !== 0, (n & 1) !== 0))
  return (bits) => texts[bits] ?? ''
}

/** The variants of one thing that are kept, by the facts of a viewer that they show; all else in them is the same for all viewers. */
export type Variants = Map<number, SharedFragment>

const MAX_VARIANTS = 4

/** The variant for some facts: the members that all share between two texts, in which `own` may show nothing else of a viewer. */
export const variantOf = (
  variants: Variants,
  facts: number,
  { start, members, own }: { readonly start: string; readonly members: Fragment; readonly own: () => string },
): SharedFragment => {
  const known = variants.get(facts)
  if (known) return known
  if (variants.size >= MAX_VARIANTS) variants.clear()
  const end = own()
  const made = new SharedFragment((encoding) => `${start}${members.text(encoding)}${end}`)
  variants.set(facts, made)
  return made
}

const markTexts = fourFlags(
  (likes, dislikes, saved, muted) => `"likes":${likes || null},"dislikes":${dislikes || null},"saved":${saved},"muted":${muted}`,
)

/** What the viewer did to a thing. */
export const markFields: shape.Fields = {
  likes: { anyOf: [shape.constant(true), shape.nothing], description: 'True: the viewer finds it insightful.' },
  dislikes: { anyOf: [shape.constant(true), shape.nothing], description: 'True: the viewer finds it funny.' },
  saved: shape.flag,
  muted: shape.flag,
}

type SubsiteThing = { readonly id: string; readonly subsite: string }

/** What the viewer did to a thing and its subsite. */
export const markBits = ({ id: thing, subsite }: SubsiteThing, { voteOn, shelfOf, muted }: Around): number => {
  const vote = voteOn(thing)
  return bitsOf(vote?.insightful ?? false, vote?.funny ?? false, shelfOf(thing)?.saved ?? false, muted.has(subsite))
}

/** The same as JSON members. */
export const marks = (bits: number): string => markTexts(bits)

export const editedShape = { anyOf: [shape.constant(false), shape.epoch], description: 'The time of the last edit, or false.' }

/** The time of the last edit as a JSON member, or that there was none (to be shown). */
export const edited = ({ edited: at }: { readonly edited: number | null }, shown: boolean): string =>
  `"edited":${at === null || !shown ? false : epochText(at)}`

/** The category under which the viewer saved a thing, as a JSON member for lists of saved things. */
export const category = (thing: string, { shelfOf }: Around): string => `,"category":${JSON.stringify(shelfOf(thing)?.category || null)}`

/** Who removed and who approved a thing; null and empty for everybody but moderators. */
export const moderationFields: shape.Fields = {
  num_reports: shape.orNull(shape.integer(0)),
  report_reasons: shape.orNull({ ...shape.listOf(shape.nothing), maxItems: 0, examples: [[]] }),
  user_reports: {
    ...shape.listOf(shape.tuple(shape.orNull(shape.text('off topic')), shape.integer(2))),
    description: 'Each reason and its count, the most frequent first.',
  },
  mod_reports: {
    ...shape.listOf(shape.tuple(shape.orNull(shape.text('off topic')), username)),
    description: 'The reason and the name of each moderator who reported it.',
  },
  approved_by: shape.orNull(username),
  banned_by: { anyOf: [shape.nothing, shape.flag, username], description: 'Name of the moderator; true for a filter or an admin.' },
}

const unseen = '"num_reports":null,"report_reasons":null,"user_reports":[],"mod_reports":[],"approved_by":null,"banned_by":null'

/** What was reported of a thing since the last decision on it, as JSON members. */
const reported = (thing: string, { reportsOn, names }: Around): string => {
  const { reports = 0, byUsers = [], byModerators = [] } = reportsOn(thing) ?? {}
  // reasons of deleted accounts are left out: they may be erased next
  const named = byModerators.map(({ account, reason }) => [names(account) === DELETED_PLACEHOLDER ? null : reason || null, names(account)])
  return `"num_reports":${reports},"report_reasons":[],"user_reports":${JSON.stringify(countedReasons(byUsers))},"mod_reports":${JSON.stringify(named)}`
}

export const authorFlairFields: shape.Fields = {
  author_flair_text: shape.orNull(shape.text('brewer')),
  author_flair_css_class: shape.orNull(shape.text('brewer')),
}

/** The fullname of an author under the name that is shown; none where it is withheld. */
export const authorFullname = (author: AccountId, name: string): AccountId | null => (name === DELETED_PLACEHOLDER ? null : author)

/** The flair of an author; none for a deleted account. */
export const authorFlair = ({ id }: { readonly id: string }, name: string, { flairOf }: Around) =>
  name === DELETED_PLACEHOLDER ? undefined : flairOf(id)

export const flairFields = <Whose extends string>(whose: Whose, flair: Flair | undefined) =>
  ({ [`${whose}_flair_text`]: flair?.text || null, [`${whose}_flair_css_class`]: flair?.css || null }) as {
    readonly [Field in `${Whose}_flair_${'text' | 'css_class'}`]: string | null
  }

export const isSameFlair = (a: Flair | undefined, b: Flair | undefined): boolean => a === b || (a?.text === b?.text && a?.css === b?.css)

type ModeratedThing = {
  readonly id: string
  readonly subsite: string
  readonly removed: Removal | null
  readonly approved: Approval | null
}

/** Who removed and who approved a thing. A filter's or an admin's removal is `true`. */
export const verdictNames = ({ removed, approved }: Pick<ModeratedThing, 'removed' | 'approved'>, { names }: Pick<Around, 'names'>) => ({
  approved_by: approved?.by ? names(approved.by) : null,
  banned_by: removed && (removed.by === null ? true : names(removed.by)),
})

/** The same as JSON members: for moderators, null for everybody else. */
export const moderation = ({ id, subsite, removed, approved }: ModeratedThing, around: Around): string => {
  if (!around.moderates(subsite)) return unseen
  const { approved_by: approver, banned_by: remover } = verdictNames({ removed, approved }, around)
  return `${reported(id, around)},"approved_by":${JSON.stringify(approver)},"banned_by":${JSON.stringify(remover)}`
}

/** A moment as JSON has it everywhere: whole seconds, written with a fraction, since clients in stricter languages read a float. */
const epochText = (milliseconds: number): string => `${Math.floor(milliseconds / 1000)}.0`

/** The same as a value to be put into an object. */
export const epoch = (milliseconds: number): object => JSON.rawJSON(epochText(milliseconds))

/** The time at which a record was made, under both its names. */
export const dated = <Shown>(madeAt: (shown: Shown) => number): shape.Table<Shown> => ({
  created: [shape.epoch, (shown) => epoch(madeAt(shown))],
  created_utc: [shape.epoch, (shown) => epoch(madeAt(shown))],
})
