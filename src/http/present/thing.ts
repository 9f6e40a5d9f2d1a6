import { isDeepStrictEqual } from 'node:util'
import type { Approval, Removal } from '../../../projections/engine/verdicts.ts'
import type { ShelfDocument } from '../../../projections/shelves.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import type { VoteDocument } from '../../../projections/votes.ts'
import type { Flair } from '../../domain/flair.ts'
import type { AccountId } from '../../domain/ids.ts'
import { isArchived } from '../../domain/link.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { ThingSurroundings } from '../../queries/surroundings.ts'
import { username } from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { countReasons } from './reported.ts'
import type { Flags } from './viewed-record.ts'

/* The fields that links and comments have in common. */

type Thing = {
  readonly id: string
  readonly author: AccountId
  readonly subsite: string
  readonly created: number
  readonly edited: number | null
  readonly removed: Removal | null
  readonly approved: Approval | null
}

/** A thing and what its viewer did to it. */
export type Viewing<Shown extends Thing = Thing> = {
  readonly thing: Shown
  readonly around: ThingSurroundings
  readonly vote: VoteDocument | undefined
  readonly shelf: ShelfDocument | undefined
}

export const toViewing = <Shown extends Thing>(thing: Shown, around: ThingSurroundings): Viewing<Shown> => ({
  thing,
  around,
  vote: around.voteOn(thing.id),
  shelf: around.shelfOf(thing.id),
})

const trueOrNull = (description: string): shape.SchemaOrComponent => ({ anyOf: [shape.constant(true), shape.nullSchema], description })

/** The viewer's marks on a thing and its subsite. */
export const marks: Flags<Viewing> = {
  likes: [trueOrNull('True: the viewer finds it insightful.'), ({ vote }) => vote?.insightful ?? false, null],
  dislikes: [trueOrNull('True: the viewer finds it funny.'), ({ vote }) => vote?.funny ?? false, null],
  saved: [shape.flag, ({ shelf }) => shelf?.saved ?? false],
  muted: [shape.flag, ({ thing, around }) => around.muted.has(thing.subsite)],
}

export const archived: Flags<Viewing> = { archived: [shape.flag, ({ thing, around }) => isArchived(thing.created, around.now)] }

/** The parts that some viewers see beside the public ones: none in most responses. */
export type ViewerExtras = {
  /** The part for moderators; undefined for everybody else. */
  readonly moderator: Pick<ThingSurroundings, 'names' | 'reportsOn'> | undefined
  /** True if the viewer is the author of a thing that a person removed. Authors do not see that a spam setting held a thing back. */
  readonly isOwnRemoved: boolean
  /** With `false`, edits are not shown. */
  readonly edits: boolean
  /** The category under which the viewer saved the thing; undefined outside lists of saved things. */
  readonly category: string | null | undefined
}

export const noExtras: ViewerExtras = { moderator: undefined, isOwnRemoved: false, edits: true, category: undefined }

export type ThingOptions = {
  /** With `false`, edits are not shown. */
  readonly edits?: boolean
  /** True if the record has the category under which the thing was saved. */
  readonly categories?: boolean
}

/** Returns the extra fields for this viewer; undefined if the viewer sees only those of everybody. */
export const viewerExtrasOf = (
  { thing, around, shelf }: Viewing,
  { edits = true, categories = false }: ThingOptions,
): ViewerExtras | undefined => {
  const moderator = around.moderates(thing.subsite) ? around : undefined
  const isOwnRemoved = thing.removed?.auto === false && thing.author === around.viewer.account
  if (!moderator && !isOwnRemoved && edits && !categories) return undefined
  return { moderator, isOwnRemoved, edits, category: categories ? shelf?.category || null : undefined }
}

type Moderated = {
  readonly thing: Pick<Thing, 'id' | 'removed' | 'approved'>
  readonly moderator: ViewerExtras['moderator']
}

const forModerators =
  <Shown, Else>(value: (thing: Moderated['thing'], moderator: NonNullable<ViewerExtras['moderator']>) => Shown, fallback: Else) =>
  ({ thing, moderator }: Moderated): Shown | Else =>
    moderator ? value(thing, moderator) : fallback

type Removable = Moderated & Pick<ViewerExtras, 'isOwnRemoved'>

const optionalFlag = <Shown>(description: string, value: (shown: Shown) => boolean | undefined) =>
  [shape.optional({ ...shape.flag, description }), value] as const

const removalFlag = (description: string, value: (removed: Removal | null) => boolean) =>
  optionalFlag(description, ({ thing, moderator, isOwnRemoved }: Removable) =>
    moderator || isOwnRemoved ? value(thing.removed) : undefined,
  )

