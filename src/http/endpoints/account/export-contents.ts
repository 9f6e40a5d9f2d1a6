// Decision 110.

import { setImmediate } from 'node:timers/promises'
import { flairId, flairs } from '../../../../projections/flairs.ts'
import { Account } from '../../../domain/account.ts'
import { type AccountId, secondPart } from '../../../domain/ids.ts'
import { type Anchor, getOne } from '../../../ports/documents.ts'
import { TEXT_PLACES_OF_ACCOUNT } from '../../../queries/authored-texts.ts'
import { BLOCKED_OF_ACCOUNT } from '../../../queries/blocked-accounts.ts'
import { FRIENDS_OF_ACCOUNT } from '../../../queries/friends.ts'
import { ALL_LINKS_OF_AUTHOR } from '../../../queries/links.ts'
import { sentBy } from '../../../queries/messages.ts'
import { MULTIS_OF_ACCOUNT } from '../../../queries/multis.ts'
import { listMuted } from '../../../queries/mutes-and-blocks.ts'
import { listBy, type OrderedSource } from '../../../queries/ordered-source.ts'
import { hiddenBy, listSavedThings } from '../../../queries/shelves.ts'
import { SUBSCRIPTIONS_OF_ACCOUNT } from '../../../queries/subscriptions.ts'
import { ALL_COMMENTS_OF_AUTHOR } from '../../../queries/things.ts'
import { listVotes } from '../../../queries/votes.ts'
import { REVISIONS_OF_AUTHOR } from '../../../queries/wiki.ts'
import type { SignedInContext, Uses } from '../../contract/endpoint.ts'
import { writtenAt } from '../../needs/wiki.ts'
import { epoch } from '../../present/thing.ts'
import type { ExportKind } from './export-schema.ts'

type ExportContext = Pick<SignedInContext, 'documents' | 'load' | 'preferences' | 'viewer'> & Uses<'readEvent'>
type Line = { readonly kind: ExportKind; readonly data: Readonly<Record<string, unknown>> }
type Stretch = {
  readonly source: OrderedSource<unknown>
  readonly line: (document: unknown) => Promise<Line | undefined> | Line | undefined
}

/** The documents read at a time: with the longest texts, some 2 MB. */
const DOCUMENTS_PER_READ = 50

const stretch = <D>(
  source: OrderedSource<D>,
  kind: ExportKind,
  data: (document: D) => Line['data'] | undefined | Promise<Line['data'] | undefined>,
): Stretch => ({
  source: source as OrderedSource<unknown>,
  line: async (document) => {
    const found = await data(document as D)
    return found && { kind, data: found }
  },
})

/** Returns the account's own things, including deleted ones as far as they are still stored. */
const writtenThings = ({ documents }: ExportContext, author: AccountId): readonly Stretch[] => [
  ...[false, true].flatMap((deleted) => [
    stretch(listBy(documents, ALL_LINKS_OF_AUTHOR, { author, deleted }), 'link', ({ id, subsite, created, title, url, text, isSelf }) => ({
      name: id,
      subsite,
      created: epoch(created),
      title,
      url: isSelf ? null : url,
      text: isSelf ? text : null,
      deleted,
    })),
    stretch(listBy(documents, ALL_COMMENTS_OF_AUTHOR, { author, deleted }), 'comment', ({ id, link, parent, subsite, created, body }) => ({
      name: id,
      link,
      parent,
      subsite,
      created: epoch(created),
      text: body,
      deleted,
    })),
  ]),
  stretch(sentBy(documents, author), 'message', ({ id, to, subsite, parent, created, subject, body }) => ({
    name: id,
    to,
    subsite,
    parent,
    created: epoch(created),
    subject,
    text: body,
  })),
]

/** Returns the revisions, whose texts are only in the log. */
const revisions = (context: ExportContext, author: AccountId): Stretch =>
  stretch(listBy(context.documents, REVISIONS_OF_AUTHOR, { author }), 'wiki_revision', async (revision) => {
    const { id, subsite, page, date, reason } = revision
    const { text } = await writtenAt(context, page, revision)
    return { id, subsite, page, created: epoch(date), reason, text }
  })

const votedThings = ({ documents }: ExportContext, voter: AccountId): readonly Stretch[] =>
  (['link', 'comment'] as const).flatMap((kind) =>
    (['insightful', 'funny'] as const).map((mark) =>
      stretch(listVotes(documents, voter, mark, kind), 'vote', ({ thing, insightful, funny, first }) =>
        // a thing with both marks is among the insightful ones
        mark === 'funny' && insightful ? undefined : { thing, insightful, funny, created: epoch(first) },
      ),
    ),
  )

