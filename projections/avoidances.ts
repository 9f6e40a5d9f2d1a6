import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/** What an account has hidden of a subsite; the document stays when all is undone. */
export type AvoidanceDocument = Document & {
  readonly account: string
  readonly subsite: string
  readonly muted: boolean
  /** 0 when not muted. */
  readonly mutedAt: number
  readonly blocked: boolean
}

export const avoidances = collection<AvoidanceDocument>({
  name: 'avoidances',
  version: 1,
  indexes: [{ fields: ['account', 'muted', '-mutedAt', '-id'] }],
})

export const avoidanceId = (account: string, subsite: string): string => `${account}.${subsite}`

type SubsiteAvoidance = { readonly account: string; readonly subsite: string }

const set = ({ account, subsite }: SubsiteAvoidance, fields: Partial<AvoidanceDocument>): readonly Touch<AvoidanceDocument>[] => {
  const id = avoidanceId(account, subsite)
  return [{ id, change: (known = { id, account, subsite, muted: false, mutedAt: 0, blocked: false }) => ({ ...known, ...fields }) }]
}

export const avoidancesProjection: Projection<AvoidanceDocument> = {
  collection: avoidances,
  on: {
    SubsiteMuted: ({ data, at }) => set(data, { muted: true, mutedAt: at }),
    SubsiteUnmuted: ({ data }) => set(data, { muted: false, mutedAt: 0 }),
    SubsiteBlocked: ({ data }) => set(data, { blocked: true }),
    SubsiteUnblocked: ({ data }) => set(data, { blocked: false }),
  },
}
