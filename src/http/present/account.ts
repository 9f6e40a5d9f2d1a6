import type { AccountDocument } from '../../../projections/accounts.ts'
import { id36 } from '../../domain/ids.ts'
import { epoch } from './epoch.ts'

const LEAST_LINK_KARMA = 1
const LEAST_COMMENT_KARMA = -100

type Open = {
  readonly isMod: boolean
  /** Whether an admin reads it, who is shown karma below the floors. */
  readonly toAdmin: boolean
}

/** What everybody may know of an account. There is no gold to have and no e-mail address is ever verified. */
const open = ({ id, name, created, linkKarma, commentKarma }: AccountDocument, { isMod, toAdmin }: Open) => ({
  id: id36(id),
  name,
  created: epoch(created),
  created_utc: epoch(created),
  link_karma: toAdmin ? linkKarma : Math.max(LEAST_LINK_KARMA, linkKarma),
  comment_karma: toAdmin ? commentKarma : Math.max(LEAST_COMMENT_KARMA, commentKarma),
  is_gold: false,
  is_mod: isMod,
  has_verified_email: false,
  hide_from_robots: false,
  is_suspended: false,
})

export type Own = {
  readonly isMod: boolean
  readonly admin: boolean
  /** How many entries of the inbox are unread. */
  readonly unread: number
  /** Whether mail to moderators waits to be read. */
  readonly unreadModmail: boolean
  /** How many things wait for a decision where the account moderates. */
  readonly queued: number
  /** False for a token that may not read messages. */
  readonly mailVisible: boolean
}

/** One's own account. */
export const ownAccount = (account: AccountDocument, { isMod, admin, unread, unreadModmail, queued, mailVisible }: Own) => ({
  ...open(account, { isMod, toAdmin: admin }),
  suspension_expiration_utc: null,
  over_18: false,
  gold_csites: 0,
  gold_expiration: null,
  inbox_count: unread,
  mod_queue_count: queued,
  ...(mailVisible && { has_mail: unread > 0, has_mod_mail: unreadModmail }),
  is_employee: admin,
  in_beta: false,
  features: {},
})

/** Another account, or the viewer's own as the public sees it. */
export const publicAccount = (account: AccountDocument, { isFriend, ...how }: Open & { readonly isFriend: boolean }) => ({
  ...open(account, how),
  is_friend: isFriend,
})

export const accountThing = (data: object) => ({ kind: 't2', data })
