import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import { stranger } from '../../../domain/standing.ts'
import { mayView } from '../../../domain/subsite-access.ts'
import type { HistoryReads, TreeOwner } from '../../../history/history-reads.ts'
import { entryRecord, SITE } from '../../../history/records.ts'
import type { DocumentStore } from '../../../ports/documents.ts'
import { subsiteNamed, subsitesById } from '../../../queries/subsites.ts'
import { type Need, section } from '../../contract/endpoint.ts'
import { describeParam, rawText, withSchema } from '../../contract/params.ts'
import { refuseRule, refuseWithoutHistory } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { Media, plainText } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { logRefusal } from '../../things/access.ts'

/* The trees over the log and over the moderation logs, in the form that verifiers of others read: C2SP checkpoints and tiles. */

const { get } = section('History', { scope: 'read', login: 'anyone', errors: 'plain' })

/** Returns the trees. Nothing is signed if no history is kept. */
export const requireHistory: Need<HistoryReads, unknown, Viewer, { readonly history: HistoryReads | undefined }> = ({ history }) =>
  history ? E.right(history) : refuseWithoutHistory()

type SubsiteParams = { readonly subsite: string }

/** Returns the subsite that `find` finds, for viewers who may read its log. */
const requireLogOf =
  (
    find: (documents: DocumentStore, subsite: string) => Promise<SubsiteDocument | undefined>,
  ): Need<SubsiteDocument, SubsiteParams, Viewer> =>
  async (context) => {
    const subsite = await find(context.documents, context.params.subsite)
    if (!subsite) return E.left({ code: 'SUBSITE_NOEXIST', field: null, status: 404 })
    const refusal = await logRefusal(context, subsite)
    return refusal === undefined ? E.right(subsite) : refuseRule(refusal)
  }
export const subsiteOfName = requireLogOf(subsiteNamed)
const subsiteOfFullname = requireLogOf(async (documents, id) => (await subsitesById(documents, [id])).get(id))

/** Refuses an address below an origin that is not the present one, so that a cache never takes tiles of one for those of another. */
const presentOrigin: Need<string, { readonly origin: string }, Viewer, { readonly trees: HistoryReads }> = async ({ trees, params }) => {
  const [current] = await trees.origins()
  return current?.name.slice(current.name.lastIndexOf('/') + 1) === params.origin ? E.right(current.name) : refuseRule('NOT_FOUND')
}

const keyShape = shape.recordSchema({
  key: shape.text('base64', 'The 32 bytes of an Ed25519 key, in base64.'),
  since: shape.epoch,
  endorsement: { ...shape.orNull(shape.text('note')), description: 'The note by which the key before it signed it; null of the first.' },
})

const overviewShape = shape.component('History', () =>
  shape.recordSchema({
    origin: shape.text('rostra.example/history/0123456789abcdef', 'The name of the trees; its lines follow it in checkpoints.'),
    created: shape.epoch,
    keys: shape.listOf(keyShape),
    verifier_keys: {
      ...shape.listOf(shape.text('rostra.example/history/0123456789abcdef/log+00000000+AAAA')),
      description: 'The keys as verifiers of the whole log take them.',
    },
    checkpoint: { ...shape.orNull(shape.text('note')), description: 'The last signed head of the whole log.' },
    cosigned: {
      ...shape.orNull(shape.text('note')),
      description:
        'The last head of the whole log with its C2SP cosignatures: those of the witnesses of the service, and its own, which has the time.',
    },
    binding_from: {
      ...shape.orNull(shape.integer(0)),
      description:
        'The number of the first event whose leaf, if it is an act, binds the moderation log up to it; null if all leaves are of earlier versions.',
    },
    previous: {
      ...shape.listOf(
        shape.recordSchema({
          origin: shape.text('rostra.example/history/fedcba9876543210'),
          checkpoint: shape.text('note'),
          proved: shape.flag,
        }),
      ),
      description:
        'Earlier origins, newest first, each with the last head of the log that was signed under it: where a verifier trusted one of them, the log was put back. `proved` is false if the key was lost, so that the service could not prove the head to be its own; `checkpoint` is empty if it has none.',
    },
  }),
)

