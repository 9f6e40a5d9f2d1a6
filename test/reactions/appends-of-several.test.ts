import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { NO_ERASED_TEXTS } from '../../src/domain/account.ts'
import type { Aggregate } from '../../src/domain/decision.ts'
import { type DomainEvent, eventDefinitions } from '../../src/domain/events.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START, type RecordedEvent, type StoredEvent } from '../../src/ports/event-store.ts'
import { subsitesShowing } from '../../src/queries/appearances.ts'
import { findMisplaced } from '../../src/queries/audiences.ts'
import { hadParticipated } from '../../src/queries/participation.ts'
import { seatsOf } from '../../src/queries/relations.ts'
import { carryOut, hasConsequences } from '../../src/reactions/process.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { runner } from '../../src/runtime/run.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { causes, lateActs, type Recording } from '../support/reaction-causes.ts'
import { openFile } from '../support/read-models.ts'

/** Records events as they are, whatever the state of their stream. */
const verbatim = (category: string) =>
  ({
    category,
    subsiteOf: () => undefined,
    on: Object.fromEntries([...eventDefinitions.keys()].map((type) => [type, () => null])),
  }) as never as Aggregate<null, DomainEvent>

/** Opens a data file with what consequences need; returns how they are carried out. */
const openReacting = async (t: ExecutionContext, original?: string) => {
  const { file, connection, stores } = openFile(t, original)
  const { events, documents, vault } = stores
  const log = codec(openKeyring(vault))
  const { run, load, loadReached } = runner({ events, codec: log })
  const readModels = await openReadModels({ events, documents, open: log.open }, projections)
  const projected = async <Found>(look: () => Promise<Found>): Promise<Found> => {
    while ((await readModels.next(1_000)).events > 0);
    return look()
  }
  const follow = carryOut({
    ...{ events, run, load, loadReached, open: log.open, admins: [] },
    forgetAnswers: async () => undefined,
    endAccess: async () => undefined,
    destroyTexts: async () => undefined,
    deleteBlob: async () => undefined,
    subsitesShowing: (hash) => projected(() => subsitesShowing(documents, hash)),
    textsOf: async () => ({ ...NO_ERASED_TEXTS, next: null }),
    misplacedIn: (subsite, audience) => projected(() => findMisplaced(documents, subsite, audience)),
    seatsOf: (account) => projected(() => seatsOf(documents, account)),
    hadParticipated: (account, subsite, before) => projected(() => hadParticipated(documents, account, subsite, before)),
  })
  const allAfter = async (after: string) => {
    const all: RecordedEvent[] = []
    for (let page = await events.readAll(after, 500); page.length > 0; page = await events.readAll(page.at(-1)?.position ?? after, 500))
      all.push(...page)
    return all
  }
  return { file, connection, events, log, run, follow, allAfter }
}

type Reacting = Awaited<ReturnType<typeof openReacting>>
type HandOn = Recording['handOn']

/** Records every event that no other caused, each cause three times in one append. */
const recordEveryEvent = async ({ run }: Reacting, handOn: HandOn) => {
  for (const [n, { stream, type, data, at, by, meta }] of everyEvent.entries()) {
    if (meta.causationId !== meta.commandId) continue
    const dash = stream.indexOf('-')
    const event = { type, data } as DomainEvent
    const appended = hasConsequences({ type }) ? [event, event, event] : [event]
    const command = { ...commandOf(seedOf(n), by), at }
    const result = await run(verbatim(stream.slice(0, dash)), stream.slice(dash + 1), () => E.right(appended), command)
    if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
    handOn(result.right.recorded)
  }
}

/** Histories in which each cause stands first, in the middle and last in its append, without what follows. */
const histories: Readonly<Record<string, (side: Reacting, handOn: HandOn) => Promise<void>>> = {
  'every event': recordEveryEvent,
  'acts with consequences': (side, handOn) => causes(side, { copies: 3, handOn }),
  'acts that came late': (side, handOn) => lateActs(side, { copies: 3, handOn }),
}

/** The types of the events that had consequences. */
const followed = new Set<string>()

/** Recorded by reactions alone, one to an append; more follows from one if it could not name everything. */
const recordedAlone = ['AccountTextsErased', 'AudienceApplied']

/** Returns the consequences of a history as `run` hands its events on, and as the log returns them. */
const consequencesOf = async (t: ExecutionContext, record: (side: Reacting, handOn: HandOn) => Promise<void>) => {
  const begun = await openReacting(t)
  const handedOn: StoredEvent[] = []
  await record(begun, (some) => handedOn.push(...some))
  const head = await begun.events.head()
  begun.connection.close()
  const [first, second] = [await openReacting(t, begun.file), await openReacting(t, begun.file)]

  for (let next: readonly StoredEvent[] = handedOn; next.length > 0; ) {
    const recorded: StoredEvent[] = []
    for (const event of next) recorded.push(...(await first.follow([event])).recorded)
    next = recorded
  }
  for (let at = LOG_START, page = await second.allAfter(at); page.length > 0; page = await second.allAfter(at)) {
    for (const event of page) if ((await second.follow([event])).position !== undefined) followed.add(event.type)
    at = page.at(-1)?.position ?? at
  }
  return { handed: await first.allAfter(head), read: await second.allAfter(head) }
}

for (const [name, record] of Object.entries(histories))
  test.serial(
    `a cause has the same consequences wherever it stands in an append, handed on by it or read from the log: ${name}`,
    async (t) => {
      t.timeout(120_000)
      const { handed, read } = await consequencesOf(t, record)
      const placed = (all: readonly RecordedEvent[]) => all.map(({ stream, revision, id, type }) => `${stream}@${revision} ${type} ${id}`)
      t.true(read.length > 0)
      t.deepEqual(placed(handed), placed(read))
    },
  )

test.serial('every event that can have consequences had some there, but those that reactions record', (t) => {
  const causes = [...eventDefinitions.keys()].filter((type) => hasConsequences({ type }) && !recordedAlone.includes(type))
  t.deepEqual(
    causes.filter((type) => !followed.has(type)),
    [],
  )
})
