import { type ParkedDocument, parked } from '../../../../projections/engine/parked.ts'
import { readCosignTime } from '../../../history/cosignature.ts'
import { sizeIn } from '../../../history/history-reads.ts'
import { textOfNote } from '../../../history/note.ts'
import { findBy, listingIndex } from '../../../ports/indexed.ts'
import { type Context, section, type Uses } from '../../contract/endpoint.ts'
import type { Operations } from '../../contract/parts.ts'
import { cast, username } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { adminOnly } from '../../needs/facts.ts'
import { epoch } from '../../present/thing.ts'

const { get, post } = section('Administration', { scope: 'read', login: 'user', errors: 'plain' })

const MAX_SHOWN = 100
const PARKED = listingIndex(parked, [], ['id'])

const parkedFields: shape.RecordTable<ParkedDocument> = {
  collection: [
    shape.text('links', '`*` if the event itself could not be read: `document` is then its stream.'),
    ({ collection }) => collection,
  ],
  document: [shape.text(cast.link), ({ document }) => document],
  event: [shape.text('00000000-0000-5000-8000-000000000000'), ({ event }) => event],
  type: [shape.text('LinkSubmitted'), ({ type }) => type],
  error: [shape.text('the title is missing'), ({ error }) => error],
  later: [shape.integer(0, 'How many later events wait behind it.'), ({ later }) => later],
  retried: [
    {
      ...shape.flag,
      description: 'The next start of a worker tries it again, with the events behind it. Otherwise only a rebuild shows them.',
    },
    ({ after }) => after !== undefined,
  ],
}

type Queued = Awaited<ReturnType<Operations['queued']>>[number]

const queuedFields: shape.RecordTable<Queued> = {
  event: [shape.text('00000000-0000-5000-8000-000000000000'), ({ id }) => id],
  type: [shape.text('AccountErased'), ({ type }) => type],
  stream: [shape.text(`account-${cast.account}`), ({ stream }) => stream],
  error: [shape.text('the read models are behind', 'Why the last try failed.'), ({ error }) => error],
  tries: [shape.integer(3), ({ tries }) => tries],
  since_utc: [shape.epoch, ({ since }) => epoch(since)],
}

type Warning = ReturnType<Operations['warnings']>[number]

const warningFields: shape.RecordTable<Warning> = {
  at_utc: [shape.epoch, ({ at }) => epoch(at)],
  level: [shape.choice('warn', 'error', 'fatal'), ({ level }) => level],
  message: [shape.text('a write was refused: the disk is full'), ({ message }) => message],
}

type Cosigner = { readonly name: string; readonly cosigned: number | undefined; readonly events: number | undefined }

const witnessFields: shape.RecordTable<Cosigner> = {
  name: [shape.text('witness.example/w1'), ({ name }) => name],
  cosigned_utc: [
    { ...shape.orNull(shape.epoch), description: 'When it saw the head; null if it has not.' },
    ({ cosigned }) => cosigned ?? null,
  ],
  events: [{ ...shape.orNull(shape.integer(0)), description: 'How many events the head covers.' }, ({ events }) => events ?? null],
}

const position = shape.text('00000000000000000412')

const countSchema = (description: string) => shape.integer(0, description)

const statusShape = shape.component('SiteStatus', () =>
  shape.recordSchema({
    version: shape.text('0.1.0'),
    started_utc: shape.epoch,
    ready: shape.flag,
    problems: shape.listOf(shape.text('the read models are 6.0 s behind')),
    warnings: shape.listOf(shape.text('ADMINS differs from that of another process, which recorded other admins in the log')),
    head: { ...shape.orNull(position), description: 'The position of the last event of the log; null while the log does not answer.' },
    lag: { ...shape.orNull(shape.integer(0)), description: 'Milliseconds that the oldest event not yet in the read models has waited.' },
    shards: {
      ...shape.listOf(shape.recordSchema({ shard: shape.integer(0), position, lag: shape.orNull(shape.integer(0)) })),
      description: 'How far each part of the read models has come; a data file has one part.',
    },
    parked: shape.listOf(shape.tableShape('ParkedDocument', parkedFields)),
    reactions: shape.listOf(shape.tableShape('QueuedReaction', queuedFields)),
    reactions_queued: countSchema('How many events wait for another try of their reactions; the list has the oldest hundred.'),
    proved: shape.orNull(shape.recordSchema({ at: shape.epoch, events: shape.integer(0), entries: shape.integer(0) })),
    signed: {
      ...shape.orNull(
        shape.recordSchema({ origin: shape.text('rostra.example/history/0123456789abcdef/log'), events: shape.integer(8_412) }),
      ),
      description: 'The last signed head of the whole log, as `/history/log/checkpoint` has it; null if there is none.',
    },
    witnesses: {
      ...shape.listOf(shape.tableShape('Witness', witnessFields)),
      description: 'The witnesses that `HISTORY_WITNESSES` names, and whether each has cosigned the last head that any of them did.',
    },
    since_start: shape.recordSchema({
      seconds: countSchema('Since this process started.'),
      requests: countSchema('Requests answered.'),
      refused: countSchema('Of them, those answered with 4xx.'),
      failed: countSchema('Of them, those answered with 5xx.'),
      appended: countSchema('Appends to the log.'),
      conflicts: countSchema('Appends tried again since somebody else wrote first.'),
      faults: countSchema('Appends that failed.'),
    }),
    recent: shape.listOf(shape.tableShape('ProcessWarning', warningFields)),
    admins: shape.listOf(username),
    default_subsites: shape.listOf(shape.text('general')),
  }),
)

