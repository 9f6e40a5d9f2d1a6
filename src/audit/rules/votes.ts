import type { Logged } from '../../domain/events.ts'
import type { Entry } from '../ledger.ts'
import { ranksOf, type Tally, worthOf } from './ranks.ts'
import { amend, amendKnown, entry, isLinkName, type Note, put } from './rule.ts'

// Votes, and the karma that they give.

/** What links and comments have in common. */
export type Thing = Tally & {
  readonly author: string
  readonly created: number
  readonly deleted: boolean
  readonly removed: object | null
}
type Marks = { readonly insightful: boolean; readonly funny: boolean }
type VoteRow = Marks & { readonly first: number }
/** The stickied comment of a link's thread at a revision of that stream. */
type LeadingComment = { readonly comment: string | null }
type Karma = { readonly link: number; readonly comment: number }
type AccountRow = { readonly linkKarma: number; readonly commentKarma: number }

export const bookOf = (thing: string): 'links' | 'comments' => (isLinkName(thing) ? 'links' : 'comments')
const kindOf = (thing: string): 'link' | 'comment' => (isLinkName(thing) ? 'link' : 'comment')

const marked = (voter: string, thing: string, { insightful, funny }: Marks, first: number) => ({
  id: `${voter}.${thing}`,
  voter,
  thing,
  kind: kindOf(thing),
  insightful,
  funny,
  first,
})

/** The vote of the author, which comes with the thing. */
export const ownVote = (author: string, thing: string, at: number): Entry =>
  put('votes', marked(author, thing, { insightful: true, funny: false }, at))

const isSame = (a: Marks, b: Marks): boolean => a.insightful === b.insightful && a.funny === b.funny
const gained = (before: boolean, after: boolean): number => (before === after ? 0 : after ? 1 : -1)
const marksText = ({ insightful, funny }: Marks): string => `insightful ${insightful}, funny ${funny}`

/** Counted from the voter's earlier votes in the ledger, not from what the event claims about them. */
export const vote = ({ data, at, meta }: Logged<'VoteCast'>, note: Note): readonly Entry[] => {
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

/** Whether a comment leads its thread, for the votes that saw it. */
export const leads = ({ data: { link }, revision }: Logged<'CommentStickied' | 'CommentUnstickied'>, comment: string | null): Entry =>
  put('audit_leading', { id: `${link}@${revision}`, comment })