/** The reports since the last decision on a thing and that decision, for moderators. */
export const moderation = {
  num_reports: [shape.orNull(shape.integer(0)), forModerators(({ id }, { reportsOn }) => reportsOn(id)?.reports ?? 0, null)],
  report_reasons: [
    shape.orNull({ ...shape.listOf(shape.nullSchema), maxItems: 0, examples: [[]] }),
    forModerators<readonly never[], null>(() => [], null),
  ],
  user_reports: [
    {
      ...shape.listOf(shape.tuple(shape.orNull(shape.text('off topic')), shape.integer(2))),
      description: 'Each reason and its count, the most frequent first.',
    },
    forModerators(({ id }, { reportsOn }) => countReasons(reportsOn(id)?.byUsers ?? []), []),
  ],
  mod_reports: [
    {
      ...shape.listOf(shape.tuple(shape.orNull(shape.text('off topic')), username)),
      description: 'The reason and the name of each moderator who reported it.',
    },
    // reasons of deleted accounts are left out: they may be erased next
    forModerators(
      ({ id }, { reportsOn, names }) =>
        (reportsOn(id)?.byModerators ?? []).map(({ account, reason }) => {
          const name = names(account)
          return [name === DELETED_PLACEHOLDER ? null : reason || null, name]
        }),
      [],
    ),
  ],
  approved_by: [shape.orNull(username), forModerators(({ approved }, { names }) => (approved?.by ? names(approved.by) : null), null)],
  banned_by: [
    { anyOf: [shape.nullSchema, shape.flag, username], description: 'Name of the moderator; true for a filter or an admin.' },
    forModerators(({ removed }, { names }) => removed && (removed.by === null ? true : names(removed.by)), null),
  ],
  approved: optionalFlag(
    'True of what a moderator approved; for moderators.',
    forModerators(({ approved }) => approved !== null, undefined),
  ),
  removed: removalFlag(
    'True of what is removed, but not as spam; for moderators, and for the author of what somebody removed.',
    (removed) => removed !== null && !removed.spam,
  ),
  spam: removalFlag('True of what is removed as spam; for the same viewers.', (removed) => removed?.spam ?? false),
} satisfies shape.RecordTable<Removable>

type Edited = { readonly thing: Pick<Thing, 'edited'> } & Pick<ViewerExtras, 'edits'>

export const edited = {
  edited: [
    { anyOf: [shape.constant(false), shape.epoch], description: 'The time of the last edit, or false.' },
    ({ thing, edits }: Edited) => (thing.edited === null || !edits ? false : epoch(thing.edited)),
  ],
} satisfies shape.RecordTable<Edited>

/** The fields of any thing that only some viewers see. */
export const restrictedFields: shape.RecordTable<Removable & Edited & ViewerExtras> = {
  ...edited,
  ...moderation,
  category: [shape.optional(shape.orNull(shape.text('to read'))), ({ category }) => category],
}

/** Returns the fullname of an author under the name that is shown; none where it is withheld. */
export const authorFullname = (author: AccountId, name: string): AccountId | null => (name === DELETED_PLACEHOLDER ? null : author)

/** Returns the flair of an author; none for a deleted account. */
export const authorFlair = ({ id }: { readonly id: string }, name: string, { flairOf }: ThingSurroundings) =>
  name === DELETED_PLACEHOLDER ? undefined : flairOf(id)

export const authorFlairFields: shape.RecordTable<{ readonly flair: Flair | undefined }> = {
  author_flair_text: [shape.orNull(shape.text('brewer')), ({ flair }) => flair?.text || null],
  author_flair_css_class: [shape.orNull(shape.text('brewer')), ({ flair }) => flair?.css || null],
}

/** The values beside the thing that the shared fields depend on. */
type Surroundings = { readonly subsite: SubsiteDocument; readonly author: string; readonly flair: Flair | undefined }

const isSameSubsite = (a: SubsiteDocument, b: SubsiteDocument): boolean =>
  a === b || (a.name === b.name && isDeepStrictEqual(a.settings, b.settings))

export const hasSameSurroundings = (a: Surroundings, b: Surroundings): boolean =>
  a.author === b.author &&
  (a.flair === b.flair || (a.flair?.text === b.flair?.text && a.flair?.css === b.flair?.css)) &&
  isSameSubsite(a.subsite, b.subsite)

/** A moment as JSON has it everywhere: whole seconds, written with a fraction, since clients in stricter languages read a float. */
export const epoch = (milliseconds: number): object => JSON.rawJSON(`${Math.floor(milliseconds / 1000)}.0`)

/** The time at which a record was made, under both its names. */
export const createdFields = <Shown>(
  madeAt: (shown: Shown) => number,
): Readonly<Record<'created' | 'created_utc', shape.RecordField<Shown>>> => ({
  created: [shape.epoch, (shown) => epoch(madeAt(shown))],
  created_utc: [shape.epoch, (shown) => epoch(madeAt(shown))],
})

/** A value of the past that other streams than the thing's own made, such as votes: it is not shown. */
export const notKnownInPast: shape.RecordField<unknown> = [shape.nullSchema, () => null]
