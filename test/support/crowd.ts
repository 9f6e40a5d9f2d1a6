import type { ExecutionContext } from 'ava'
import { type Cast, startTea } from './cast.ts'
import { appoint } from './community.ts'
import type { Answer, User } from './site.ts'
import { streamOf } from './stream-of.ts'

/** A site on which ann and three others moderate tea with all permissions, and bob does not. */
export type Crowded = Pick<Cast<'ann' | 'bob'>, 'site' | 'ann' | 'bob'> & { readonly mods: readonly User[] }

export const startCrowded = async (): Promise<Crowded> => {
  const { site, ann, bob, mod_1, mod_2, mod_3 } = await startTea(['mod_1', 'mod_2', 'mod_3'])
  const mods = [mod_1, mod_2, mod_3]
  for (const mod of mods) await appoint(ann, 'tea', mod, '+all')
  return { site, ann, bob, mods: [ann, ...mods] }
}

export const CROWD_SIZE = 64

type Recorded = { readonly type: string; readonly data: Readonly<Record<string, unknown>> }

/** Returns the recorded events of a stream. */
export const recordedOn = async ({ site }: Crowded, stream: string): Promise<readonly Recorded[]> =>
  (await streamOf(site.running.stores.events, stream, 0)).map(({ type, data }) => ({ type, data: JSON.parse(data) }))

/** Does these things repeatedly, `MANY` times in all, concurrently. */
export const crowd = <Result>(deeds: readonly (() => Promise<Result>)[]): Promise<readonly Result[]> =>
  Promise.all(Array.from({ length: CROWD_SIZE }, (_, n) => (deeds[n % deeds.length] as () => Promise<Result>)()))

export const noFaults = (t: ExecutionContext<Crowded>, answers: readonly Answer[]) =>
  t.deepEqual(
    [...new Set(answers.map(({ status }) => status))].filter((status) => status >= 500),
    [],
  )
