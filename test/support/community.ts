import { setTimeout as sleep } from 'node:timers/promises'
import { LOG_START } from '../../src/ports/event-store.ts'
import type { Answer, Caller, TestSite, User } from './site.ts'

type Fields = Parameters<Caller['post']>[1]

const requireSuccess = (answer: Answer, what: string): Answer => {
  if (answer.status >= 300 || /"errors":\[\[/.test(answer.text)) throw new Error(`${what}: ${answer.status} ${answer.text}`)
  return answer
}

/** Post a form that must succeed. */
export const postForm = async (caller: Caller, path: string, form: Fields = {}): Promise<Answer> =>
  requireSuccess(await caller.post(path, form), `POST ${path}`)

/** Makes somebody a moderator with some permissions. */
export const appoint = async (by: Caller, subsite: string, whom: User, permissions: string): Promise<void> => {
  await postForm(by, `/s/${subsite}/api/friend`, { type: 'moderator_invite', name: whom.name, permissions })
  await postForm(whom, `/s/${subsite}/api/accept_moderator_invite`)
}

type Child = { readonly kind: string; readonly data: Readonly<Record<string, unknown>> }

export const childrenOf = (answer: Answer): readonly Child[] => (answer.at('data.children') as readonly Child[] | undefined) ?? []
export const dataOf = (answer: Answer): readonly Readonly<Record<string, unknown>>[] => childrenOf(answer).map(({ data }) => data)

/** Returns the names of the subsites in a listing. */
export const displayNames = async (reader: Caller, path: string): Promise<readonly unknown[]> =>
  dataOf(await reader.get(path)).map(({ display_name }) => display_name)

/** Returns the entries of the moderation log of a subsite, newest first, as records. */
export const logEntries = async (reader: Caller, subsite: string, query = ''): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  dataOf(await reader.get(`/s/${subsite}/about/log?limit=500&${query}`))

/** Returns the entries as `mod action target details description`. */
export const logOf = async (reader: Caller, subsite: string): Promise<readonly string[]> =>
  (await logEntries(reader, subsite)).map(({ mod, action, target_fullname, details, description }) =>
    [mod, action, target_fullname, details, description]
      .map((part) => part ?? '-')
      .join(' ')
      .replace(/( -)+$/, ''),
  )

/** The end of the log, which an act that changes nothing does not move. */
export const head = ({ running }: TestSite): Promise<string> => running.stores.events.head()

/** Nothing is recorded by what `act` does. Reactions to earlier acts may be recorded meanwhile, since slow servers may be late with them. */
export const recordsNothing = async (site: TestSite, act: () => Promise<unknown>): Promise<boolean> => {
  const { events } = site.running.stores
  const before = await head(site)
  await act()
  const recorded = await events.readAll(before, 1_000)
  if (recorded.length === 0) return true
  const earlier = new Set<unknown>()
  for (
    let page = await events.readAll(LOG_START, 1_000);
    page.length > 0;
    page = await events.readAll(page.at(-1)?.position ?? before, 1_000)
  )
    for (const { id, position } of page) if (position <= before) earlier.add(id)
  return recorded.every(({ meta }) => earlier.has(JSON.parse(meta).causationId))
}

/** Waits until the read models show all that was written so far, which on slow servers takes its time. */
export const waitUntilSettled = async ({ running }: TestSite): Promise<void> => {
  const { stores, app } = running
  if (!(await app.freshness.waitUntil(await stores.events.head(), 60_000))) throw new Error('the read models do not come')
}

/** Waits until each entry of a moderation log has its numbers, which it gets within seconds. */
export const waitUntilNumbered = async (reader: Caller, subsite: string): Promise<void> => {
  await eventually(async () => (await logEntries(reader, subsite)).every(({ k }) => k !== null))
}

/** Waits until something holds, some ten seconds at most unless `looks` says otherwise. */
export const eventually = async (holds: () => Promise<boolean>, looks = 300): Promise<boolean> => {
  for (let tries = 0; tries < looks; tries += 1) {
    if (await holds()) return true
    await sleep(30)
  }
  return false
}
