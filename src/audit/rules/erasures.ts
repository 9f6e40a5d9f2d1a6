import type { Logged } from '../../domain/events.ts'
import type { Entry } from '../ledger.ts'
import { blankChanges } from './mod-log-changes.ts'
import { hostOfUrl, keyOfUrl } from './ranks.ts'
import { amend, type Rules } from './rule.ts'

// What an erasure deletes in documents, even if the log could still be read. Reports and flair: queues.ts, flair.ts.

/** What stands in place of an erased text. */
const ERASED = '[erased]'

type LinkRow = { readonly isSelf: boolean; readonly deleted: boolean }
type Changes = { readonly changes: Parameters<typeof blankChanges>[0] }
type EntryRow = Changes & { readonly target: null | { readonly title: string | null; readonly excerpt: string | null } }

const blankThing = (id: string): Entry => {
  if (id.startsWith('t6_')) return amend('messages', id, (row) => ({ ...row, subject: ERASED, body: ERASED }))
  if (id.startsWith('t1_'))
    return amend<{ deleted: boolean }>('comments', id, (row) => (row.deleted ? row : { ...row, body: ERASED, length: ERASED.length }))
  return amend<LinkRow>('links', id, (row) => ({
    ...row,
    title: ERASED,
    ...(row.isSelf ? { text: row.deleted ? '' : ERASED } : { url: ERASED, urlKey: keyOfUrl(ERASED), domain: hostOfUrl(ERASED) }),
  }))
}

const blankTarget = (id: string, account: string): Entry =>
  amend<EntryRow>('mod_log', id, (row) => ({
    ...row,
    changes: blankChanges(row.changes, account),
    target: row.target && {
      ...row.target,
      title: row.target.title === null ? null : ERASED,
      excerpt: row.target.excerpt === null ? null : ERASED,
    },
  }))

type Quote = { readonly author: string; readonly text: string }
type QuotingMulti = { readonly quotedName?: Quote; readonly quotedDescription?: Quote }

/** The quotations of an account in a row, blanked. */
const blankQuotes = (row: QuotingMulti, account: string): QuotingMulti =>
  Object.fromEntries(
    (['quotedName', 'quotedDescription'] as const).flatMap((field) =>
      row[field]?.author === account ? [[field, { author: account, text: ERASED }]] : [],
    ),
  )

const blankPlaces = ({ account, places = [] }: Logged<'AccountTextsErased'>['data']): readonly Entry[] =>
  places.flatMap(({ kind, id }): readonly Entry[] => {
    if (kind === 'category') return [amend('shelves', id, (row) => ({ ...row, category: ERASED }))]
    if (kind === 'subject') return [amend('messages', id, (row) => ({ ...row, subject: ERASED }))]
    if (kind === 'body') return [amend('messages', id, (row) => ({ ...row, body: ERASED }))]
    if (kind === 'multi') return [amend<QuotingMulti>('multis', id, (row) => ({ ...row, ...blankQuotes(row, account) }))]
    if (kind === 'note')
      return [amend<{ noteBy: string | null }>('relations', id, (row) => (row.noteBy === account ? { ...row, note: ERASED } : row))]
    if (kind === 'change') return [amend<Changes>('mod_log', id, (row) => ({ ...row, changes: blankChanges(row.changes, account) }))]
    if (kind !== 'entry') return []
    return [
      amend('mod_log', id, (row) => ({ ...row, description: ERASED })),
      amend('wiki_revisions', id, (row) => ({ ...row, reason: ERASED })),
    ]
  })

export const erasureRules: Rules = {
  AccountTextsErased: ({ data }) => [
    ...data.things.map(blankThing),
    ...data.entries.map((id) => blankTarget(id, data.account)),
    ...data.contacts.map((id) => amend<{ friend: boolean }>('contacts', id, (row) => ({ ...row, note: row.friend ? ERASED : '' }))),
    ...data.multis.map((id) => amend('multis', id, (row) => ({ ...row, displayName: ERASED, description: ERASED }))),
    ...blankPlaces(data),
  ],
}
