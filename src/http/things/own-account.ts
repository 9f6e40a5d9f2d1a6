import { holds, type Permission } from '../../domain/moderators.ts'
import { accountsById } from '../../queries/accounts.ts'
import { karmaOf } from '../../queries/karma.ts'
import { withLogFallback } from '../../queries/log-fallback.ts'
import { hasUnreadModmail } from '../../queries/messages.ts'
import { countWaiting } from '../../queries/mod-queues.ts'
import { relationsOf } from '../../queries/relations.ts'
import { type Context, isSignedIn } from '../contract/endpoint.ts'
import type { Viewer } from '../contract/request.ts'
import { ownAccount } from '../present/account.ts'
import { isViewerSuspended } from './access.ts'
import { unreadMail } from './inbox.ts'

const mayReadMail = ({ scopes: granted }: Viewer) => granted === undefined || granted === 'all' || granted.has('privatemessages')

/** Returns the viewer's own account; undefined for anonymous viewers and tokens without a user. */
export const ownRecord = async (context: Context): Promise<object | undefined> => {
  if (!isSignedIn(context)) return undefined
  const { documents, viewer, readStream } = context
  const { account: id, admin, within } = viewer
  // a new account exists before it is projected
  const account = (await accountsById(withLogFallback(documents, readStream), [id])).get(id)
  if (!account) return undefined
  const [moderated, unread, karma] = await Promise.all([
    relationsOf(documents, id, 'moderator'),
    unreadMail(context),
    karmaOf(documents, id),
  ])
  // a suspended moderator sees neither mail nor queues
  const active = moderated.length > 0 && (await isViewerSuspended(context)) ? [] : moderated
  const moderatesWith = (permission: Permission) =>
    active.flatMap(({ subsite, permissions }) => (holds(permissions, permission) && (within?.has(subsite) ?? true) ? [subsite] : []))
  const [unreadModmail, queued] = await Promise.all([
    hasUnreadModmail(documents, moderatesWith('mail'), id),
    countWaiting(documents, moderatesWith('posts')),
  ])
  return ownAccount({
    account,
    karma,
    isMod: moderated.length > 0,
    clock: context.clock,
    preferences: await context.preferences(),
    toAdmin: admin,
    unread,
    unreadModmail,
    queued,
    mailVisible: mayReadMail(viewer),
    now: context.clock(),
  })
}
