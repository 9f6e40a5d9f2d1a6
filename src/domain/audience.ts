// Decision 95.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents } from './decision.ts'
import { event, field, type OneOf, optional } from './event.ts'
import { SubsiteId } from './ids.ts'
import type { SubsiteSettings } from './subsite-settings.ts'

/**
 * The accounts in whose listings of several subsites the things of a subsite appear: `everybody`, accounts with `gold`, the `staff`, or the
 * members of a private subsite, named by its id. With `-aside`, rankings of all subsites leave the things out.
 */
export type Audience = string

const classes: Readonly<Partial<Record<SubsiteSettings['type'], string>>> = { gold_only: 'gold', employees_only: 'staff' }

const aside = (name: string): string => `${name}-aside`

export const audienceOf = (subsite: SubsiteId, { type, allow_top }: Pick<SubsiteSettings, 'type' | 'allow_top'>): Audience => {
  const name = type === 'private' ? subsite : (classes[type] ?? 'everybody')
  return allow_top ? name : aside(name)
}

/** Returns the audiences with these names. If `ranked`, without those that rankings of all subsites leave out. */
export const audiencesNamed = (names: readonly string[], ranked: boolean): readonly Audience[] =>
  names.flatMap((name) => (ranked ? [name] : [name, aside(name)]))

/** Returns all audiences that things of a subsite can have. */
export const possibleAudiences = (subsite: SubsiteId): readonly Audience[] =>
  audiencesNamed(['everybody', ...Object.values(classes), subsite], false)

/** Returns the audience as an event of a new thing records it. */
export const toRecordedAudience = (audience: Audience): { readonly audience?: Audience } => (audience === 'everybody' ? {} : { audience })

/** Returns the audience that an event records. */
export const audienceIn = ({ audience = 'everybody' }: { readonly audience?: Audience }): Audience => audience

/** The field of an event that makes a new thing. */
export const audience = field(
  optional(t.string),
  'In whose listings of several subsites it stands; absent: in those of everybody.',
  'admins',
)

const names = t.readonlyArray(t.string)
export const AudienceApplied = event(
  'AudienceApplied',
  'The service put things of a subsite into other listings of several subsites, since the subsite changed its type or `allow_top`, or they were made meanwhile.',
  {
    subsite: field(SubsiteId, 'The subsite.', 'admins'),
    audience: field(
      t.string,
      'In whose listings they stand now: `everybody`, `gold`, `staff` or a private subsite; with `-aside`: not in rankings.',
      'admins',
    ),
    change: field(t.number, 'The revision of the stream of the subsite at which the setting stands that makes it.', 'admins'),
    things: field(names, 'Links and comments. The first event of a change names none.', 'admins'),
    entries: field(names, 'Entries of inboxes.', 'admins'),
  },
  { by: 'admins' },
)
export const audienceEvents = [AudienceApplied] as const
export type AudienceEvent = OneOf<typeof audienceEvents>

/** Some of the things and inbox entries that an event moves to another audience. */
export type MisplacedThings = Pick<ReturnType<typeof AudienceApplied>['data'], 'things' | 'entries'>

/** The latest change of a subsite's audience. */
export type AudienceChange = { readonly subsite: SubsiteId; readonly change: number }

export const AudienceChange: Aggregate<AudienceChange, AudienceEvent> = {
  category: 'audience',
  subsiteOf: (id) => id,
  on: { AudienceApplied: (_, { subsite, change }) => ({ subsite, change }) },
}

/** Records an applied change and refuses nothing. A change that a later one has replaced goes no further. */
export const applyAudience =
  (applied: ReturnType<typeof AudienceApplied>['data']): Decide<AudienceChange, AudienceEvent> =>
  (state) =>
    state && state.change > applied.change ? noEvents : decideEvents(AudienceApplied(applied))