const overview = get('/history', {
  answers: { 200: overviewShape },
  summary: 'The keys of the trees over the log, by which anybody can verify moderation logs.',
  notes: 'A key after the first is signed by the one before it. A site that keeps no history answers 404.',
  uses: ['history'],
  needs: { trees: requireHistory },
  handle: async ({ trees }) => {
    const [current, ...former] = await trees.origins()
    if (!current) return refuseRule('NOT_FOUND')
    const { stored, verifiers } = await trees.keys()
    const named = [current, ...former].flatMap(({ previous }) =>
      previous ? [{ origin: previous.name, checkpoint: previous.checkpoint, proved: previous.unproved !== true }] : [],
    )
    return {
      kind: 'json',
      body: {
        origin: current.name,
        created: Math.floor(current.created / 1000),
        keys: stored.map(({ key, since, endorsement }) => ({ key, since: Math.floor(since / 1000), endorsement })),
        verifier_keys: verifiers,
        checkpoint: (await trees.checkpoint(undefined)) ?? null,
        cosigned: (await trees.readCosigned()) ?? null,
        binding_from: (await trees.bindingFrom()) ?? null,
        previous: named,
      },
      fleeting: true,
    }
  },
})

const isPublic = (subsite: SubsiteDocument | undefined): boolean => subsite === undefined || mayView(subsite.type, stranger)

const checkpointOf = async (trees: HistoryReads, subsite: SubsiteDocument | undefined, owner: TreeOwner = subsite?.id) => {
  const body = await trees.checkpoint(owner)
  if (body === undefined) return refuseRule('NOT_FOUND')
  return {
    kind: 'text' as const,
    type: 'text/plain; charset=utf-8',
    body,
    headers: { 'Cache-Control': `${isPublic(subsite) ? 'public' : 'private'}, no-cache` },
    fleeting: true,
  }
}

/** `x001/x234/067` is 1234067; at the end `.p/W` for a tile of so many hashes that is not complete. */
const TILE = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/
const TILE_WIDTH = 256

const immutableHeaders = (subsite: SubsiteDocument | undefined) => ({
  'Cache-Control': `${isPublic(subsite) ? 'public' : 'private'}, max-age=31536000, immutable`,
})

const MAX_ENTRY_BYTES = 65_535

/** Returns a bundle of entries: each of their records after its length in two bytes. */
const bundleOf = (records: readonly string[]): Buffer =>
  Buffer.concat(
    records.flatMap((record) => {
      const bytes = Buffer.from(record)
      if (bytes.length > MAX_ENTRY_BYTES) throw new Error('an entry is longer than a bundle can hold')
      return [Buffer.of(bytes.length >> 8, bytes.length % 256), bytes]
    }),
  )

/** A tile has one address: no level is written with zeros before it. */
const LEVEL = /^[0-5]$/
const ENTRIES = 'entries'

const tileAt = async (
  trees: HistoryReads,
  subsite: SubsiteDocument | undefined,
  level: string,
  path: string,
  owner: TreeOwner = subsite?.id,
) => {
  const [, digits, partial] = TILE.exec(path) ?? []
  const width = partial === undefined ? TILE_WIDTH : Number(partial)
  const isBundle = level === ENTRIES && subsite !== undefined
  if (!(isBundle || LEVEL.test(level)) || digits === undefined || width > TILE_WIDTH || (partial !== undefined && width === TILE_WIDTH))
    return refuseRule('NOT_FOUND')
  const index = Number(digits.replaceAll(/\D/g, ''))
  const tile = await trees.tile(owner, { level: isBundle ? 0 : Number(level), index, width })
  if (tile === undefined) return refuseRule('NOT_FOUND')
  if (isBundle) {
    const acts = await trees.acts(subsite.id, index * TILE_WIDTH, width)
    if (acts.length < width || acts.some(({ k }, at) => k !== index * TILE_WIDTH + at)) return refuseRule('NOT_FOUND')
    const body = bundleOf(acts.map(({ k, n, leaf }) => entryRecord({ k, n, event: leaf })))
    return { kind: 'text' as const, type: 'application/octet-stream', body, headers: immutableHeaders(subsite), fleeting: true }
  }
  return {
    kind: 'text' as const,
    type: 'application/octet-stream',
    body: Buffer.from(tile),
    headers: immutableHeaders(subsite),
    fleeting: true,
  }
}

const level = describeParam(withSchema(rawText(), { type: 'integer', minimum: 0, maximum: 5 }), 'the level of the tile, 0 for leaves')
const levelOrEntries = describeParam(
  withSchema(rawText(), { type: 'string', enum: ['0', '1', '2', '3', '4', '5', ENTRIES] }),
  'the level of the tile, 0 for leaves, or `entries` for a bundle of the records that the leaves are made of',
)
const origin = describeParam(rawText(), 'the last part of the name of the origin, which `/history` shows')
const fullname = describeParam(rawText(), 'the fullname of a subsite, as it stands in the origin line of its checkpoints')
const tile = describeParam(rawText(), 'the number of the tile as C2SP tlog-tiles writes it, such as `x001/067` or `000.p/5`')
const subsite = describeParam(rawText(), 'the name of a subsite')
const tiles = new Media('application/octet-stream')