const keptThings = ({ documents }: ExportContext, account: AccountId): readonly Stretch[] => [
  stretch(listSavedThings(documents, account, undefined), 'saved', ({ thing, category, savedAt }) => ({
    thing,
    category,
    created: epoch(savedAt),
  })),
  stretch(hiddenBy(documents, account), 'hidden', ({ thing, hiddenAt }) => ({ thing, created: epoch(hiddenAt) })),
  stretch(listBy(documents, FRIENDS_OF_ACCOUNT, { account, friend: true }), 'friend', ({ other, note, since }) => ({
    account: other,
    note,
    created: epoch(since),
  })),
  stretch(listBy(documents, BLOCKED_OF_ACCOUNT, { account, blocked: true }), 'blocked', ({ other, blockedAt }) => ({
    account: other,
    created: epoch(blockedAt),
  })),
  stretch(listBy(documents, SUBSCRIPTIONS_OF_ACCOUNT, { account }), 'subscription', ({ subsite, since }) => ({
    subsite,
    created: epoch(since),
  })),
  stretch(listMuted(documents, account), 'muted_subsite', ({ subsite, mutedAt }) => ({ subsite, created: epoch(mutedAt) })),
]

const collectStretches = ({ documents, viewer }: ExportContext, account: AccountId): readonly Stretch[] =>
  (['m', 'f'] as const).map((kind) =>
    stretch(listBy(documents, MULTIS_OF_ACCOUNT, { account, kind }), 'multi', (multi) => ({
      path: `/user/${viewer.name}/${kind}/${multi.name}`,
      display_name: multi.displayName,
      description: multi.description,
      subsites: multi.subsites,
      visibility: multi.visibility,
      created: epoch(multi.created),
    })),
  )

/** Returns the texts in other places. Reasons of reports are in the log. Flair is found by the places that have text of the account. */
const toPlacedTexts = ({ documents, readEvent }: ExportContext, account: AccountId): readonly Stretch[] => [
  stretch(listBy(documents, TEXT_PLACES_OF_ACCOUNT, { account }), 'report', async ({ place }) => {
    if (place.kind !== 'report') return undefined
    const event = await readEvent(`report-${account}.${place.id}`, 0)
    if (event?.type !== 'ThingReported' && event?.type !== 'MessageReported') return undefined
    return { thing: place.id, reason: event.data.reason, created: epoch(event.at) }
  }),
  stretch(listBy(documents, TEXT_PLACES_OF_ACCOUNT, { account }), 'flair', async ({ place }) => {
    const subsite = place.id.slice(0, place.id.indexOf('.'))
    const flair =
      place.kind === 'flair' && secondPart(place.id) === account ? await getOne(documents, flairs, flairId(subsite, account)) : undefined
    return flair && { subsite, text: flair.text, css_class: flair.css, shown: flair.shown }
  }),
]

async function* linesOf({ source, line }: Stretch): AsyncGenerator<Line> {
  for (let after: Anchor | undefined; ; await setImmediate()) {
    const page = await source.find({ limit: DOCUMENTS_PER_READ, ...(after && { after }) })
    for (const document of page) {
      const one = await line(document)
      if (one) yield one
    }
    const last = page.at(-1)
    if (page.length < DOCUMENTS_PER_READ || last === undefined) return
    after = source.keyOf(last)
  }
}

async function* allLines(context: ExportContext): AsyncGenerator<Line> {
  const { account, name } = context.viewer
  const created = (await context.load(Account, account))?.created ?? 0
  yield { kind: 'account', data: { name: account, username: name, created: epoch(created) } }
  yield { kind: 'preferences', data: { values: await context.preferences() } }
  const stretches = [writtenThings, votedThings, keptThings, collectStretches, toPlacedTexts].flatMap((list) => list(context, account))
  for (const one of [...stretches, revisions(context, account)]) yield* linesOf(one)
}

/** Yields everything that the viewer wrote and chose, a line of JSON each, read page by page while it is sent. */
export async function* exportOf(context: ExportContext): AsyncGenerator<string> {
  let lines = 0
  for await (const line of allLines(context)) {
    lines += 1
    yield `${JSON.stringify(line)}\n`
  }
  yield `${JSON.stringify({ kind: 'end', data: { lines } })}\n`
}
