import * as array from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { moderates } from '../../../commands/standings.ts'
import type { MessageId } from '../../../domain/ids.ts'
import { collapseMessage, deleteMessage, Message } from '../../../domain/message.ts'
import { actAs } from '../../../runtime/command.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { fullname, fullnames } from '../../contract/name-params.ts'
import { describeParam } from '../../contract/params.ts'
import { isViewerSuspended } from '../../things/access.ts'

// Collapsing messages, and deleting them from the inbox.

const { post } = section('Private messages', { scope: 'any', login: 'user', errors: 'silent', whileSuspended: true })

const MAX_COLLAPSED_MESSAGES = 25

type Collapsible = { readonly id: MessageId; readonly moderator: boolean; readonly isOwn: boolean }

/**
 * Returns the messages with the viewer's part in each; suspended moderators have none. Fullnames of messages that do not exist change
 * nothing.
 */
const collapsible: Need<readonly Collapsible[], { readonly id: readonly MessageId[] }> = async (context) => {
  const { params, viewer, load } = context
  const { account } = viewer
  const acts = !(await isViewerSuspended(context))
  const messages: Collapsible[] = []
  for (const id of params.id) {
    const message = await load(Message, id)
    const subsite = message?.subsite ?? null
    const moderator = acts && subsite !== null && (await moderates(context, { subsite, account }))
    messages.push({ id, moderator, isOwn: message?.to === account || message?.author === account })
  }
  return E.right(messages)
}

const collapseEndpoint = (path: string, summary: string, collapsed: boolean) =>
  post(path, {
    accountQuota: 'collapse',
    summary,
    notes:
      'Author and recipient set this separately; for mail to moderators all of them share one setting. Shown as `is_collapsed` once the message is read. Fullnames that are not messages to or from you, or do not exist, are ignored.',
    params: {
      id: describeParam(
        fullnames({ kinds: ['message'], max: MAX_COLLAPSED_MESSAGES }),
        `fullnames of messages, at most ${MAX_COLLAPSED_MESSAGES}`,
      ),
    },
    needs: { messages: collapsible },
    handle: async ({ messages, viewer: { account }, run, command }) => {
      const outcomes = []
      for (const { id, moderator, isOwn } of messages) {
        const as = moderator && !isOwn ? actAs(command, 'moderator') : command
        outcomes.push(await run(Message, id, collapseMessage({ account, moderator }, collapsed), as))
      }
      return array.sequence(E.Applicative)(outcomes)
    },
  })

const deleteOwn = post('/api/del_msg', {
  scope: 'privatemessages',
  summary: 'Delete a message from your inbox.',
  notes: 'Its sender and the moderators keep it. A message to another account is ignored.',
  params: { id: describeParam(fullname('message'), 'fullname of a message') },
  handle: ({ params, viewer, run }) => run(Message, params.id, deleteMessage(viewer.account)),
})

export const collapseAndDeleteEndpoints: readonly AnyEndpoint[] = [
  collapseEndpoint('/api/collapse_message', 'Show messages collapsed.', true),
  collapseEndpoint('/api/uncollapse_message', 'Show messages in full again.', false),
  deleteOwn,
]
