import { type AccountDocument, accounts } from '../../projections/accounts.ts'
import { type CommentDocument, comments } from '../../projections/comments.ts'
import { type LinkDocument, links } from '../../projections/links.ts'
import { type ModLogDocument, modLog } from '../../projections/mod-log.ts'
import { type SubsiteDocument, subsites } from '../../projections/subsites.ts'
import { type VoteDocument, votes } from '../../projections/votes.ts'
import type { Collection, Document, DocumentStore } from '../ports/documents.ts'
import { isSuspendedForGood } from '../queries/accounts.ts'
import { karmaOfAccounts, noKarma } from '../queries/karma.ts'
import { type Column, type ColumnType, columnName } from './columns.ts'
import type { Level } from './levels.ts'
import type { TableRow } from './parquet.ts'

/** The current facts that decide what anybody may see of documents. */
export type PublicFacts = {
  readonly mayView: (subsite: string) => boolean
  readonly isGone: (account: string) => boolean
  /** Tells whether the score of a comment is hidden now. */
  readonly hidesScore: (comment: CommentDocument) => boolean
}

/** The levels at which a column is there. */
const EVERYWHERE: readonly Level[] = ['public', 'sealed', 'open']
const NOT_PUBLIC: readonly Level[] = ['sealed', 'open']
/** The levels at which texts are there: read models have none sealed. */
const READABLE: readonly Level[] = ['public', 'open']
const OPEN: readonly Level[] = ['open']

type Cell<D> = {
  readonly type: ColumnType
  readonly levels: readonly Level[]
  readonly meaning: string
  readonly of?: (document: D) => unknown
}

const cell = <D>(type: ColumnType, levels: readonly Level[], meaning: string, read?: (document: D) => unknown): Cell<D> => ({
  type,
  levels,
  meaning,
  ...(read && { of: read }),
})

type Cells<D> = { readonly [Field in keyof D & string]?: Cell<D> }

export type ExportedTable<D extends Document = Document, Stored extends Document = D> = {
  readonly name: string
  readonly collection: Collection<Stored>
  /** Adds what other read models have about the documents. */
  readonly complete?: (documents: DocumentStore, page: readonly Stored[]) => Promise<readonly D[]>
  readonly levels: readonly Level[]
  /** Shows a field of the document, or the value that `of` makes of it. */
  readonly cells: Cells<D>
  /** Returns the fields of a document as anybody sees them, in place of its own; undefined if nobody sees the document. */
  readonly publicly: (document: D, facts: PublicFacts) => Partial<D> | undefined
}

const isShown = ({ removed, deleted, subsite }: LinkDocument | CommentDocument, { mayView }: PublicFacts): boolean =>
  !deleted && removed === null && mayView(subsite)

const hideGone = (account: string, { isGone }: PublicFacts): string => (isGone(account) ? (null as never) : account)

const hiddenScore = { ups: null as never, downs: null as never, score: null as never }

type Thing = LinkDocument | CommentDocument

const posted = {
  id: cell<Thing>('text', EVERYWHERE, 'Its fullname.'),
  subsite: cell<Thing>('text', EVERYWHERE, 'The subsite that it is in.'),
  author: cell<Thing>('text', EVERYWHERE, 'Who wrote it; null where the account is gone, for the public.'),
  created: cell<Thing>('time', EVERYWHERE, 'When it was posted.'),
  edited: cell<Thing>('time', EVERYWHERE, 'When its text was last changed.'),
  score: cell<Thing>('integer', EVERYWHERE, 'Twice the insightful votes and the funny ones; null while it is hidden, for the public.'),
  ups: cell<Thing>('integer', EVERYWHERE, 'Insightful votes, with that of its author.'),
  downs: cell<Thing>('integer', EVERYWHERE, 'Funny votes.'),
  distinguished: cell<Thing>('text', EVERYWHERE, 'As whose act it is shown: moderator or admin.'),
  gilded: cell<Thing>('integer', EVERYWHERE, 'How often it was gilded.'),
  deleted: cell<Thing>('boolean', NOT_PUBLIC, 'Its author deleted it.'),
  removed: cell<Thing>('boolean', NOT_PUBLIC, 'A moderator, or a filter, removed it.', ({ removed }) => removed !== null),
} satisfies Cells<Thing>

