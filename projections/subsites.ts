import { fold } from '../src/domain/decision.ts'
import type { Logged } from '../src/domain/events.ts'
import { numberOf } from '../src/domain/ids.ts'
import type { Image } from '../src/domain/images.ts'
import { type Rule, SubsiteRules } from '../src/domain/rules.ts'
import { stranger } from '../src/domain/standing.ts'
import { Subsite, SubsiteName } from '../src/domain/subsite.ts'
import { mayView } from '../src/domain/subsite-access.ts'
import type { SubsiteSettings } from '../src/domain/subsite-settings.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument } from './engine/projection.ts'

type IndexedSettings = {
  readonly title: string
  readonly public_description: string
  /** Sidebar and header title, for the search; empty for subsites that not everybody may view. */
  readonly sidebar: string
  readonly headerTitle: string
  readonly type: SubsiteSettings['type']
  readonly allowTop: boolean
  readonly over18: boolean
}

export type SubsiteDocument = Document &
  IndexedSettings & {
    readonly seq: number
    readonly name: string
    /** The name in lower case. */
    readonly lower: string
    readonly creator: string
    readonly created: number
    readonly settings: SubsiteSettings
    readonly subscribers: number
    readonly header: Image | null
    readonly icon: Image | null
    readonly banner: Image | null
    /** The subsite's rules, by priority. */
    readonly rules: readonly Rule[]
  }

export const subsites = collection<SubsiteDocument>({
  name: 'subsites',
  version: 4,
  unique: { seq: [] },
  indexes: [
    { fields: ['lower', 'id'] },
    { fields: ['-subscribers', '-seq'] },
    { fields: ['-seq'] },
    { fields: ['allowTop', '-subscribers', '-seq'] },
    { fields: ['type', '-subscribers', '-seq'] },
    { fields: ['type', 'allowTop', 'over18', '-subscribers', '-seq'] },
  ],
  search: {
    text: ['name', 'title', 'public_description', 'sidebar', 'headerTitle'],
    filters: ['type', 'allowTop', 'over18'],
    orders: { new: ['-seq'], top: ['-subscribers', '-seq'] },
  },
})

/** Returns the fields for the settings that searches, filters and lists use. */
const flattenSettings = (settings: SubsiteSettings): IndexedSettings => ({
  sidebar: mayView(settings.type, stranger) ? settings.description : '',
  headerTitle: mayView(settings.type, stranger) ? settings.header_title : '',
  title: settings.title,
  public_description: settings.public_description,
  type: settings.type,
  allowTop: settings.allow_top,
  over18: settings.over_18,
})

const changeRules =
  (event: Logged<'RuleCreated' | 'RuleEdited' | 'RuleDeleted' | 'RulesReordered'>) =>
  (subsite: SubsiteDocument): SubsiteDocument => ({ ...subsite, rules: fold(SubsiteRules, subsite.rules, [event]) ?? [] })
const addSubscribers = (by: number) => (subsite: SubsiteDocument) => ({ ...subsite, subscribers: subsite.subscribers + by })

export const subsitesProjection: Projection<SubsiteDocument> = {
  collection: subsites,
  follows: [Subsite, SubsiteName],
  on: {
    SubsiteCreated: ({ data: { subsite, name, creator, settings }, at }) => [
      putDocument<SubsiteDocument>({
        id: subsite,
        seq: numberOf(subsite),
        name,
        lower: name.toLowerCase(),
        creator,
        created: at,
        settings,
        ...flattenSettings(settings),
        subscribers: 0,
        header: null,
        icon: null,
        banner: null,
        rules: [],
      }),
    ],
    SubsiteSettingChanged: ({ data }) => [
      change(data.subsite, (subsite) => {
        const settings = { ...subsite.settings, [data.setting]: data.after }
        return { ...subsite, settings, ...flattenSettings(settings) }
      }),
    ],
    ImageUploaded: ({ data: { subsite, use, hash, format, width, height } }) =>
      use === 'img' ? [] : [change(subsite, (before) => ({ ...before, [use]: { hash, format, width, height } }))],
    ImageDeleted: ({ data: { subsite, use } }) => (use === 'img' ? [] : [change(subsite, (before) => ({ ...before, [use]: null }))]),
    ImageErased: ({ data: { subsite, images } }) =>
      images.flatMap(({ use }) => (use === 'img' ? [] : [change<SubsiteDocument>(subsite, (before) => ({ ...before, [use]: null }))])),
    RuleCreated: (event) => [change(event.data.subsite, changeRules(event))],
    RuleEdited: (event) => [change(event.data.subsite, changeRules(event))],
    RuleDeleted: (event) => [change(event.data.subsite, changeRules(event))],
    RulesReordered: (event) => [change(event.data.subsite, changeRules(event))],
    Subscribed: ({ data }) => [change(data.subsite, addSubscribers(1))],
    Unsubscribed: ({ data }) => [change(data.subsite, addSubscribers(-1))],
  },
}
