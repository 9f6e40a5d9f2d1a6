import { numberOf } from '../src/domain/ids.ts'
import type { SubsiteSettings } from '../src/domain/subsite-settings.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, put } from './engine/projection.ts'

type Flattened = {
  readonly title: string
  readonly public_description: string
  readonly type: SubsiteSettings['type']
  readonly allowTop: boolean
  readonly over18: boolean
}

export type SubsiteDocument = Document &
  Flattened & {
    readonly seq: number
    readonly name: string
    /** The name in lower case. */
    readonly lower: string
    readonly creator: string
    readonly created: number
    readonly settings: SubsiteSettings
    readonly subscribers: number
  }

export const subsites = collection<SubsiteDocument>({
  name: 'subsites',
  version: 1,
  indexes: [
    { fields: ['lower', 'id'] },
    { fields: ['-subscribers', '-seq'] },
    { fields: ['-seq'] },
    { fields: ['allowTop', '-subscribers', '-seq'] },
    { fields: ['type', '-subscribers', '-seq'] },
  ],
  search: {
    text: ['name', 'title', 'public_description'],
    filters: ['type', 'allowTop', 'over18'],
    orders: { new: ['-seq'], top: ['-subscribers', '-seq'] },
  },
})

/** The settings that are searched, filtered and listed by. */
const flattened = (settings: SubsiteSettings): Flattened => ({
  title: settings.title,
  public_description: settings.public_description,
  type: settings.type,
  allowTop: settings.allow_top,
  over18: settings.over_18,
})

const subscribed = (by: number) => (subsite: SubsiteDocument) => ({ ...subsite, subscribers: subsite.subscribers + by })

export const subsitesProjection: Projection<SubsiteDocument> = {
  collection: subsites,
  on: {
    SubsiteCreated: ({ data: { subsite, name, creator, settings }, at }) => [
      put({
        id: subsite,
        seq: numberOf(subsite),
        name,
        lower: name.toLowerCase(),
        creator,
        created: at,
        settings,
        ...flattened(settings),
        subscribers: 0,
      }),
    ],
    SubsiteSettingChanged: ({ data }) => [
      change(data.subsite, (subsite) => {
        const settings = { ...subsite.settings, [data.setting]: data.after }
        return { ...subsite, settings, ...flattened(settings) }
      }),
    ],
    Subscribed: ({ data }) => [change(data.subsite, subscribed(1))],
    Unsubscribed: ({ data }) => [change(data.subsite, subscribed(-1))],
  },
}
