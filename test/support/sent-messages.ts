import { ModeratorAdded, Moderators } from '../../src/domain/moderators.ts'
import { NOW, stateAfter } from './specification.ts'

export const untouched = {
  created: NOW,
  unread: false,
  collapsed: { recipient: null, author: null },
  deleted: false,
  erased: false,
} as const
export const subsite = 't4_1'
export const moderators = stateAfter(Moderators, [
  ModeratorAdded({ subsite, account: 't2_mod', permissions: '+all', founder: true }),
  ModeratorAdded({ subsite, account: 't2_flair', permissions: '+flair', founder: false }),
])

export const text = { subject: 'tea', body: 'at five?' }
export const plain = {
  message: 't6_1',
  author: 't2_ann',
  to: 't2_bob',
  subsite: null,
  fromSubsite: false,
  parent: null,
  root: 't6_1',
  ...text,
  inboxes: ['t2_bob'],
  modmail: false,
  distinguished: null,
} as const
export const mail = { ...plain, to: null, subsite, inboxes: [], modmail: true } as const
