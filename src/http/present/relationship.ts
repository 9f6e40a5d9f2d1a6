import type { ContactDocument } from '../../../projections/friends-and-blocks.ts'
import type { RelationDocument } from '../../../projections/relations.ts'
import { DAY } from '../../domain/time.ts'
import type { Names } from '../../queries/accounts.ts'
import { accountName, username } from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { permissionList } from './subsite.ts'
import { epoch } from './thing.ts'

type RelationView = { readonly account: string; readonly since: number; readonly names: Names }

const row: shape.RecordTable<RelationView> = {
  date: [shape.epoch, ({ since }) => epoch(since)],
  id: [accountName, ({ account }) => account],
  name: [username, ({ account, names }) => names(account)],
}

const friend: shape.RecordTable<RelationView & Pick<ContactDocument, 'note'>> = {
  ...row,
  note: [shape.text('knows his water'), ({ note }) => note],
}
export const friendRowShape = shape.tableShape('Friend', friend)
export const friendRow = (contact: ContactDocument, names: Names) => shape.valuesOf(friend, { ...contact, account: contact.other, names })

export const blockedRow = ({ other, blockedAt }: ContactDocument, names: Names) =>
  shape.valuesOf(row, { account: other, since: blockedAt, names })

const moderator: shape.RecordTable<RelationView & Pick<RelationDocument, 'permissions'>> = {
  ...row,
  mod_permissions: [shape.listOf(shape.text('posts')), ({ permissions }) => permissionList(permissions)],
}
export const moderatorRowShape = shape.tableShape('Moderator', moderator)
export const moderatorRow = (relation: RelationDocument, names: Names) => shape.valuesOf(moderator, { ...relation, names })

export const contributorRowShape = shape.tableShape('Contributor', row)
export const contributorRow = (relation: RelationDocument, names: Names) => shape.valuesOf(row, { ...relation, names })

const banned: shape.RecordTable<RelationView & Pick<RelationDocument, 'note' | 'until'> & { readonly now: number }> = {
  ...row,
  note: [shape.text('spam'), ({ note }) => note],
  // the last of them may have begun
  days_left: [
    shape.orNull(shape.integer(3, 'Days until it ends; null: it does not.')),
    ({ until, now }) => (until === null ? null : Math.ceil((until - now) / DAY)),
  ],
}
export const bannedRowShape = shape.tableShape('BannedAccount', banned)
export const bannedRow = (relation: RelationDocument, names: Names, now: number) => shape.valuesOf(banned, { ...relation, names, now })

export const userListShape = (child: shape.SchemaOrComponent) =>
  shape.recordSchema({ kind: shape.constant('UserList'), data: shape.recordSchema({ children: shape.listOf(child) }) })
export const userList = (children: readonly object[]) => ({ kind: 'UserList', data: { children } })
