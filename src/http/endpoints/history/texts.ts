import * as E from 'fp-ts/lib/Either.js'
import { Comment } from '../../../domain/comment.ts'
import { LinkId } from '../../../domain/ids.ts'
import { Link } from '../../../domain/link.ts'
import type { EventTexts } from '../../../history/history-reads.ts'
import { openReading, type Reading } from '../../../queries/reading.ts'
import { type ThingDocument, thingsById } from '../../../queries/things.ts'
import { type Context, type Need, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, replaceRefusal } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { presentById } from '../../things/links-and-comments.ts'
import { toPlain } from '../../wire/json-writing.ts'
import { base64, inclusionShape, writtenInclusion } from './proofs.ts'
import { requireHistory } from './trees.ts'

const { get } = section('History', { scope: 'read', login: 'anyone', errors: 'plain' })

type Seen = { readonly thing: ThingDocument; readonly read: Reading }

/** Returns a link or comment in a subsite that the viewer may view. */
const requireSeen: Need<Seen, { readonly thing: string }, Viewer> = async (context) => {
  const read = openReading(context, context.viewer)
  const thing = (await thingsById(context.documents, [context.params.thing])).get(context.params.thing)
  if (!thing) return refuseRule('NOT_FOUND')
  await read.loadSubsites([thing.subsite])
  return read.mayView(thing.subsite) ? E.right({ thing, read }) : refuseRule('FORBIDDEN')
}

type ShownTexts = Readonly<Record<string, unknown>>

/**
 * Returns the texts that the viewer is shown of a thing, by their names in events, without deleted ones and those removed for this viewer.
 */
const shownTexts = async (context: Pick<Context, 'documents'>, { thing, read }: Seen): Promise<ShownTexts> => {
  const record = (await presentById(context, read, [thing])).get(thing.id)
  const { data } = toPlain(record ?? { data: {} }) as { readonly data: ShownTexts }
  return { title: data.title, url: data.url, text: data.selftext, body: data.body }
}

/** `later` are the texts that a later event has in place of those of this one, whether or not they are the same. */
const writeTexts = ({ n, leaf, record, texts }: EventTexts, shown: ShownTexts, later: object) => ({
  n: n ?? null,
  leaf: base64(leaf),
  ...record,
  texts: Object.entries(record.texts).map(([name, commitment]) => {
    const { text, salt } = texts.get(name) ?? {}
    return { name, commitment, ...(salt && text === shown[name] && !Object.hasOwn(later, name) && { text, salt: salt.toString('hex') }) }
  }),
})

const eventShape = shape.recordSchema({
  n: { ...shape.orNull(shape.integer(0)), description: 'The number of the event in the whole log.' },
  leaf: shape.text('base64', 'Its leaf in the tree over the whole log, in base64.'),
  id: shape.text('00000000-0000-5000-8000-000000000000'),
  type: shape.text('CommentPosted'),
  stream: shape.text('comment-t1_1597vlmwow'),
  rest: shape.text('0'.repeat(64), 'The commitment to all else that the event holds.'),
  texts: shape.listOf(
    shape.recordSchema({
      name: shape.text('body'),
      commitment: shape.orNull(
        shape.text('0'.repeat(64), 'SHA-256 of the salt and the text in UTF-8, in hexadecimal; null of a text of an earlier version.'),
      ),
      salt: shape.optional(shape.text('0'.repeat(32), '16 bytes in hexadecimal.')),
      text: shape.optional(shape.text('Soft.')),
    }),
  ),
  log: shape.orNull(inclusionShape),
})

export const historyTexts = [
  get('/history/text/{thing}', {
    answers: { 200: shape.recordSchema({ thing: shape.text('t1_1597vlmwow'), events: shape.listOf(eventShape) }) },
    summary: 'Proof that the texts of a link or comment are the ones that were written.',
    notes:
      'The event that the thing began with, and the last one that changed a text of it. A text stands there with its salt if the thing as you may see it shows it; of others, also of an erased one, the commitment alone. The leaf is made of `id`, `rest`, `stream`, `texts` (commitments by name) and `type`. `n` is null for seconds, and `log` until the next head is signed, within a minute or so. Ask with `raw_json=1`, so that texts come as they were written.',
    params: { thing: describeParam(replaceRefusal(fullname('link', 'comment'), 'NOT_FOUND'), 'the fullname of a link or comment') },
    uses: ['history'],
    needs: { trees: requireHistory, seen: requireSeen },
    handle: async (context) => {
      const { trees, seen: found } = context
      const { id } = found.thing
      const stream = `${LinkId.is(id) ? Link.category : Comment.category}-${id}`
      const shown = await shownTexts(context, found)
      const events: object[] = []
      const textEvents = await trees.textsOf(stream)
      for (const [at, event] of textEvents.entries()) {
        const inclusion = event.n === undefined ? undefined : await trees.inclusion(undefined, event.n)
        events.push({ ...writeTexts(event, shown, textEvents[at + 1]?.record.texts ?? {}), log: writtenInclusion(inclusion) ?? null })
      }
      return { kind: 'json', body: { thing: id, events }, fleeting: true }
    },
  }),
]
