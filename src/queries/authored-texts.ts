import { setImmediate } from 'node:timers/promises'
import { type CommentDocument, comments } from '../../projections/comments.ts'
import { type LinkDocument, links } from '../../projections/links.ts'
import { type MessageDocument, messages } from '../../projections/messages.ts'
import type { ModLogDocument } from '../../projections/mod-log.ts'
import { textPlaceId, textPlaces } from '../../projections/text-places.ts'
import { type ErasedTexts, NO_ERASED_TEXTS, type TextPlace } from '../domain/account.ts'
import { ERASED_PLACEHOLDER } from '../domain/event.ts'
import { type AccountId, kindOf } from '../domain/ids.ts'
import { type Anchor, type Collection, type Document, type DocumentStore, getOne } from '../ports/documents.ts'
import { listingIndex } from '../ports/indexed.ts'
import { FRIENDS_OF_ACCOUNT } from './friends.ts'
import { ALL_LINKS_OF_AUTHOR } from './links.ts'
import { MESSAGES_OF_CONVERSATION, sentBy } from './messages.ts'
import { ENTRIES_ON_THING } from './mod-log.ts'
import { MULTIS_OF_ACCOUNT } from './multis.ts'
import { listBy, type OrderedSource } from './ordered-source.ts'
import { listSavedThings } from './shelves.ts'
import { ALL_COMMENTS_OF_AUTHOR } from './things.ts'

type Texts = Omit<ErasedTexts, 'next'>
/** A document that holds text of an account, and the other documents with the same text. */
type AuthoredText = { readonly texts: Partial<Texts>; readonly subsite?: string; readonly isBlank: boolean }

/** Finds the places in other documents that have text of an account. */
export const TEXT_PLACES_OF_ACCOUNT = listingIndex(textPlaces, ['account'], ['id'])

const step = <D>(source: OrderedSource<D>, of: (document: D) => AuthoredText) => ({
  keyOf: source.keyOf as (document: unknown) => Anchor,
  find: source.find as OrderedSource<unknown>['find'],
  of: of as (document: unknown) => AuthoredText,
})

type TextStep = ReturnType<typeof step>

const ofLink = ({ id, subsite, title }: LinkDocument): AuthoredText => ({
  texts: { things: [id] },
  subsite,
  isBlank: title === ERASED_PLACEHOLDER,
})

const ofComment = ({ id, subsite, deleted, body }: CommentDocument): AuthoredText => ({
  texts: { things: [id] },
  subsite,
  isBlank: deleted || body === ERASED_PLACEHOLDER,
})

/** Lists the stretches of documents that store an account's texts. */
const allOf = (documents: DocumentStore, account: AccountId): readonly TextStep[] => [
  ...[false, true].flatMap((deleted) => [
    step(listBy(documents, ALL_LINKS_OF_AUTHOR, { author: account, deleted }), ofLink),
    step(listBy(documents, ALL_COMMENTS_OF_AUTHOR, { author: account, deleted }), ofComment),
  ]),
  step(sentBy(documents, account), ({ id, body }) => ({
    texts: { things: [id] },
    isBlank: body === ERASED_PLACEHOLDER,
  })),
  step(listBy(documents, FRIENDS_OF_ACCOUNT, { account, friend: true }), ({ id, note }) => ({
    texts: { contacts: [id] },
    isBlank: note === ERASED_PLACEHOLDER,
  })),
  ...(['m', 'f'] as const).map((kind) =>
    step(listBy(documents, MULTIS_OF_ACCOUNT, { account, kind }), ({ id, description }) => ({
      texts: { multis: [id] },
      isBlank: description === ERASED_PLACEHOLDER,
    })),
  ),
  step(listSavedThings(documents, account, undefined), ({ id, category }) => ({
    texts: { places: [{ kind: 'category', id }] },
    isBlank: category === '' || category === ERASED_PLACEHOLDER,
  })),
  step(listBy(documents, TEXT_PLACES_OF_ACCOUNT, { account }), ({ place }) => ({ texts: { places: [place] }, isBlank: false })),
]

/** Returns the source of one document. */
const one = <D extends Document>(documents: DocumentStore, collection: Collection<D>, id: string): OrderedSource<D> => ({
  find: async ({ after }) => (after ? [] : [...(await documents.getMany(collection, [id])).values()]),
  keyOf: () => [id],
})

/** Expands a conversation: its first message gives all others their subject, while another message has only its body. */
const ofConversation =
  (root: string) =>
  ({ id, subject, body }: MessageDocument): AuthoredText =>
    id === root
      ? { texts: { things: [id] }, isBlank: subject === ERASED_PLACEHOLDER && body === ERASED_PLACEHOLDER }
      : { texts: { places: [{ kind: 'subject', id }] }, isBlank: subject === ERASED_PLACEHOLDER }

const ofReply = ({ id, body }: MessageDocument): AuthoredText => ({
  texts: { places: [{ kind: 'body', id }] },
  isBlank: body === ERASED_PLACEHOLDER,
})

