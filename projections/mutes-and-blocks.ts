import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/** An account's mute and block of a subsite. The document stays when both are undone. */
export type MuteAndBlockDocument = Document & {
  readonly account: string
  readonly subsite: string
  readonly muted: boolean
  /** 0 when not muted. */
  readonly mutedAt: number
  readonly blocked: boolean
}

export const mutesAndBlocks = collection<MuteAndBlockDocument>({
  name: 'avoidances',
  version: 1,
  indexes: [{ fields: ['account', 'muted', '-mutedAt', '-id'] }],
})

export const muteAndBlockId = (account: string, subsite: string): string => `${account}.${subsite}`

type AccountSubsite = { readonly account: string; readonly subsite: string }

const setFields = ({ account, subsite }: AccountSubsite, fields: Partial<MuteAndBlockDocument>): readonly Touch<MuteAndBlockDocument>[] => {
  const id = muteAndBlockId(account, subsite)
  return [{ id, change: (known = { id, account, subsite, muted: false, mutedAt: 0, blocked: false }) => ({ ...known, ...fields }) }]
}

export const mutesAndBlocksProjection: Projection<MuteAndBlockDocument> = {
  collection: mutesAndBlocks,
  on: {
    SubsiteMuted: ({ data, at }) => setFields(data, { muted: true, mutedAt: at }),
    SubsiteUnmuted: ({ data }) => setFields(data, { muted: false, mutedAt: 0 }),
    SubsiteBlocked: ({ data }) => setFields(data, { blocked: true }),
    SubsiteUnblocked: ({ data }) => setFields(data, { blocked: false }),
  },
}
