import * as E from 'fp-ts/lib/Either.js'
import type { Flair } from '../../../domain/flair.ts'
import { AccountId, numberOf } from '../../../domain/ids.ts'
import { DELETED_PLACEHOLDER, namesOf } from '../../../queries/accounts.ts'
import { flairIn, flairsIn } from '../../../queries/flairs.ts'
import { type Need, section } from '../../contract/endpoint.ts'
import { describeParam, optional, rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { PageRequest } from '../../contract/request.ts'
import { accountName, username } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { moderatorHere, notSuspended } from '../../needs/facts.ts'
import { accountOfName, isDeleted } from './target.ts'

/** Returns the account number of an anchor; anything but an account is ignored. */
const anchorOf = ({ after, before }: PageRequest) => {
  const toKey = (name: string | undefined) => (AccountId.is(name) ? [numberOf(name)] : undefined)
  const [from, to] = [toKey(after?.toLowerCase()), toKey(before?.toLowerCase())]
  return to ? { before: to } : from ? { after: from } : {}
}

const fields: shape.RecordTable<{ readonly user: string; readonly flair: Flair | undefined }> = {
  user: [username, ({ user }) => user],
  flair_text: [shape.orNull(shape.text('brewer')), ({ flair }) => flair?.text || null],
  flair_css_class: [shape.orNull(shape.text('brewer')), ({ flair }) => flair?.css || null],
}

const row = (user: string, flair: Flair | undefined) => shape.valuesOf(fields, { user, flair })

/** Returns the account whose flair is asked for; undefined if the name is unknown, `all` without a name. A deleted account is refused. */
const onlyAsked: Need<AccountId | undefined | 'all', { readonly name: string | undefined }> = async (context) => {
  const { name } = context.params
  if (name === undefined) return E.right('all')
  const account = await accountOfName(context, name)
  return account !== undefined && (await isDeleted(context, account)) ? refuseRule('FORBIDDEN') : E.right(account)
}

export const flairList = section('Flair').get('[/s/{sub}]/api/flairlist', {
  scope: 'modflair',
  login: 'moderator',
  errors: 'plain',
  listing: { max: 1000 },
  answers: {
    200: shape.recordSchema({
      users: shape.listOf(shape.tableRecord(fields)),
      next: shape.optional(accountName),
      prev: shape.optional(accountName),
    }),
  },
  summary: 'Users with flair in a subsite.',
  notes:
    'For moderators with `flair`, ordered by account number. `after` and `before` are fullnames of accounts, with or without flair. `name` restricts the list to one user, who may have no flair.',
  params: { name: describeParam(optional(rawText()), 'only this user') },
  needs: { act: moderatorHere('flair'), active: notSuspended, only: onlyAsked },
  handle: async ({ act, only, page, documents }) => {
    if (only !== 'all') {
      const users = only === undefined ? [] : [row((await namesOf(documents, [only]))(only), await flairIn(documents, act.subsite, only))]
      return { kind: 'json', body: { users } }
    }
    const anchor = anchorOf(page)
    const found = await flairsIn(documents, act.subsite, { limit: page.limit + 1, ...anchor })
    const isBackwards = 'before' in anchor
    const more = found.length > page.limit
    const shown = isBackwards ? found.slice(-page.limit) : found.slice(0, page.limit)
    const names = await namesOf(
      documents,
      shown.map(({ account }) => account),
    )
    const [first, last] = [shown[0]?.account, shown.at(-1)?.account]
    return {
      kind: 'json',
      body: {
        users: shown.map((flair) => row(names(flair.account), flair)).filter(({ user }) => user !== DELETED_PLACEHOLDER),
        ...(last !== undefined && (isBackwards || more) && { next: last }),
        ...(first !== undefined && (isBackwards ? more : 'after' in anchor) && { prev: first }),
      },
    }
  },
})