const linksTable: ExportedTable<LinkDocument> = {
  name: 'links',
  collection: links,
  levels: EVERYWHERE,
  cells: {
    ...posted,
    title: cell('text', READABLE, 'Its title.'),
    url: cell('text', READABLE, 'Where it leads; null for a text.'),
    text: cell('text', READABLE, 'Its text, in markdown; empty for a link.'),
    domain: cell('text', READABLE, 'The host that it leads to, without `www.`; empty for a text.'),
    isSelf: cell('boolean', EVERYWHERE, 'Whether it is a text.'),
    over18: cell('boolean', EVERYWHERE, 'Marked as for adults.'),
    comments: cell('integer', EVERYWHERE, 'Comments that were not deleted.'),
    locked: cell('boolean', EVERYWHERE, 'Closed to new comments.'),
  },
  publicly: (link, facts) => (isShown(link, facts) ? { author: hideGone(link.author, facts) } : undefined),
}

const commentsTable: ExportedTable<CommentDocument> = {
  name: 'comments',
  collection: comments,
  levels: EVERYWHERE,
  cells: {
    ...posted,
    link: cell('text', EVERYWHERE, 'The link that it stands under.'),
    parent: cell('text', EVERYWHERE, 'The comment that it replies to; null for the first of a thread.'),
    body: cell('text', READABLE, 'Its text, in markdown.'),
    length: cell('integer', EVERYWHERE, 'Of its text, in UTF-16 units.'),
  },
  publicly: (comment, facts) =>
    isShown(comment, facts) ? { author: hideGone(comment.author, facts), ...(facts.hidesScore(comment) && hiddenScore) } : undefined,
}

type AccountWithKarma = AccountDocument & { readonly linkKarma: number; readonly commentKarma: number }

const accountsTable: ExportedTable<AccountWithKarma, AccountDocument> = {
  name: 'accounts',
  collection: accounts,
  complete: async (documents, page) => {
    const earned = await karmaOfAccounts(
      documents,
      page.map(({ id }) => id),
    )
    return page.map((account) => {
      const { link, comment } = earned.get(account.id) ?? noKarma
      return { ...account, linkKarma: link, commentKarma: comment }
    })
  },
  levels: EVERYWHERE,
  cells: {
    id: cell('text', EVERYWHERE, 'Its fullname.'),
    name: cell('text', EVERYWHERE, 'Its name.'),
    created: cell('time', EVERYWHERE, 'When it was registered.'),
    linkKarma: cell('integer', EVERYWHERE, 'What votes on its links brought; null while it is suspended for good, for the public.'),
    commentKarma: cell('integer', EVERYWHERE, 'What votes on its comments brought; likewise.'),
    deleted: cell('boolean', NOT_PUBLIC, 'It is deleted.'),
    suspended: cell('boolean', NOT_PUBLIC, 'It is suspended, or was until `suspended_until`.'),
    suspendedUntil: cell('time', NOT_PUBLIC, 'When its suspension ends.'),
    csites: cell('integer', NOT_PUBLIC, 'Its gift credits.'),
    goldUntil: cell('time', NOT_PUBLIC, 'Until when it has gold; 1970 if it has none.'),
  },
  publicly: (account) => {
    if (account.deleted) return undefined
    return isSuspendedForGood(account) ? { linkKarma: null as never, commentKarma: null as never } : {}
  },
}

