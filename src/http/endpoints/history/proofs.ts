import * as E from 'fp-ts/lib/Either.js'
import { modLog as entries } from '../../../../projections/mod-log.ts'
import { isModEvent } from '../../../domain/mod-actions.ts'
import { publicFields } from '../../../domain/public-mod-log-fields.ts'
import { isForModerators } from '../../../domain/wiki-access.ts'
import type { HistoryReads, Inclusion, NumberedAct, OpenedField } from '../../../history/history-reads.ts'
import { SITE } from '../../../history/records.ts'
import { openReading } from '../../../queries/reading.ts'
import { pagesById } from '../../../queries/wiki.ts'
import { type Context, type Need, section, type Uses } from '../../contract/endpoint.ts'
import { describeParam, rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { anonymous, type Viewer } from '../../contract/request.ts'
import { cast } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { isViewerSuspended, loadSubsiteAccess, logRefusal } from '../../things/access.ts'
import { modActionShape, modLogRecords } from '../../things/log-entries.ts'
import { requireHistory } from './trees.ts'

const { get } = section('History', { scope: 'read', login: 'anyone', errors: 'plain' })

const toEventId = (id: string): string => id.replace(/^modaction_/i, '').toLowerCase()

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The public metadata of an act: who acted in what capacity, and when. The rest tells other reads and causes. */
const PUBLIC_META = ['meta.at', 'meta.by', 'meta.schema']
/** Fields for admins only: the accounts that were notified of an act. */
const FOR_ADMINS = ['data.notified', 'data.removed', 'data.audience']

type Reader = { readonly moderates: boolean; readonly admin: boolean; readonly isClosed: boolean }

type EntryWithChanges = { readonly changes?: readonly { readonly before: unknown; readonly after: unknown }[] }

/** Returns the fields of a setting's values, for viewers who read them in the entry. */
const settingFields = (type: string, entry: EntryWithChanges | undefined): readonly string[] =>
  type === 'SubsiteSettingChanged' && entry?.changes?.some(({ before, after }) => before !== null || after !== null)
    ? ['data.before', 'data.after']
    : []

/** Returns the fields of an act that a viewer may read who is shown this entry of it. */
const shownTo = ({ moderates, admin, isClosed }: Reader, { type }: NumberedAct['event'], entry: EntryWithChanges | undefined) => {
  const ofType = isModEvent(type) ? publicFields[type].map((name) => `data.${String(name)}`) : []
  const open = [...ofType, ...settingFields(type, entry)]
  return (name: string): boolean => {
    if (admin || PUBLIC_META.includes(name)) return true
    if (moderates) return (name.startsWith('data.') && !FOR_ADMINS.includes(name)) || name === 'stream' || name === 'revision'
    return open.includes(name) && (!isClosed || name === 'data.subsite' || name === 'data.account')
  }
}

type Data = { readonly subsite: string; readonly page?: string }
const dataOf = ({ event }: NumberedAct): Data => JSON.parse(event.data) as Data

/** Returns an act on the site, for admins: its leaf in the tree over the log is made of the whole event. */
const ofSite = ({ k, n, event: { id, type }, leaf, record }: NumberedAct) => ({
  k,
  n,
  entry: null,
  event: { id, type, fields: [], record: record(), leaf: base64(leaf) },
})

/** Presents acts as the viewer may see them: as entries, and as they are in the trees. A suspended viewer sees them as everybody does. */
export const presentActs = async (
  asking: Context & Uses<'history'>,
  acts: readonly NumberedAct[],
): Promise<readonly { readonly entry: object | null; readonly event: { readonly fields: readonly OpenedField[] } }[]> => {
  const viewer = (await isViewerSuspended(asking)) ? anonymous.viewer : asking.viewer
  const context = { ...asking, viewer }
  const { documents } = context
  const read = openReading(context, viewer)
  const places = acts.map(dataOf)
  await read.loadSubsites(places.map(({ subsite }) => subsite))
  const pages = await pagesById(
    documents,
    places.flatMap(({ subsite, page }) => (page === undefined ? [] : [{ subsite, page }])),
  )
  const known = await documents.getMany(
    entries,
    acts.map(({ event }) => event.id),
  )
  const shown = acts.flatMap(({ event }) => known.get(event.id) ?? [])
  const records = new Map((await modLogRecords(context, shown)).map(({ data }, at) => [shown[at]?.id, data]))
  return acts.map((act) => {
    if (act.owner === SITE) return ofSite(act)
    const { subsite, page } = dataOf(act)
    const isClosed = page !== undefined && isForModerators({ page, permlevel: pages(subsite, page)?.permlevel ?? 0 })
    const { id, type } = act.event
    const entry = records.get(id)
    const fields = act.fields(shownTo({ moderates: read.isModerator(subsite), admin: viewer.admin, isClosed }, act.event, entry))
    return { k: act.k, n: act.n, entry: entry ?? null, event: { id, type, fields, leaf: base64(act.leaf) } }
  })
}

const fieldShape = shape.component('CommittedField', () =>
  shape.recordSchema({
    name: shape.text('data.subsite'),
    commitment: shape.text('0'.repeat(64), 'SHA-256 of the salt and the value, both as they stand here, in hexadecimal.'),
    salt: shape.optional(shape.text('0'.repeat(32))),
    value: shape.optional(shape.text(JSON.stringify(cast.subsite), 'Canonical JSON.')),
  }),
)

const eventShape = shape.component('CommittedEvent', () =>
  shape.recordSchema({
    id: shape.text('00000000-0000-5000-8000-000000000000'),
    type: shape.text('LinkLocked'),
    fields: shape.listOf(fieldShape),
    record: shape.optional(shape.text('{}', 'Of an entry of the log of the site: what the leaf is made of, in place of fields.')),
    leaf: shape.text('base64', 'The leaf of the event in the tree over the whole log, in base64.'),
  }),
)

export const actFields = {
  k: shape.integer(0, 'The number of the entry in the moderation log of its subsite.'),
  n: shape.integer(0, 'The number of the event in the whole log.'),
  entry: shape.orNull(modActionShape),
  event: eventShape,
}

export const inclusionShape = shape.component('Inclusion', () =>
  shape.recordSchema({
    checkpoint: shape.text('note', 'A signed head.'),
    index: shape.integer(0),
    path: shape.listOf(shape.text('base64')),
  }),
)

export const writtenInclusion = (inclusion: Inclusion | undefined) => inclusion && { ...inclusion, path: inclusion.path.map(base64) }

export const textShape = shape.component('HistoryText', () =>
  shape.recordSchema({
    name: shape.text('data.target.excerpt'),
    commitment: shape.text('0'.repeat(64), 'SHA-256 of the 16 bytes of the salt and the text in UTF-8; it stands in the encrypted text.'),
    salt: shape.text('0'.repeat(32)),
    text: shape.text('Soft or hard?'),
  }),
)

/** Returns the texts of an act, in fields that the viewer may read, that its entry shows, each with its commitment. */
export const textsIn = async (
  { trees }: { readonly trees: HistoryReads },
  { event }: NumberedAct,
  { entry, fields }: { readonly entry: object | null; readonly fields: readonly OpenedField[] },
): Promise<readonly object[]> => {
  const { changes = [], ...others } = { ...entry } as {
    readonly changes?: readonly { readonly before: unknown; readonly after: unknown }[]
    readonly description?: unknown
  }
  const shown = new Set<unknown>([...Object.values(others), ...changes.flatMap(({ before, after }) => [before, after])])
  const open = new Set(fields.flatMap(({ name, value }) => (value === undefined ? [] : [name])))
  return [...(await trees.texts(event))].flatMap(([path, { text, salt, commitment }]) => {
    const name = `data.${path}`
    // a description may begin with the page that it is of
    const isPart = typeof others.description === 'string' && others.description.endsWith(`, ${text}`)
    const isShown = (shown.has(text) || isPart) && open.has(name.split('.', 2).join('.'))
    return isShown && salt && commitment ? [{ name, commitment: commitment.toString('hex'), salt: salt.toString('hex'), text }] : []
  })
}

/**
 * Returns the act of an entry, for viewers who may read the log of its subsite. An unknown act and one that is not numbered yet are the
 * same.
 */
export const requireAct: Need<NumberedAct, { readonly entry: string }, Viewer, { readonly trees: HistoryReads }> = async (context) => {
  const act = await context.trees.act(toEventId(context.params.entry))
  if (!act) return refuseRule('NOT_FOUND')
  if (act.owner === SITE) return context.viewer.admin ? E.right(act) : refuseRule('NOT_FOUND')
  const refusal = await logRefusal(context, await loadSubsiteAccess(context, dataOf(act).subsite))
  return refusal === undefined ? E.right(act) : refuseRule(refusal)
}

export const entryParam = describeParam(rawText(), 'the `id` of an entry of a moderation log')

export const historyProof = get('/history/proof/{entry}', {
  answers: {
    200: shape.recordSchema({
      ...actFields,
      texts: shape.listOf(textShape),
      binds: {
        ...shape.orNull(shape.recordSchema({ size: shape.integer(1), root: shape.text('base64') })),
        description:
          'The tree of the moderation log up to the entry, which its leaf in the tree over the whole log holds, too; null if an earlier version made that leaf.',
      },
      log: shape.orNull(inclusionShape),
      subsite: shape.orNull(inclusionShape),
    }),
  },
  summary: 'Proof that an entry of a moderation log is in the trees of which heads are signed.',
  notes:
    'The event stands there field by field: each with its commitment, and with the value and the salt that open it where you may read it. Texts are encrypted, as they are stored; `texts` has those that the entry shows you, with their salts (ask with `raw_json=1`, so that they come as they were written). `log` and `subsite` are null until the next head is signed, within a minute or so. An entry without number yet is 404.',
  params: { entry: entryParam },
  uses: ['history'],
  needs: { trees: requireHistory, act: requireAct },
  handle: async (context) => {
    const { trees, act } = context
    const [body] = await presentActs(context, [act])
    const log = writtenInclusion(await trees.inclusion(undefined, act.n))
    const subsite = writtenInclusion(await trees.inclusion(act.owner, act.k))
    const texts = body ? await textsIn(context, act, { entry: body.entry, fields: body.event.fields }) : []
    const bound = await trees.boundBy(act)
    const binds = bound ? { size: bound.size, root: base64(bound.root) } : null
    return { kind: 'json', body: { ...body, texts, binds, log: log ?? null, subsite: subsite ?? null }, fleeting: true }
  },
})
