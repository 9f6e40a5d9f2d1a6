import type { Actor } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import { type Entry, short } from '../ledger.ts'
import { hostOfUrl, keyOfUrl, ranksOf, spansOf, type Tally, worthOf } from './ranks.ts'
import { amend, amendKnown, entry, isLinkName, type Note, put, type Rules, serialOf } from './rule.ts'

// Links, comments, votes and karma.

type Thing = Tally & {
  readonly author: string
  readonly created: number
  readonly deleted: boolean
  readonly removed: object | null
}
type LinkRow = Thing & { readonly comments: number }
type CommentRow = Thing & { readonly link: string }
type Marks = { readonly insightful: boolean; readonly funny: boolean }
type VoteRow = Marks & { readonly first: number }
type Karma = { readonly link: number; readonly comment: number }
type AccountRow = { readonly linkKarma: number; readonly commentKarma: number }

const bookOf = (thing: string): 'links' | 'comments' => (isLinkName(thing) ? 'links' : 'comments')
const kindOf = (thing: string): 'link' | 'comment' => (isLinkName(thing) ? 'link' : 'comment')

/** A thing that its subsite's spam settings hold back is born removed. */
const born = (filtered: boolean, at: number) => ({
  removed: filtered ? { by: null, auto: true, spam: true, at } : null,
  approved: null,
  deleted: false,
  listed: !filtered,
})

/** What its author deleted; the text goes with it. */
const gone = { deleted: true, listed: false }

const marked = (voter: string, thing: string, { insightful, funny }: Marks, first: number) => ({
  id: `${voter}.${thing}`,
  voter,
  thing,
  kind: kindOf(thing),
  insightful,
  funny,
  first,
})

const ownVote = (author: string, thing: string, at: number): Entry =>
  put('votes', marked(author, thing, { insightful: true, funny: false }, at))

type Act = { readonly at: number; readonly by: Actor }

/** `more`: what a comment says of its removal besides. */
const remove = (thing: string, { at, by }: Act, spam: boolean, note: Note, more: object = {}): Entry =>
  amendKnown<Thing>(bookOf(thing), thing, note, (row) => ({
    ...row,
    ...more,
    removed: { by: by.as === 'admin' ? null : by.account, auto: false, spam, at },
    approved: null,
    listed: false,
  }))

const approve = (thing: string, { at, by }: Act, note: Note, more: object = {}): Entry =>
  amendKnown<Thing>(bookOf(thing), thing, note, (row) => ({
    ...row,
    ...more,
    removed: null,
    approved: { by: by.account, at },
    listed: !row.deleted,
  }))

const isSame = (a: Marks, b: Marks): boolean => a.insightful === b.insightful && a.funny === b.funny
const gained = (before: boolean, after: boolean): number => (before === after ? 0 : after ? 1 : -1)
const said = ({ insightful, funny }: Marks): string => `insightful ${insightful}, funny ${funny}`

/** Counted from what the ledger knows that the voter held before, not from what the event claims of that. */
const vote = ({ data, at }: Logged<'VoteCast'>, note: Note): readonly Entry[] => {
  const { thing, voter, author, subsite, before, after } = data
  let tally: Tally = { ups: 0, downs: 0 }
  const kind = kindOf(thing)
  const earned = () => worthOf(tally)
  if (data.karma !== (voter !== author)) note(`its karma is ${data.karma}, though the voter is ${voter === author ? '' : 'not '}the author`)
  const counted = [
    entry<VoteRow>('votes', `${voter}.${thing}`, (held) => {
      const had = held ?? { insightful: false, funny: false }
      if (!isSame(had, before)) note(`it records ${said(before)} as the previous vote; earlier events make it ${said(had)}`)
      tally = { ups: gained(had.insightful, after.insightful), downs: gained(had.funny, after.funny) }
      return marked(voter, thing, after, held?.first ?? at)
    }),
    amendKnown<Thing>(bookOf(thing), thing, note, (row) => {
      if (row.author !== author) note(`it names ${author} as the author of ${thing}, who is ${row.author}`)
      return { ...row, ...ranksOf({ ups: row.ups + tally.ups, downs: row.downs + tally.downs }, row.created) }
    }),
  ]
  if (voter === author) return counted
  return [
    ...counted,
    amend<AccountRow>('accounts', author, (account) =>
      kind === 'link'
        ? { ...account, linkKarma: account.linkKarma + earned() }
        : { ...account, commentKarma: account.commentKarma + earned() },
    ),
    entry<Karma>('karma', `${author}.${subsite}`, (karma = { link: 0, comment: 0 }) => ({
      id: `${author}.${subsite}`,
      account: author,
      subsite,
      ...karma,
      [kind]: karma[kind] + earned(),
    })),
  ]
}

