import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { NO_ERASED_TEXTS } from '../../src/domain/account.ts'
import type { Actor } from '../../src/domain/event.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { type Command, commandOf, seedOf } from '../../src/runtime/command.ts'
import { forgetAnswers } from '../../src/runtime/idempotency.ts'
import { idGenerator } from '../../src/runtime/mint.ts'
import { runner } from '../../src/runtime/run.ts'
import { temporaryDirectory } from './temporary.ts'

/** The module that keeps the read models up, as `npm start` has it. */
export const readModels = new URL('../../projections/engine/data-file-projector.ts', import.meta.url)

/** Opens the write side on a real data file, by default without read models. */
export const writeSide = async (t: ExecutionContext, projector?: URL) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'log.db'), ...(projector && { projector }) })
  if (projector) await stores.documents.prepare(collectionsOf(projections))
  t.teardown(stores.close)
  const log = codec(openKeyring(stores.vault))
  const { next: mint } = idGenerator(0, Date.now(), Date.now)
  const by = (account: string | null, as: Actor['as'] = 'user'): Command => commandOf(seedOf(mint()), { account, as })
  return {
    ...stores,
    admins: [],
    forgetAnswers: forgetAnswers(stores.vault),
    endAccess: async () => undefined,
    destroyTexts: async () => undefined,
    deleteBlob: async () => undefined,
    misplacedIn: async () => ({ things: [], entries: [] }),
    subsitesShowing: async () => [],
    seatsOf: async () => [],
    textsOf: async () => ({ ...NO_ERASED_TEXTS, next: null }),
    log,
    mint,
    by,
    ...runner({ events: stores.events, codec: log }),
  }
}

export type WriteSide = Awaited<ReturnType<typeof writeSide>>
