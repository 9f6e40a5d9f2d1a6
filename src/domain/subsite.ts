import * as t from 'io-ts'
import type { Aggregate } from './decision.ts'
import { type EventOf, event } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'
import { Settings, type SubsiteSettings, settingCodecs } from './subsite-settings.ts'

const Setting = t.keyof(settingCodecs)
const SettingValue = t.union([t.string, t.number, t.boolean])

/** On `subsitename-<lower case>`: the claim carries the whole creation; the rest follows from it with ids derived from it. */
export const SubsiteNameClaimed = event('SubsiteNameClaimed', {
  subsite: SubsiteId,
  name: t.string,
  creator: AccountId,
  settings: Settings,
})
export type SubsiteNameEvent = EventOf<typeof SubsiteNameClaimed>

export type SubsiteName = { readonly subsite: SubsiteId; readonly name: string; readonly creator: AccountId }

export const SubsiteName: Aggregate<SubsiteName, SubsiteNameEvent> = {
  category: 'subsitename',
  on: { SubsiteNameClaimed: (_, { subsite, name, creator }) => ({ subsite, name, creator }) },
}

export const SubsiteCreated = event('SubsiteCreated', { subsite: SubsiteId, name: t.string, creator: AccountId, settings: Settings })
/** One event for each setting that changed, all of one edit in one append. */
export const SubsiteSettingChanged = event('SubsiteSettingChanged', {
  subsite: SubsiteId,
  setting: Setting,
  before: SettingValue,
  after: SettingValue,
})
export type SubsiteEvent = EventOf<typeof SubsiteCreated> | EventOf<typeof SubsiteSettingChanged>

export type Subsite = { readonly id: SubsiteId; readonly name: string; readonly creator: AccountId; readonly settings: SubsiteSettings }

export const Subsite: Aggregate<Subsite, SubsiteEvent> = {
  category: 'subsite',
  on: {
    SubsiteCreated: (_, { subsite, name, creator, settings }) => ({ id: subsite, name, creator, settings }),
    SubsiteSettingChanged: (state, { setting, after }) => state && { ...state, settings: { ...state.settings, [setting]: after } },
  },
}