export const thingRules: Rules = {
  AccountRegistered: ({ data: { account, name }, at }) => [
    put('accounts', { id: account, name, lower: name.toLowerCase(), created: at, linkKarma: 0, commentKarma: 0 }),
  ],
  LinkSubmitted: ({ data, at }) => {
    const { link: id, subsite, author, title, url, text = '', over18, sendReplies, filtered } = data
    const isSelf = url === undefined
    const address = isSelf
      ? { url: null, urlKey: null, domain: '' }
      : { url: short(url), urlKey: short(keyOfUrl(url)), domain: short(hostOfUrl(url)) }
    return [
      put('links', {
        ...{ id, seq: serialOf(id), subsite, author, title: short(title), ...address, isSelf, text: short(text), over18, created: at },
        ...{ edited: null, ...ranksOf({ ups: 1, downs: 0 }, at), comments: 0, locked: false, sendReplies, slot: null, distinguished: null },
        ...{ ...born(filtered, at), ...spansOf(at) },
      }),
      ownVote(author, id, at),
    ]
  },
  LinkEdited: ({ data, at }, note) => [
    amendKnown<LinkRow>('links', data.link, note, (link) => ({ ...link, text: short(data.text), edited: at })),
  ],
  LinkDeleted: ({ data }, note) => [amendKnown<LinkRow>('links', data.link, note, (link) => ({ ...link, ...gone, text: '' }))],
  LinkRemoved: (event, note) => [remove(event.data.target.id, event, event.data.spam, note)],
  LinkApproved: (event, note) => [approve(event.data.target.id, event, note)],
  LinkLocked: ({ data }, note) => [amendKnown('links', data.target.id, note, (link) => ({ ...link, locked: true }))],
  LinkUnlocked: ({ data }, note) => [amendKnown('links', data.target.id, note, (link) => ({ ...link, locked: false }))],
  LinkDistinguished: ({ data: { target, after } }, note) => [
    amendKnown('links', target.id, note, (link) => ({ ...link, distinguished: after })),
  ],
  CommentDistinguished: ({ data: { target, after } }, note) => [
    amendKnown('comments', target.id, note, (row) => ({ ...row, distinguished: after })),
  ],
  CommentPosted: ({ data, at }, note) => {
    const { comment: id, link, subsite, author, linkAuthor, parent, body, filtered } = data
    return [
      put('comments', {
        ...{ id, seq: serialOf(id), link, subsite, author, linkAuthor, parent, body: short(body), length: body.length, created: at },
        ...{ edited: null, ...ranksOf({ ups: 1, downs: 0 }, at), ...born(filtered, at), isRemoved: filtered, distinguished: null },
      }),
      ownVote(author, id, at),
      amendKnown<LinkRow>('links', link, note, (row) => {
        if (row.author !== linkAuthor) note(`it names ${linkAuthor} as the author of ${link}, who is ${row.author}`)
        return { ...row, comments: row.comments + 1 }
      }),
      ...(parent === null
        ? []
        : [
            amendKnown<CommentRow>('comments', parent, note, (row) => {
              if (row.link !== link) note(`it replies to ${parent}, which belongs to ${row.link}`)
              return row
            }),
          ]),
    ]
  },
  CommentEdited: ({ data: { comment, body }, at }, note) => [
    amendKnown('comments', comment, note, (row) => ({ ...row, body: short(body), length: body.length, edited: at })),
  ],
  CommentDeleted: ({ data: { comment, link } }, note) => {
    let first = false
    return [
      amendKnown<CommentRow>('comments', comment, note, (row) => {
        first = !row.deleted
        if (!first) note(`${comment} was deleted before`)
        return { ...row, ...gone, body: '', length: 0 }
      }),
      amendKnown<LinkRow>('links', link, note, (row) => (first ? { ...row, comments: row.comments - 1 } : row)),
    ]
  },
  CommentRemoved: (event, note) => [remove(event.data.target.id, event, event.data.spam, note, { isRemoved: true })],
  CommentApproved: (event, note) => [approve(event.data.target.id, event, note, { isRemoved: false })],
  VoteCast: vote,
}
