import test from 'ava'
import { accountEvents } from '../../../src/domain/account.ts'
import { commentEvents } from '../../../src/domain/comment.ts'
import { ThingGilded } from '../../../src/domain/credits.ts'
import { eventDefinitions } from '../../../src/domain/events.ts'
import { linkFlairEvents } from '../../../src/domain/flair.ts'
import { imagesEvents } from '../../../src/domain/images.ts'
import { linkEvents } from '../../../src/domain/link.ts'
import { moderatorsEvents } from '../../../src/domain/moderators.ts'
import { ThingReported } from '../../../src/domain/report.ts'
import { rulesEvents } from '../../../src/domain/rules.ts'
import { shelfEvents } from '../../../src/domain/shelf.ts'
import { stickiesEvents } from '../../../src/domain/stickies.ts'
import { stickyCommentEvents } from '../../../src/domain/sticky-comment.ts'
import { subsiteEvents } from '../../../src/domain/subsite.ts'
import { voteEvents } from '../../../src/domain/vote.ts'
import { changesOf, eventSentence, eventTypes, eventTypesOf, type ShownEvent } from '../../../src/http/pages/history/event-sentences.ts'
import { unsafeMarkup } from '../../support/browser-requests.ts'
import { everyEvent } from '../../support/every-event/every-event.ts'
import { scriptVectors } from '../../support/script-vectors.ts'

const names = { t2_ann: 'ann', t2_bob: 'bob', t2_carol: 'carol', t2_dave: 'dave', t4_tea: 'tea' }
const events = everyEvent.map(({ type, data, at, by }, n) => ({ n, type, at, by, data, withheld: [], names }) as unknown as ShownEvent)

const wordsOf = (event: ShownEvent): string =>
  eventSentence(event)
    .text.replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', '’')

/** Returns an event with other texts in it. */
const withTexts = (value: unknown, text: string): unknown => {
  if (typeof value === 'string') return /^t\d_/.test(value) ? value : text
  if (Array.isArray(value)) return value.map((one) => withTexts(one, text))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withTexts(one, text)]))
}

test('every type of event has a sentence, whatever of it is withheld', (t) => {
  t.deepEqual([...eventTypes].toSorted(), [...eventDefinitions.keys()].toSorted())
  t.deepEqual([...new Set(events.map(({ type }) => type))].toSorted(), [...eventTypes].toSorted(), 'each type occurs')
  for (const event of events)
    for (const shown of [
      event,
      { ...event, names: {} },
      { ...event, by: undefined },
      { ...event, data: {}, by: undefined },
    ] as ShownEvent[]) {
      const sentence = wordsOf(shown)
      t.regex(sentence, /^\S+.* \S+/, event.type)
      t.notRegex(`${sentence} ${JSON.stringify(changesOf(shown))}`, /undefined|\[object|NaN/, event.type)
    }
})

test('a filter of the history of a thing offers the types of events that it can have, and no others', (t) => {
  const ofBoth = [...shelfEvents, ...voteEvents, ThingReported, ThingGilded]
  const expected = {
    t5_1: [...linkEvents, ...linkFlairEvents, ...stickiesEvents, ...ofBoth],
    t1_1: [...commentEvents, ...stickyCommentEvents, ...ofBoth],
    t4_1: [...subsiteEvents, ...rulesEvents, ...moderatorsEvents, ...imagesEvents],
    t2_1: accountEvents,
  }
  for (const [name, definitions] of Object.entries(expected))
    t.deepEqual([...eventTypesOf(name)].toSorted(), definitions.map(({ type }) => type as string).toSorted(), name)
})

test('no text in an event becomes markup in its sentence', (t) => {
  for (const text of scriptVectors)
    for (const event of events) {
      const { data } = withTexts({ data: event.data }, text) as Pick<ShownEvent, 'data'>
      const markup = `<!DOCTYPE html><p>${eventSentence({ ...event, data, names: { t2_ann: text, t4_tea: text } }).text}</p>`
      t.deepEqual(unsafeMarkup(markup), [], `${event.type} ${text}`)
    }
})

test('a sentence says who did what to what as it was, and why', (t) => {
  const said = (type: string, data: object, by: object = { account: 't2_ann', as: 'moderator' }) =>
    wordsOf({ n: 1, type, at: 0, by, data, withheld: [], names } as unknown as ShownEvent)
  const target = { id: 't5_leaf', author: 't2_bob', title: 'The leaf', excerpt: null, link: 't5_leaf' }
  t.is(said('LinkRemoved', { target, spam: true }), 'ann, as a moderator, removed the link ‘The leaf’ by bob as spam')
  t.is(
    said('LinkErased', { target, reason: 'court order' }, { account: 't2_ann', as: 'admin' }),
    'ann, as an admin, erased the link ‘The leaf’ by bob for good, because of ‘court order’',
  )
  t.is(
    said('UserBanned', { account: 't2_bob', until: null, note: 'watches' }),
    'ann, as a moderator, banned bob for good, noting ‘watches’',
  )
  t.is(said('BanExpired', { account: 't2_bob' }, { account: null, as: 'system' }), 'The service: the ban of bob ran out')
  t.is(
    wordsOf({ ...events[0], type: 'ThingReported', by: undefined, data: { thing: 't1_x', reason: 'rude' } } as unknown as ShownEvent),
    'Somebody reported the comment, because of ‘rude’',
  )
  t.deepEqual(
    changesOf({ type: 'SubsiteSettingChanged', data: { setting: 'type', before: 'public', after: 'private' } } as unknown as ShownEvent),
    [{ field: 'type', before: 'public', after: 'private' }],
  )
})
