import { AccountRegistered } from '../../../src/domain/account.ts'
import { CommentEdited, CommentPosted } from '../../../src/domain/comment.ts'
import { LinkSubmitted } from '../../../src/domain/link.ts'
import { MessageSent } from '../../../src/domain/message.ts'
import { ann, bob, carol, pot, praise, tea } from '../example-history.ts'
import { inNameOf, type LoggedEvent } from '../logged-events.ts'

export const kettle = 't5_kettle'
export const spam = 't5_spam'
export const leaf = 't5_leaf'
export const cup = 't5_cup'
export const late = 't1_late'
export const aside = 't1_aside'
export const root = 't2_root'
export const host = 't2_host'
export const until = Date.UTC(2026, 2, 20)

export const link = (id: string, author: string, more: object) =>
  inNameOf(author)(
    LinkSubmitted({ link: id, subsite: tea, author, title: `About ${id}`, over18: true, sendReplies: false, filtered: false, ...more }),
  )
export const target = (id: string, author: string) => ({ id, author, title: `About ${id}`, excerpt: 'as it was' })
export const words = (id: string, author: string) => ({ id, author, excerpt: 'as it was', link: pot })

export const comment = (id: string, author: string, more: object) =>
  inNameOf(author)(
    CommentPosted({
      comment: id,
      link: pot,
      subsite: tea,
      author,
      linkAuthor: ann,
      parent: null,
      body: `words of ${author}`,
      filtered: false,
      notified: [],
      ...more,
    }),
  )
export const editedComment = (notified: readonly { account: string; reason: 'mention' }[], withdrawn: readonly string[]) =>
  inNameOf(bob)(CommentEdited({ comment: praise, link: pot, subsite: tea, author: bob, body: 'What a pot, /u/Dave!', notified, withdrawn }))
export const message = (id: string, author: string | null, more: object, sender = inNameOf(author)) =>
  sender(
    MessageSent({
      message: id,
      author,
      to: null,
      subsite: tea,
      fromSubsite: false,
      parent: null,
      root: id,
      subject: 'About tea',
      body: 'x'.repeat(100),
      inboxes: [],
      modmail: true,
      distinguished: null,
      ...more,
    }),
  )

export const mod = inNameOf(carol, 'moderator')
export const admin = inNameOf(root, 'admin')
export const pair = (account: string) => ({ subsite: tea, account })

/** Time ended it. */
export const endedByTime = (event: Parameters<typeof admin>[0]): LoggedEvent => ({ ...inNameOf(null)(event), at: until })

export const registeredAccount = (account: string, name: string) => inNameOf(account)(AccountRegistered({ account, name }))
