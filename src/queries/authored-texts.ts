import { setImmediate } from 'node:timers/promises'
import { comments } from '../../projections/comments.ts'
import { contacts } from '../../projections/contacts.ts'
import { links } from '../../projections/links.ts'
import { messages } from '../../projections/messages.ts'
import { type ModLogDocument, modLog } from '../../projections/mod-log.ts'
import { multis } from '../../projections/multis.ts'
import { shelves } from '../../projections/shelves.ts'
import { textPlaces } from '../../projections/text-places.ts'
import { type ErasedTexts, NO_TEXTS } from '../domain/account.ts'
import { ERASED } from '../domain/event.ts'
import type { AccountId } from '../domain/ids.ts'
import type { Anchor, DocumentStore } from '../ports/documents.ts'
import { AS_LOGGED } from './mod-log.ts'
import { found, type Source } from './walk.ts'

type Texts = Omit<ErasedTexts, 'next'>
/** A document that holds text of an account, and the other documents with the same text. */
type Found = { readonly texts: Partial<Texts>; readonly subsite?: string; readonly isBlank: boolean }

const NEWEST_FIRST = ['-seq']

const step = <D>(source: Source<D>, of: (document: D) => Found) => ({
  keyOf: source.keyOf as (document: unknown) => Anchor,
  find: source.find as Source<unknown>['find'],
  of: of as (document: unknown) => Found,
})

/** Where an account's texts are stored, one stretch of documents after the other. */
const stepsOf = (documents: DocumentStore, account: AccountId) => [
  ...[false, true].flatMap((deleted) => [
    step(found(documents, links, { author: account, deleted }, NEWEST_FIRST), ({ id, subsite, title }) => ({
      texts: { things: [id] },
      subsite,
      isBlank: title === ERASED,
    })),
    step(found(documents, comments, { author: account, deleted }, NEWEST_FIRST), ({ id, subsite, body }) => ({
      texts: { things: [id] },
      subsite,
      isBlank: deleted || body === ERASED,
    })),
  ]),
  step(found(documents, messages, { author: account }, NEWEST_FIRST), ({ id, body }) => ({
    texts: { things: [id] },
    isBlank: body === ERASED,
  })),
  step(found(documents, contacts, { account, friend: true }, ['since', 'id']), ({ id, note }) => ({
    texts: { contacts: [id] },
    isBlank: note === ERASED,
  })),
  ...(['m', 'f'] as const).map((kind) =>
    step(found(documents, multis, { account, kind }, ['name', 'id']), ({ id, description }) => ({
      texts: { multis: [id] },
      isBlank: description === ERASED,
    })),
  ),
  step(found(documents, shelves, { account, saved: true }, ['-savedAt', '-id']), ({ id, category }) => ({
    texts: { places: [{ kind: 'category', id }] },
    isBlank: category === '' || category === ERASED,
  })),
  step(found(documents, textPlaces, { account }, ['id']), ({ place }) => ({ texts: { places: [place] }, isBlank: false })),
]

/** Documents read, and texts returned, at a time; and moderation log entries returned at a time. */
const LOOKED_AT = 200
const MOST_ENTRIES = 5_000
/** Documents after which other requests get their turn. */
const AT_ONCE = 20

const quotes = ({ target }: ModLogDocument): boolean =>
  target !== null && [target.title, target.excerpt].some((text) => text !== null && text !== ERASED)

/** The moderation log entries that quote a thing, at most so many; whether these are all. */
const entriesOn = async (documents: DocumentStore, subsite: string, targetId: string, most: number) => {
  const { find, keyOf } = found(documents, modLog, { subsite, targetId }, AS_LOGGED)
  const named: string[] = []
  for (let after: Anchor | undefined; ; ) {
    const page = await find({ limit: LOOKED_AT, ...(after && { after }) })
    named.push(...page.filter(quotes).map(({ id }) => id))
    if (named.length > most) return { named: named.slice(0, most), all: false }
    const last = page.at(-1)
    if (page.length < LOOKED_AT || last === undefined) return { named, all: true }
    after = keyOf(last)
  }
}

const whereIn = (next: string): readonly [step: number, after: Anchor | undefined] => {
  const [at, after] = JSON.parse(next) as [number, Anchor | null]
  return [at, after ?? undefined]
}

/** Some of an account's texts that documents still show, from a place on (null: the beginning); `next`: where the rest begins. */
export const textsOf = async (documents: DocumentStore, account: AccountId, from: string | null): Promise<ErasedTexts> => {
  const steps = stepsOf(documents, account)
  const [first, anchor] = from === null ? [0, undefined] : whereIn(from)
  let after = anchor
  let all: Texts = NO_TEXTS
  for (const [index, { find, keyOf, of }] of steps.entries()) {
    if (index < first) continue
    for (;;) {
      const page = await find({ limit: LOOKED_AT, ...(after && { after }) })
      for (const [place, document] of page.entries()) {
        if (place % AT_ONCE === 0) await setImmediate() // others are served meanwhile
        const { texts, subsite, isBlank } = of(document)
        const room = MOST_ENTRIES - all.entries.length
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
        // of a thing with more entries, the others are found when it is looked at again
        if (!isWhole) return { ...all, next: JSON.stringify([index, before ?? null]) }
        if (things.length + friends.length + made.length + places.length >= LOOKED_AT || all.entries.length >= MOST_ENTRIES)
          return { ...all, next: JSON.stringify([index, after]) }
      }
      if (page.length < LOOKED_AT) break
    }
    after = undefined
  }
  return { ...all, next: null }
}
