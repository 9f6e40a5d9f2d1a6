import type { Actor } from '../../domain/event.ts'
import { type Entry, short } from '../ledger.ts'
import { hostOfUrl, keyOfUrl, ranksOf, spansOf } from './ranks.ts'
import { amendKnown, type Note, put, type Rules, serialOf } from './rule.ts'
import { bookOf, leads, ownVote, type Thing, vote } from './votes.ts'

// Links and comments; their votes are in votes.ts.

type LinkRow = Thing & { readonly comments: number; readonly stickyComment?: string }
type CommentRow = Thing & { readonly link: string }
/** The audience of a thing where its event says nothing. */
const EVERYBODY = 'everybody'

/** A thing that its subsite's spam settings hold back is removed from the beginning. */
const created = (filtered: boolean, at: number) => ({
  removed: filtered ? { by: null, auto: true, spam: true, at } : null,
  approved: null,
  deleted: false,
  listed: !filtered,
})

/** What its author deleted; the text goes with it. */
const gone = { deleted: true, listed: false }

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
