import * as E from 'fp-ts/lib/Either.js'
import { idAt } from '../../src/domain/ids.ts'
import { changeSettings, Subsite } from '../../src/domain/subsite.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { type EventStore, LOG_START, type RecordedEvent } from '../../src/ports/event-store.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { runner } from '../../src/runtime/run.ts'
import type { ServerConnections } from '../../src/stores.ts'
import { openRestricting } from './restricting.ts'

/** A subsite, who moderates it, and who took part in it. */
export type Place = { readonly subsite: string; readonly moderator: string; readonly participant: string }

/**
 * Records a change of several settings, two of which change the audience of the subsite, and a ban with a message, as requests do, without
 * what follows.
 */
export const actUnfollowed = async (
  { events, vault }: Pick<ServerConnections, 'vault'> & { readonly events: EventStore },
  { subsite, moderator, participant }: Place,
): Promise<void> => {
  const { run } = runner({ events, codec: codec(openKeyring(vault)) })
  const by = (n: number) => commandOf(seedOf(idAt(Date.now()) + n), { account: moderator, as: 'moderator' as const })
  const settings = { type: 'private', allow_top: false, show_media: false } as const
  const results = [
    await run(Subsite, subsite, changeSettings({ admin: false, gold: false }, settings), by(1)),
    await openRestricting({ run }).ban({ subsite, account: participant }, by(2), { message: 'lost words' }),
  ]
  if (results.some(E.isLeft)) throw new Error('refused')
}

/** Reads a whole log. */
export const allOf = async (events: Pick<EventStore, 'readAll'>): Promise<readonly RecordedEvent[]> => {
  const all: RecordedEvent[] = []
  for (let page = await events.readAll(LOG_START, 500); page.length > 0; page = await events.readAll(page.at(-1)?.position ?? '', 500))
    all.push(...page)
  return all
}
