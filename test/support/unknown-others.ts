import * as E from 'fp-ts/lib/Either.js'
import type { Aggregate } from '../../src/domain/decision.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { fullname } from '../../src/domain/ids.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { waitUntilSettled } from './community.ts'
import type { TestSite, User } from './site.ts'

const FIRST = 5_000_000
const AT_ONCE = 100

/** The nth of many accounts, or subsites, that nobody has registered or founded. */
export const unknownFullname = (kind: 'account' | 'subsite', n: number): string => fullname(kind, FIRST + n)

/** Records for an account an event that concerns each of so many unknown accounts or subsites. */
export const recordForMany = async <State, Event extends AnyEvent>(
  site: TestSite,
  { id }: User,
  aggregate: Aggregate<State, Event>,
  kind: 'account' | 'subsite',
  many: number,
  eventOf: (other: string) => Event,
): Promise<void> => {
  const { app } = site.running
  for (let first = 0; first < many; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, many - first) }, async (_, n) => {
        const other = unknownFullname(kind, first + n)
        await app.run(
          aggregate,
          `${id}.${other}`,
          () => E.right([eventOf(other)]),
          commandOf(seedOf(app.mint()), { account: id, as: 'user' }),
        )
      }),
    )
  await waitUntilSettled(site)
}
