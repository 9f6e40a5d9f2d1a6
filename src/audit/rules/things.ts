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
type LinkRow = Thing & { readonly comments: number; readonly stickyComment?: string }
type CommentRow = Thing & { readonly link: string }
type Marks = { readonly insightful: boolean; readonly funny: boolean }
type VoteRow = Marks & { readonly first: number }
/** The stickied comment of a link's thread at a revision of that stream. */
type LeadingComment = { readonly comment: string | null }
type Karma = { readonly link: number; readonly comment: number }
type AccountRow = { readonly linkKarma: number; readonly commentKarma: number }

/** The audience of a thing where its event says nothing. */
const EVERYBODY = 'everybody'

const bookOf = (thing: string): 'links' | 'comments' => (isLinkName(thing) ? 'links' : 'comments')
const kindOf = (thing: string): 'link' | 'comment' => (isLinkName(thing) ? 'link' : 'comment')

/** A thing that its subsite's spam settings hold back is removed from the beginning. */
const created = (filtered: boolean, at: number) => ({
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

/** `more`: further fields of a comment's removal. */
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
const marksText = ({ insightful, funny }: Marks): string => `insightful ${insightful}, funny ${funny}`

/** Counted from the voter's earlier votes in the ledger, not from what the event claims about them. */
const vote = ({ data, at, meta }: Logged<'VoteCast'>, note: Note): readonly Entry[] => {
  const { thing, link, voter, author, subsite, before, after } = data
  let tally: Tally = { ups: 0, downs: 0 }
  const kind = kindOf(thing)
  const earned = () => (isKarma ? worthOf(tally) : 0)
  let isKarma = voter !== author
  const seen = meta.seen[`stickycomment-${link}`]
  const judge = (leading?: LeadingComment) => {
    const isStickied = kind === 'comment' && leading?.comment === thing
    if (isStickied) isKarma = false
    const who = `the voter is ${voter === author ? '' : 'not '}the author${isStickied ? ' and the comment stickied' : ''}`
    if (data.karma !== isKarma) note(`its karma is ${data.karma}, though ${who}`)
  }
  const looks = typeof seen === 'number'
  if (!looks) judge()
  const judged = entry<LeadingComment>('audit_leading', `${link}@${seen}`, (leading) => {
    judge(leading)
    return leading
  })
  const counted = [
    ...(looks ? [judged] : []),
    entry<VoteRow>('votes', `${voter}.${thing}`, (held) => {
      const had = held ?? { insightful: false, funny: false }
      if (!isSame(had, before)) note(`it records ${marksText(before)} as the previous vote; earlier events make it ${marksText(had)}`)
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
    entry<Karma>('karma', `${author}.${subsite}`, (row) => {
      const karma = row ?? { link: 0, comment: 0 }
      return isKarma ? { id: `${author}.${subsite}`, account: author, subsite, ...karma, [kind]: karma[kind] + earned() } : row
    }),
  ]
}

const leads = ({ data: { link }, revision }: Logged<'CommentStickied' | 'CommentUnstickied'>, comment: string | null): Entry =>
  put('audit_leading', { id: `${link}@${revision}`, comment })

const accountNow = (id: string, change: object, note: Note): Entry => amendKnown('accounts', id, note, (row) => ({ ...row, ...change }))

const newAccount = { deleted: false, suspended: false, suspendedUntil: null, linkKarma: 0, commentKarma: 0, csites: 0, goldUntil: 0 }

const newPost = { edited: null, distinguished: null, gilded: 0 }

const newLink = { ...newPost, comments: 0, locked: false, slot: null, contestMode: false, suggestedSort: '', flairText: '', flairCss: '' }

export const thingRules: Rules = {
  AccountRegistered: ({ data: { account, name }, at }) => [
    put('accounts', { id: account, name, lower: name.toLowerCase(), created: at, ...newAccount }),
  ],
  AccountDeleted: ({ data }, note) => [accountNow(data.account, { deleted: true }, note)],
  AccountErased: ({ data }, note) => [accountNow(data.account, { deleted: true }, note)],
  AccountSuspended: ({ data }, note) => [accountNow(data.account, { suspended: true, suspendedUntil: data.until }, note)],
  AccountUnsuspended: ({ data }, note) => [accountNow(data.account, { suspended: false, suspendedUntil: null }, note)],
  AccountSuspensionExpired: ({ data }, note) => [accountNow(data.account, { suspended: false, suspendedUntil: null }, note)],
  LinkSubmitted: ({ data, at }) => {
    const { link: id, subsite, author, title, url, text = '', over18, sendReplies, filtered, audience = EVERYBODY } = data
    const isSelf = url === undefined
    const address = isSelf
      ? { url: null, urlKey: null, domain: '' }
      : { url: short(url), urlKey: short(keyOfUrl(url)), domain: short(hostOfUrl(url)) }
    return [
      put('links', {
        audience,
        id,
        seq: serialOf(id),
        subsite,
        author,
        title: short(title),
        ...address,
        isSelf,
        text: short(text),
        over18,
        sendReplies,
        created: at,
        ...newLink,
        ...ranksOf({ ups: 1, downs: 0 }, at),
        ...created(filtered, at),
        ...spansOf(at),
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
  LinkMarkedNsfw: ({ data }, note) => [amendKnown('links', data.target.id, note, (link) => ({ ...link, over18: true }))],
  LinkUnmarkedNsfw: ({ data }, note) => [amendKnown('links', data.target.id, note, (link) => ({ ...link, over18: false }))],
  LinkContestModeSet: ({ data }, note) => [amendKnown('links', data.target.id, note, (link) => ({ ...link, contestMode: true }))],
  LinkContestModeUnset: ({ data }, note) => [amendKnown('links', data.target.id, note, (link) => ({ ...link, contestMode: false }))],
  LinkSortSuggested: ({ data }, note) => [amendKnown('links', data.target.id, note, (link) => ({ ...link, suggestedSort: data.after }))],
  LinkRepliesSet: ({ data }, note) => [amendKnown('links', data.link, note, (link) => ({ ...link, sendReplies: data.after }))],
  CommentStickied: (event, note) => [
    leads(event, event.data.target.id),
    amendKnown<LinkRow>('links', event.data.link, note, (link) => {
      if (link.stickyComment !== undefined) note(`${link.stickyComment} leads the thread already`)
      return { ...link, stickyComment: event.data.target.id }
    }),
  ],
  CommentUnstickied: (event, note) => [
    leads(event, null),
    amendKnown<LinkRow>('links', event.data.link, note, ({ stickyComment, ...link }) => {
      if (stickyComment !== event.data.target.id) note(`${event.data.target.id} does not lead the thread`)
      return link
    }),
  ],
  LinkDistinguished: ({ data: { target, after } }, note) => [
    amendKnown('links', target.id, note, (link) => ({ ...link, distinguished: after })),
  ],
  CommentDistinguished: ({ data: { target, after } }, note) => [
    amendKnown('comments', target.id, note, (row) => ({ ...row, distinguished: after })),
  ],
  CommentPosted: ({ data, at }, note) => {
    const { comment: id, link, subsite, author, linkAuthor, parent, body, filtered, audience = EVERYBODY } = data
    return [
      put('comments', {
        audience,
        id,
        seq: serialOf(id),
        link,
        subsite,
        author,
        linkAuthor,
        parent,
        body: short(body),
        length: body.length,
        created: at,
        ...newPost,
        ...ranksOf({ ups: 1, downs: 0 }, at),
        ...created(filtered, at),
        isRemoved: filtered,
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