export const historyTrees = [
  overview,
  get('/history/log/checkpoint', {
    answers: { 200: plainText },
    summary: 'The last signed head of the tree over the whole log, as a C2SP tlog-checkpoint.',
    uses: ['history'],
    needs: { trees: requireHistory },
    handle: ({ trees }) => checkpointOf(trees, undefined),
  }),
  get('/history/log/tile/{level}/{tile}', {
    answers: { 200: tiles },
    summary: 'A tile of the tree over the whole log, as in C2SP tlog-tiles.',
    notes: 'Tiles hold salted hashes only, of which nothing can be guessed. There are no tiles of entries.',
    params: { level, tile },
    uses: ['history'],
    needs: { trees: requireHistory },
    handle: ({ trees, params }) => tileAt(trees, undefined, params.level, params.tile),
  }),
  get('/history/site/checkpoint', {
    answers: { 200: plainText },
    summary: 'The last signed head of the tree over the log of the site: how many entries it has, which only admins read.',
    uses: ['history'],
    needs: { trees: requireHistory },
    handle: ({ trees }) => checkpointOf(trees, undefined, SITE),
  }),
  get('/history/site/tile/{level}/{tile}', {
    answers: { 200: tiles },
    summary: 'A tile of that tree.',
    params: { level, tile },
    uses: ['history'],
    needs: { trees: requireHistory },
    handle: ({ trees, params }) => tileAt(trees, undefined, params.level, params.tile, SITE),
  }),
  get('/history/s/{subsite}/checkpoint', {
    answers: { 200: plainText },
    summary: 'The last signed head of the tree over the moderation log of a subsite.',
    params: { subsite },
    uses: ['history'],
    needs: { trees: requireHistory, of: subsiteOfName },
    handle: ({ trees, of }) => checkpointOf(trees, of),
  }),
  get('/history/s/{subsite}/tile/{level}/{tile}', {
    answers: { 200: tiles },
    summary: 'A tile of that tree, or, with `entries`, a bundle of the entries that its leaves are made of.',
    params: { subsite, level: levelOrEntries, tile },
    uses: ['history'],
    needs: { trees: requireHistory, of: subsiteOfName },
    handle: ({ trees, of, params }) => tileAt(trees, of, params.level, params.tile),
  }),
  get('/history/{origin}/log/checkpoint', {
    answers: { 200: plainText },
    summary: 'The same head as at `/history/log/checkpoint`, below the name of its origin, as C2SP tlog-tiles has it.',
    params: { origin },
    uses: ['history'],
    needs: { trees: requireHistory, origin: presentOrigin },
    handle: ({ trees }) => checkpointOf(trees, undefined),
  }),
  get('/history/{origin}/log/tile/{level}/{tile}', {
    answers: { 200: tiles },
    summary: 'A tile of the tree over the whole log, below the name of its origin.',
    notes: 'Monitors and mirrors of others take `https://` and the origin line of the checkpoint for the prefix.',
    params: { origin, level, tile },
    uses: ['history'],
    needs: { trees: requireHistory, origin: presentOrigin },
    handle: ({ trees, params }) => tileAt(trees, undefined, params.level, params.tile),
  }),
  get('/history/{origin}/s/{subsite}/checkpoint', {
    answers: { 200: plainText },
    summary: 'The last signed head of the tree over the moderation log of a subsite, below the name of its origin.',
    params: { origin, subsite: fullname },
    uses: ['history'],
    needs: { trees: requireHistory, origin: presentOrigin, of: subsiteOfFullname },
    handle: ({ trees, of }) => checkpointOf(trees, of),
  }),
  get('/history/{origin}/s/{subsite}/tile/{level}/{tile}', {
    answers: { 200: tiles },
    summary: 'A tile of that tree, or a bundle of its entries, below the name of its origin.',
    params: { origin, subsite: fullname, level: levelOrEntries, tile },
    uses: ['history'],
    needs: { trees: requireHistory, origin: presentOrigin, of: subsiteOfFullname },
    handle: ({ trees, of, params }) => tileAt(trees, of, params.level, params.tile),
  }),
]