const findPlacedText = (documents: DocumentStore, account: AccountId, place: TextPlace) =>
  step(one(documents, textPlaces, textPlaceId(account, place)), () => ({ texts: { places: [place] }, isBlank: false }))

/** Lists the stretches of documents that store the texts of one thing. */
const allOfThing = async (documents: DocumentStore, account: AccountId, thing: string): Promise<readonly TextStep[]> => {
  const kind = kindOf(thing)
  if (kind === 'link')
    return [step(one(documents, links, thing), ofLink), findPlacedText(documents, account, { kind: 'link-flair', id: thing })]
  if (kind === 'comment') return [step(one(documents, comments, thing), ofComment)]
  // a revision of a wiki page
  if (kind !== 'message') return [findPlacedText(documents, account, { kind: 'entry', id: thing })]
  const message = await getOne(documents, messages, thing)
  return message?.root === thing
    ? [step(listBy(documents, MESSAGES_OF_CONVERSATION, { root: thing }), ofConversation(thing))]
    : [step(one(documents, messages, thing), ofReply)]
}

type TextsOwner = { readonly account: AccountId; readonly thing: string | undefined }

const stepsOf = async (documents: DocumentStore, { account, thing }: TextsOwner): Promise<readonly TextStep[]> =>
  thing === undefined ? allOf(documents, account) : allOfThing(documents, account, thing)

/** The documents read, and texts returned, at a time; and moderation log entries returned at a time. */
const DOCUMENTS_PER_READ = 200
const MAX_ENTRIES_PER_READ = 5_000
/** The number of documents after which other requests get their turn. */
const DOCUMENTS_PER_TURN = 20

const quotes = ({ target, changes }: ModLogDocument): boolean =>
  target !== null &&
  [target.title, target.excerpt, ...changes.flatMap(({ authors, before, after }) => (authors ? [before, after] : []))].some(
    (text) => text !== null && text !== ERASED_PLACEHOLDER,
  )

/** Returns at most so many moderation log entries that quote a thing, and whether these are all. */
const entriesOn = async (documents: DocumentStore, subsite: string, targetId: string, most: number) => {
  const { find, keyOf } = listBy(documents, ENTRIES_ON_THING, { subsite, targetId })
  const named: string[] = []
  for (let after: Anchor | undefined; ; ) {
    const page = await find({ limit: DOCUMENTS_PER_READ, ...(after && { after }) })
    named.push(...page.filter(quotes).map(({ id }) => id))
    if (named.length > most) return { named: named.slice(0, most), all: false }
    const last = page.at(-1)
    if (page.length < DOCUMENTS_PER_READ || last === undefined) return { named, all: true }
    after = keyOf(last)
  }
}

const whereIn = (next: string): readonly [step: number, after: Anchor | undefined] => {
  const [at, after] = JSON.parse(next) as [number, Anchor | null]
  return [at, after ?? undefined]
}

/**
 * Returns some of the texts of an account, or of a thing, that documents still show, from a place on (null: the beginning). `next` is the
 * place of the rest.
 */
export const textsOf = async (documents: DocumentStore, owner: TextsOwner, from: string | null): Promise<ErasedTexts> => {
  const steps = await stepsOf(documents, owner)
  const [first, anchor] = from === null ? [0, undefined] : whereIn(from)
  let after = anchor
  let all: Texts = NO_ERASED_TEXTS
  for (const [index, { find, keyOf, of }] of steps.entries()) {
    if (index < first) continue
    for (;;) {
      const page = await find({ limit: DOCUMENTS_PER_READ, ...(after && { after }) })
      for (const [place, document] of page.entries()) {
        if (place % DOCUMENTS_PER_TURN === 0) await setImmediate() // lets others be served meanwhile
        const { texts, subsite, isBlank } = of(document)
        const room = MAX_ENTRIES_PER_READ - all.entries.length
        const quoting = subsite === undefined ? undefined : await entriesOn(documents, subsite, texts.things?.[0] ?? '', room)
        const { named, all: isWhole } = quoting ?? { named: [], all: true }
        const before = after
        after = keyOf(document)
        if (isBlank && named.length === 0) continue
        all = {
          things: [...all.things, ...(texts.things ?? [])],
          entries: [...all.entries, ...named],
          contacts: [...all.contacts, ...(texts.contacts ?? [])],
          multis: [...all.multis, ...(texts.multis ?? [])],
          places: [...all.places, ...(texts.places ?? [])],
        }
        const { things, contacts: friends, multis: made, places } = all
        // the next call reads this document again, for the entries that did not fit
        if (!isWhole) return { ...all, next: JSON.stringify([index, before ?? null]) }
        if (
          things.length + friends.length + made.length + places.length >= DOCUMENTS_PER_READ ||
          all.entries.length >= MAX_ENTRIES_PER_READ
        )
          return { ...all, next: JSON.stringify([index, after]) }
      }
      if (page.length < DOCUMENTS_PER_READ) break
    }
    after = undefined
  }
  return { ...all, next: null }
}
