import type { ContactDocument } from '../../../projections/contacts.ts'
import type { RelationDocument } from '../../../projections/relations.ts'
import type { Names } from '../../queries/accounts.ts'
import { permissionList } from './subsite.ts'
import { epoch } from './thing.ts'

const row = (id: string, since: number, names: Names) => ({ date: epoch(since), id, name: names(id) })

export const friendRow = ({ other, since, note }: ContactDocument, names: Names) => ({ ...row(other, since, names), note })

export const blockedRow = ({ other, blockedAt }: ContactDocument, names: Names) => row(other, blockedAt, names)

export const moderatorRow = ({ account, since, permissions }: RelationDocument, names: Names) => ({
  ...row(account, since, names),
  mod_permissions: permissionList(permissions),
})

export const contributorRow = ({ account, since }: RelationDocument, names: Names) => row(account, since, names)

const DAY_MS = 86_400_000

/** `days_left`: days until it ends, the last of which may have begun; null: it does not. */
export const bannedRow = ({ account, since, note, until }: RelationDocument, names: Names, now: number) => ({
  ...row(account, since, names),
  note,
  days_left: until === null ? null : Math.ceil((until - now) / DAY_MS),
})

export const userList = (children: readonly object[]) => ({ kind: 'UserList', data: { children } })
