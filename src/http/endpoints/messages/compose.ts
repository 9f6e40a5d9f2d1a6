import * as E from 'fp-ts/lib/Either.js'
import { isBlocking } from '../../../commands/blocks.ts'
import type { AccountId, SubsiteId } from '../../../domain/ids.ts'
import { Message } from '../../../domain/message.ts'
import { checkWords, type MessageAddress, sendMessage } from '../../../domain/message-sending.ts'
import { MuteAndBlock } from '../../../domain/mutes-and-blocks.ts'
import { bareSubsite } from '../../../domain/names.ts'
import { foldLine, limits } from '../../../domain/text-limits.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { addAliases, describeParam, documentRequired, markdown, rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { guardByCaptcha } from '../../needs/captcha.ts'
import { accountCalled, subsiteCalled } from '../../needs/facts.ts'
import { actForSubsite, asSender } from '../../things/message-sending.ts'

const { post } = section('Private messages', { scope: 'privatemessages', login: 'user', errors: 'silent' })

type Recipient = { readonly to: AccountId } | { readonly toSubsite: SubsiteId }

/** Returns the recipient: `name`, or the moderators of a subsite as `/s/name` or `#name`. */
const recipientMeant: Need<Recipient, { readonly to: string }> = async (context) => {
  const to = context.params.to.trim()
  const subsite = /^(?:#|\/?[sr]\/)(.*?)\/?$/s.exec(to)?.[1]
  if (subsite !== undefined) return E.map((toSubsite: SubsiteId) => ({ toSubsite }))(await subsiteCalled(context, subsite, 'to'))
  if (!/^[A-Za-z0-9_-]+$/.test(to)) return refuseRule('NO_USER', 'to')
  const account = await accountCalled(context, to, 'to')
  if (E.isLeft(account)) return account
  return (await isBlocking(context, context.viewer.account, account.right))
    ? refuseRule('USER_BLOCKED', 'to')
    : E.right({ to: account.right })
}

type Words = Parameters<typeof checkWords>[0]

const wordsSaid: Need<Words, { readonly subject: string; readonly text: string }> = ({ params: { subject, text } }) => {
  const words = { subject: foldLine(subject), body: text }
  const unfit = checkWords(words)
  return unfit ? E.left(unfit) : E.right(words)
}

/** Returns the subsite in whose name a message is sent; null for the viewer's own name. */
const nameGiven: Need<SubsiteId | null, { readonly from_sr: string }> = async (context) => {
  const name = bareSubsite(context.params.from_sr)
  return name === '' ? E.right(null) : subsiteCalled(context, name, 'from_sr')
}

const compose = post('/api/compose', {
  errors: 'form',
  accountQuota: 'compose',
  summary: 'Send a private message, to an account or to the moderators of a subsite.',
  notes: 'With `from_sr` it is sent in the name of a subsite, which needs the permission `mail` there.',
  params: {
    to: describeParam(documentRequired(rawText()), 'a username, or `/s/name` or `#name` for the moderators of a subsite'),
    subject: describeParam(documentRequired(rawText({ max: limits.subject })), 'a line of text'),
    text: markdown(limits.message, describeParam(documentRequired(addAliases(rawText({ max: limits.message }), 'message')), 'markdown')),
    from_sr: describeParam(rawText(), 'the subsite in whose name it is sent'),
  },
  needs: { recipient: recipientMeant, words: wordsSaid, from: nameGiven },
  handle: async (context) => {
    const { recipient, words, from, run, load } = context
    const concerned = 'toSubsite' in recipient ? recipient.toSubsite : from
    const address: MessageAddress = { ...recipient, from }
    const sender = await asSender(context, concerned, 'to' in recipient ? [recipient.to] : [])
    if (from !== null) actForSubsite(context, sender)
    const recipientBlocksSubsite =
      'to' in address && from !== null && ((await load(MuteAndBlock, `${address.to}.${from}`))?.blocked ?? false)
    return run(Message, sender.message, sendMessage({ ...sender, recipientBlocksSubsite }, address, words))
  },
})

export const composeMessage: AnyEndpoint = guardByCaptcha(compose, { after: ['recipient', 'words'] })