const shardsOf = async ({ operations }: Uses<'operations'>, lags: readonly (number | null)[]) =>
  operations.projected().map((at, shard) => ({ shard, position: at, lag: lags[shard] ?? null }))

const readSignedHead = async ({ history }: Uses<'history'>) => {
  const checkpoint = await history?.checkpoint(undefined)
  if (checkpoint === undefined) return null
  return { origin: checkpoint.split('\n')[0], events: sizeIn(checkpoint) }
}

const cosignersOf = async ({ history, config }: Pick<Context, 'config'> & Uses<'history'>): Promise<readonly Cosigner[]> => {
  const note = await history?.readCosigned()
  return config.historyWitnesses.map((witness) => {
    const cosigned = note === undefined ? undefined : readCosignTime(textOfNote(note), note, witness)
    return { name: witness.name, cosigned, events: note === undefined || cosigned === undefined ? undefined : sizeIn(note) }
  })
}

const statusOf = async (context: Context & Uses<'health' | 'history' | 'operations'>) => {
  const { documents, operations, config, clock } = context
  const [health, stopped, queued, signed, witnesses, head] = await Promise.all([
    context.health(),
    findBy(documents, PARKED, {}, { limit: MAX_SHOWN }),
    operations.queued(),
    readSignedHead(context),
    cosignersOf(context),
    operations.head().catch(() => null),
  ])
  const { ready, lag, shards, proved, problems, warnings } = health
  return {
    version: operations.version,
    started_utc: epoch(operations.started),
    ready,
    problems,
    warnings,
    head,
    lag,
    shards: await shardsOf(context, shards ?? [lag]),
    parked: stopped.map((one) => shape.valuesOf(parkedFields, one)),
    reactions: queued.slice(0, MAX_SHOWN).map((one) => shape.valuesOf(queuedFields, one)),
    reactions_queued: queued.length,
    proved,
    signed,
    witnesses: witnesses.map((one) => shape.valuesOf(witnessFields, one)),
    since_start: { seconds: Math.max(0, Math.floor((clock() - operations.started) / 1000)), ...operations.counts() },
    recent: operations.warnings().map((one) => shape.valuesOf(warningFields, one)),
    admins: config.admins,
    default_subsites: config.defaultSubsites,
  }
}

const status = get('/api/v1/site/status', {
  otherPaths: ['/admin'],
  answers: { 200: statusShape },
  summary: 'The state of the service, as the process that answers sees it; for admins.',
  notes:
    'What `/health/ready` says, and beside it: how far each part of the read models has come, what waits for somebody or for another try, the last signed head and its witnesses, counts since the start, the last warnings of this process, and who is an admin.',
  uses: ['health', 'history', 'operations'],
  needs: { admin: adminOnly() },
  handle: async (context) => ({ kind: 'json', body: await statusOf(context), fleeting: true }),
})

const retryReactions = post('/api/v1/site/retry_reactions', {
  idempotency: false,
  errors: 'coded',
  answers: { 200: shape.recordSchema({ done: shape.integer(1), left: shape.integer(0) }) },
  summary: 'Try the queued reactions again now; for admins.',
  notes:
    'The service tries each by itself, after a pause that doubles up to five minutes: this one leaves out the pause, say once their cause is mended. It tries the oldest hundred, for five seconds at most. `left` is how many wait afterwards.',
  uses: ['operations'],
  needs: { admin: adminOnly() },
  handle: async ({ operations }) => ({ kind: 'json', body: await operations.retryReactions() }),
})

export const statusEndpoints = [status, retryReactions] as const
