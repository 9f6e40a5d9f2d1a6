import { LOG_START, type RecordedEvent } from '../../../src/ports/event-store.ts'
import type { VaultKind } from '../../../src/ports/vault.ts'
import type { User } from '../site.ts'
import { type Account, anyUser, authorityOf } from './roles.ts'
import type { Row } from './row.ts'
import type { Stage } from './stage.ts'

type By = { readonly account: string | null; readonly as: string }
type Meta = { readonly commandId: string; readonly correlationId: string; readonly causationId: string; readonly by: By }

const metaOf = ({ meta }: RecordedEvent) => JSON.parse(meta) as Meta

/** Tells whether an event is recorded in somebody's name. */
export const isBy =
  ({ id }: Pick<User, 'id'>) =>
  (event: RecordedEvent): boolean =>
    metaOf(event).by.account === id

const capacityOf = (as: Row['as'], role: Account): string => {
  if (as === 'staff') return authorityOf(role)
  return typeof as === 'function' ? as(role) : (as ?? 'user')
}

/** Returns the traces of a row's act by somebody who may do it. */
export const expectedTraces = ({ records = [], as, changesVault }: Row, role: Account): readonly string[] => [
  ...[typeof records === 'function' ? records(role) : records]
    .flat()
    .map((type) => `${type} as ${capacityOf(as, role)}`)
    .sort(),
  ...(changesVault === undefined ? [] : [`own ${changesVault}`]),
]

/** Observes what acts leave behind: events in the log, changes in the vault. */
export const openTrace = (stage: Stage) => {
  const { events, vault } = stage.site.running.stores
  const known = new Set<string>()
  let position = LOG_START

  /** Returns the events since the last call, without reactions to earlier acts. */
  const sinceLast = async (): Promise<readonly RecordedEvent[]> => {
    const found: RecordedEvent[] = []
    for (;;) {
      const batch = await events.readAll(position, 1_000)
      position = batch.at(-1)?.position ?? position
      found.push(...batch)
      if (batch.length === 0) break
    }
    const since = found.filter((event) => !known.has(metaOf(event).correlationId))
    for (const event of since) known.add(metaOf(event).correlationId)
    return since
  }

  const word = (event: RecordedEvent, self: User): string => {
    const { by } = metaOf(event)
    return `${event.type} as ${by.as}${by.account === self.id ? '' : `, in the name of ${by.account}`}`
  }

  /** Returns the events that an act recorded, each as often as it is in the log; if it recorded nothing itself, its reactions. */
  const recordedBy = (self: User, since: readonly RecordedEvent[]): readonly string[] => {
    const direct = since.filter((event) => metaOf(event).causationId === metaOf(event).commandId)
    return (direct.length > 0 ? direct : since).map((event) => word(event, self)).sort()
  }

  /** The records of a kind that everybody has, by account. */
  const readRecords = async (kind: VaultKind | undefined, self: User): Promise<ReadonlyMap<User, string>> => {
    if (kind === undefined) return new Map()
    const whose = new Set([self, ...anyUser.map((role) => stage[role])])
    const recordsOf = async (whom: User) => (await vault.list(kind, whom.id)).map(({ id, version }) => `${id} ${version}`).join()
    return new Map(await Promise.all([...whose].map(async (whom) => [whom, await recordsOf(whom)] as const)))
  }

  /** Returns the traces of an act, each in words. */
  return async (self: User, kind: VaultKind | undefined, act: () => Promise<unknown>): Promise<readonly string[]> => {
    await sinceLast()
    const before = await readRecords(kind, self)
    await act()
    const recorded = recordedBy(self, await sinceLast())
    const changed = [...(await readRecords(kind, self))].filter(([whom, held]) => held !== before.get(whom))
    return [...recorded, ...changed.map(([whom]) => (whom === self ? `own ${kind}` : `${kind} of ${whom.name}`))]
  }
}
