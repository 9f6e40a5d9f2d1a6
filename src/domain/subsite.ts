// Decision 29.

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, readBy, sealedText } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'
import { checkSettings, Settings, type SettingsAuthor, type SubsiteSettings, settingCodecs, settingNames } from './subsite-settings.ts'

const Setting = t.keyof(settingCodecs)
const SettingValue = t.union([t.string, t.number, t.boolean])

const creation = {
  subsite: field(SubsiteId, 'The new subsite.', 'public'),
  name: field(t.string, 'Its name, as it was typed; no other subsite has it in any case.', 'public'),
  creator: field(AccountId, 'Who made it.', 'public'),
  settings: field(Settings, 'All its settings.', 'public'),
}
/** Appended to `subsitename-<lower case>`. The claim carries the whole creation; the rest follows from it, with ids derived from it. */
export const SubsiteNameClaimed = event(
  'SubsiteNameClaimed',
  'An account took a name for a new subsite, for good. Everything else about the subsite follows from it.',
  readBy('admins', creation),
  { by: 'admins' },
)
export const subsiteNameEvents = [SubsiteNameClaimed] as const
export type SubsiteNameEvent = OneOf<typeof subsiteNameEvents>

export type SubsiteName = { readonly subsite: SubsiteId; readonly name: string; readonly creator: AccountId }

export const SubsiteName: Aggregate<SubsiteName, SubsiteNameEvent> = {
  category: 'subsitename',
  decidedByFirst: true,
  subsiteOf: (_, claim) => claim?.subsite ?? null,
  on: { SubsiteNameClaimed: (_, { subsite, name, creator }) => ({ subsite, name, creator }) },
}

export const SubsiteCreated = event('SubsiteCreated', 'A subsite exists from now on.', creation, { by: 'public' })
export const SubsiteSettingChanged = event(
  'SubsiteSettingChanged',
  'A moderator changed one setting of a subsite; of several that were changed together each has an event.',
  {
    subsite: field(SubsiteId, 'The subsite.', 'public'),
    setting: field(Setting, 'Its name.', 'public'),
    before: field(SettingValue, 'Its value before.', 'subsite'),
    after: field(
      SettingValue,
      'Its value now. A type that closes the subsite to the public, or opens it, is read by everybody.',
      'subsite',
      {
        sometimesPublic: true,
      },
    ),
    reason: field(optional(sealedText('@by')), 'Why, if the setting was changed on its page of the wiki.', 'public'),
  },
  { by: 'public' },
)
export const subsiteEvents = [SubsiteCreated, SubsiteSettingChanged] as const
export type SubsiteEvent = OneOf<typeof subsiteEvents>

export type Subsite = { readonly id: SubsiteId; readonly name: string; readonly creator: AccountId; readonly settings: SubsiteSettings }

export const Subsite: Aggregate<Subsite, SubsiteEvent> = {
  category: 'subsite',
  subsiteOf: (id) => id,
  on: {
    SubsiteCreated: (_, { subsite, name, creator, settings }) => ({ id: subsite, name, creator, settings }),
    SubsiteSettingChanged: (state, { setting, after }) => state && { ...state, settings: { ...state.settings, [setting]: after } },
  },
}

type Creation = { readonly subsite: SubsiteId; readonly name: string; readonly creator: AccountId; readonly settings: SubsiteSettings }

/** Claims a name. The same creation may claim it again, which changes nothing. */
export const claimSubsiteName =
  (creation: Creation): Decide<SubsiteName, SubsiteNameEvent> =>
  (claim) => {
    if (claim) return claim.subsite === creation.subsite ? noEvents : refuse('SUBSITE_EXISTS', 'name')
    return decideEvents(SubsiteNameClaimed(creation))
  }

export const createSubsite =
  (creation: Creation): Decide<Subsite, SubsiteEvent> =>
  (state) =>
    state ? noEvents : decideEvents(SubsiteCreated(creation))

/**
 * Changes settings, with one event, and so one log entry, for each setting that differs, in the order of the settings' table. A setting
 * that is no longer as its author saw it is `CONFLICT`.
 */
export const changeSettings =
  (
    author: SettingsAuthor,
    changes: Partial<SubsiteSettings>,
    { reason = '', seen = {} }: { readonly reason?: string; readonly seen?: Partial<SubsiteSettings> } = {},
  ): Decide<Subsite, SubsiteEvent> =>
  (subsite) => {
    if (!subsite) return refuse('SUBSITE_NOEXIST', 'sr')
    const refused = checkSettings(author, changes, subsite.settings)
    if (refused) return E.left(refused)
    const before = subsite.settings
    const conflicting = settingNames.find(
      (name) => name in changes && name in seen && before[name] !== seen[name] && before[name] !== changes[name],
    )
    if (conflicting) return refuse('CONFLICT', conflicting)
    return decideEvents(
      ...settingNames.flatMap((setting) => {
        const after = changes[setting]
        if (after === undefined || after === before[setting]) return []
        return [SubsiteSettingChanged({ subsite: subsite.id, setting, before: before[setting], after, ...(reason !== '' && { reason }) })]
      }),
    )
  }
