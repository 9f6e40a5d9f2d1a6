import type { Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import { amendFigures, figuresBook, figuresEntry, putFigures } from './figures.ts'
import { partNumber } from './parts.ts'
import { ranksOf, spansOf, type VoteTally, worthOf } from './ranks.ts'
import { amendKnown, entry, isLinkName, type LedgerRules, type Note, putRow } from './rule.ts'

// Votes, the ranks and the karma that they give, and the number of comments of a link.

type Thing = VoteTally & { readonly author: string; readonly created: number }
type LinkFigures = Thing & { readonly comments: number }
type VoteMarks = { readonly insightful: boolean; readonly funny: boolean }
type VoteRow = VoteMarks & { readonly first: number }
/** The stickied comment of a link's thread at a revision of that stream. */
type LeadingComment = { readonly comment: string | null }
type Karma = { readonly link: number; readonly comment: number }

/** Stands where karma of all subsites is summed. */
const ALL_SUBSITES = ''

const collectionOf = (thing: string): 'links' | 'comments' => (isLinkName(thing) ? 'links' : 'comments')
const kindOf = (thing: string): 'link' | 'comment' => (isLinkName(thing) ? 'link' : 'comment')

const toMarks = (voter: string, thing: string, { insightful, funny }: VoteMarks, first: number) => ({
  voter,
  thing,
  kind: kindOf(thing),
  insightful,
  funny,
  first,
})

/** Returns the vote of the author, which comes with the thing. */
const ownVote = (author: string, thing: string, at: number): LedgerEntry =>
  putFigures('votes', `${author}.${thing}`, toMarks(author, thing, { insightful: true, funny: false }, at))

const newThing = (author: string, created: number) => ({ author, created, gilded: 0, ...ranksOf({ ups: 1, downs: 0 }, created) })

const isSame = (a: VoteMarks, b: VoteMarks): boolean => a.insightful === b.insightful && a.funny === b.funny
const gainOf = (before: boolean, after: boolean): number => (before === after ? 0 : after ? 1 : -1)
const marksText = ({ insightful, funny }: VoteMarks): string => `insightful ${insightful}, funny ${funny}`

/** Counts a vote from the voter's earlier votes in the ledger, not from the event's claims about them. */
const vote = ({ data, at, meta }: Logged<'VoteCast'>, note: Note): readonly LedgerEntry[] => {
  const { thing, link, voter, author, subsite, before, after } = data
  let tally: VoteTally = { ups: 0, downs: 0 }
  const kind = kindOf(thing)
  const toKarma = () => (isKarma ? worthOf(tally) : 0)
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
    figuresEntry<VoteRow>('votes', `${voter}.${thing}`, (row) => {
      const had = row ?? { insightful: false, funny: false }
      if (!isSame(had, before)) note(`it records ${marksText(before)} as the previous vote; earlier events make it ${marksText(had)}`)
      tally = { ups: gainOf(had.insightful, after.insightful), downs: gainOf(had.funny, after.funny) }
      return toMarks(voter, thing, after, row?.first ?? at)
    }),
    amendKnown<Thing>(figuresBook(collectionOf(thing)), thing, note, (row) => {
      if (row.author !== author) note(`it names ${author} as the author of ${thing}, who is ${row.author}`)
      return { ...row, ...ranksOf({ ups: row.ups + tally.ups, downs: row.downs + tally.downs }, row.created) }
    }),
  ]
  if (voter === author) return counted
  return [
    ...counted,
    ...[subsite, ALL_SUBSITES].map((place) =>
      figuresEntry<Karma>('karma', `${author}.${place}#${partNumber(thing)}`, (row) => {
        const karma = row ?? { link: 0, comment: 0 }
        return isKarma ? { account: author, subsite: place, ...karma, [kind]: karma[kind] + toKarma() } : row
      }),
    ),
  ]
}

/** Notes whether a comment leads its thread, for the votes that saw it. */
export const leads = ({ data: { link }, revision }: Logged<'CommentStickied' | 'CommentUnstickied'>, comment: string | null): LedgerEntry =>
  putRow('audit_leading', { id: `${link}@${revision}`, comment })

export const voteRules: LedgerRules = {
  AccountRegistered: ({ data: { account } }) => [putFigures('accounts', account, { csites: 0, goldUntil: 0 })],
  LinkSubmitted: ({ data: { link, author }, at }) => [
    putFigures('links', link, { ...newThing(author, at), ...spansOf(at), comments: 0, slot: null, stickyComment: null }),
    ownVote(author, link, at),
  ],
  CommentPosted: ({ data: { comment, link, author, linkAuthor, parent }, at }, note) => [
    putFigures('comments', comment, { ...newThing(author, at), link, deleted: false }),
    ownVote(author, comment, at),
    amendKnown<LinkFigures>(figuresBook('links'), link, note, (row) => {
      if (row.author !== linkAuthor) note(`it names ${linkAuthor} as the author of ${link}, who is ${row.author}`)
      return { ...row, comments: row.comments + 1 }
    }),
    ...(parent === null
      ? []
      : [
          amendKnown<{ readonly link: string }>(figuresBook('comments'), parent, note, (row) => {
            if (row.link !== link) note(`it replies to ${parent}, which belongs to ${row.link}`)
            return row
          }),
        ]),
  ],
  CommentDeleted: ({ data: { comment, link } }, note) => {
    let isFirst = false
    return [
      amendKnown<{ readonly deleted: boolean }>(figuresBook('comments'), comment, note, (row) => {
        isFirst = !row.deleted
        if (!isFirst) note(`${comment} was deleted before`)
        return { ...row, deleted: true }
      }),
      amendFigures<LinkFigures>('links', link, (row) => ({ ...row, comments: row.comments - (isFirst ? 1 : 0) })),
    ]
  },
  VoteCast: vote,
}