const subsitesTable: ExportedTable<SubsiteDocument> = {
  name: 'subsites',
  collection: subsites,
  levels: EVERYWHERE,
  cells: {
    id: cell('text', EVERYWHERE, 'Its fullname.'),
    name: cell('text', EVERYWHERE, 'Its name.'),
    created: cell('time', EVERYWHERE, 'When it was founded.'),
    type: cell('text', EVERYWHERE, 'Who may view it and post there.'),
    title: cell('text', EVERYWHERE, 'Its title.'),
    public_description: cell('text', EVERYWHERE, 'Its description.'),
    over18: cell('boolean', EVERYWHERE, 'For adults.'),
    subscribers: cell('integer', EVERYWHERE, 'How many accounts subscribe to it.'),
    creator: cell('text', NOT_PUBLIC, 'Who founded it.'),
  },
  publicly: ({ id }, { mayView }) => (mayView(id) ? {} : undefined),
}

const modLogTable: ExportedTable<ModLogDocument> = {
  name: 'mod_log',
  collection: modLog,
  levels: EVERYWHERE,
  cells: {
    id: cell('text', EVERYWHERE, 'Its id, which is that of its event.'),
    subsite: cell('text', EVERYWHERE, 'In the log of which subsite it is.'),
    at: cell('time', EVERYWHERE, 'When it was.'),
    mod: cell('text', EVERYWHERE, 'Who acted; null for the service, and where the account is gone, for the public.'),
    action: cell('text', EVERYWHERE, 'What was done.'),
    targetId: cell('text', EVERYWHERE, 'The link, comment or account that it was done to.'),
    isAdmin: cell('boolean', EVERYWHERE, 'Done by an admin.'),
    details: cell('text', OPEN, 'What it says beside.'),
    description: cell('text', OPEN, 'The words of the moderator.'),
    changes: cell('json', OPEN, 'What each field was before and after it.'),
  },
  publicly: ({ subsite, mod, targetId }, facts) =>
    facts.mayView(subsite)
      ? { mod: mod && hideGone(mod, facts), targetId: targetId?.startsWith('t2_') ? hideGone(targetId, facts) : targetId }
      : undefined,
}

const votesTable: ExportedTable<VoteDocument> = {
  name: 'votes',
  collection: votes,
  levels: OPEN,
  cells: {
    voter: cell('text', OPEN, 'Who votes.'),
    thing: cell('text', OPEN, 'The link or comment.'),
    kind: cell('text', OPEN, 'Which of them: link or comment.'),
    insightful: cell('boolean', OPEN, 'Marked as insightful; of own things from the start.'),
    funny: cell('boolean', OPEN, 'Marked as funny.'),
    first: cell('time', OPEN, 'When the voter first voted on it.'),
  },
  publicly: () => undefined,
}

/** The read models that are exported. Votes without their voters are `ups` and `downs` of links and comments. */
export const tables = [
  accountsTable,
  subsitesTable,
  linksTable,
  commentsTable,
  modLogTable,
  votesTable,
] as unknown as readonly ExportedTable[]

const cellsAt = ({ cells }: ExportedTable, level: Level) =>
  Object.entries<Cell<Document>>(cells).filter(([, { levels }]) => levels.includes(level))

/** Returns the name of a column. The time of an entry is called as that of an event. */
const toColumnName = (field: string): string => (field === 'at' ? 'time' : columnName(field))

/** Returns the columns of a table at a level. */
export const columnsOfTable = (table: ExportedTable, level: Level): readonly Column[] =>
  cellsAt(table, level).map(([field, { type, meaning }]) => ({
    name: toColumnName(field),
    type,
    meaning,
    readers: level === 'public' ? 'public' : 'admins',
  }))

/** Returns the row of a document; undefined if a level has nothing of it. */
export const rowOfDocument = (
  table: ExportedTable,
  level: Level,
  document: Document,
  facts: PublicFacts | undefined,
): TableRow | undefined => {
  const instead = facts ? table.publicly(document, facts) : {}
  if (instead === undefined) return undefined
  const shown: Readonly<Record<string, unknown>> = { ...document, ...instead }
  return Object.fromEntries(cellsAt(table, level).map(([field, { of }]) => [toColumnName(field), of ? of(document) : shown[field]]))
}
