import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from './random.ts'
import type { Session } from './service-process.ts'
import { type Answer, callerAt } from './site.ts'

type Form = Readonly<Record<string, string>>
export type Marks = { readonly insightful: boolean; readonly funny: boolean }

/** A write that was acknowledged: how to repeat it, and what the answer was. */
export type Acknowledged = { readonly key: string; readonly path: string; readonly form: Form; readonly body: string }

/** The acts of one client and their responses. Nobody else votes or moderates in its name, so it knows the state of everything it made. */
export type Client = {
  readonly by: Session
  readonly acknowledged: Acknowledged[]
  /** Fullname → title. */
  readonly links: Map<string, string>
  readonly comments: Map<string, string>
  readonly messages: string[]
  /** Names of the subsites it founded. */
  readonly subsites: string[]
  readonly marks: Map<string, Marks>
  readonly locked: Map<string, boolean>
  readonly removed: Map<string, boolean>
  /** Type of a log entry → how many of them this client must have caused. */
  readonly entries: Map<string, number>
}

export const openClient = (by: Session): Client => ({
  by,
  acknowledged: [],
  links: new Map(),
  comments: new Map(),
  messages: [],
  subsites: [],
  marks: new Map(),
  locked: new Map(),
  removed: new Map(),
  entries: new Map(),
})

export type Insisting = {
  /** The address of the service now; it may have ended when a request is sent. */
  readonly url: () => string
  readonly finished: () => boolean
  readonly seed: number
  /** Things that everybody may comment and vote on. */
  readonly shared: string[]
  readonly moderator: boolean
}

/** Sends the same request under the same key until there is a response, as a careful client does. */
export const insist = async (url: () => string, by: Session, key: string, path: string, form: Form): Promise<Answer> => {
  for (;;) {
    const caller = callerAt(url(), { ...by.headers, 'Idempotency-Key': key })
    const answer = await caller.post(path, { api_type: 'json', ...form }).catch(() => undefined)
    if (answer && answer.status < 500) return answer
    await sleep(20)
  }
}

const moves: Readonly<Record<string, Partial<Marks>>> = {
  '1': { insightful: true },
  '-1': { funny: true },
  '11': { insightful: false },
  '-11': { funny: false },
}

/** Writes of all kinds, one after the other, until it is stopped; every one of them is acknowledged in the end. */
export const insistOnWriting = async (client: Client, { url, finished, seed, shared, moderator }: Insisting): Promise<void> => {
  const { by } = client
  const random = randomFrom(seed)
  const oneOf = <T>(things: readonly T[]): T | undefined => things[Math.floor(random() * things.length)]
  let n = 0

  const write = async (path: string, form: Form): Promise<Answer> => {
    const key = `${by.name}-${n}`
    const answer = await insist(url, by, key, path, form)
    if (answer.status !== 200 || answer.at('json.errors.0') !== undefined)
      throw new Error(`${path} ${JSON.stringify(form)} was refused: ${answer.status} ${answer.text}`)
    client.acknowledged.push({ key, path, form, body: answer.text })
    return answer
  }

  const submit = async () => {
    const title = `${by.name} writes number ${n}`
    const name = String((await write('/api/submit', { sr: 'tea', kind: 'self', title })).at('json.data.name'))
    client.links.set(name, title)
    client.marks.set(name, { insightful: true, funny: false })
    if (!moderator) shared.push(name)
  }
  const comment = async (link: string) => {
    const text = `${by.name} says number ${n}`
    const answer = await write('/api/comment', { thing_id: link, text })
    client.comments.set(String(answer.at('json.data.things.0.data.name')), text)
  }
  const vote = async (link: string) => {
    const dir = oneOf(Object.keys(moves)) ?? '1'
    await write('/api/vote', { id: link, dir })
    client.marks.set(link, { insightful: false, funny: false, ...client.marks.get(link), ...moves[dir] })
  }
  const compose = async () => {
    const subject = `${by.name} asks number ${n}`
    await write('/api/compose', { to: 'reader', subject, text: 'an answer, please' })
    client.messages.push(subject)
  }
  const found = async () => {
    const name = `${by.name}_${n}`
    await write('/api/site_admin', { name, title: name, type: 'public', link_type: 'any' })
    client.subsites.push(name)
  }
  const logged = (type: string) => client.entries.set(type, (client.entries.get(type) ?? 0) + 1)
  const lock = async (link: string) => {
    const locking = !(client.locked.get(link) ?? false)
    await write(locking ? '/api/lock' : '/api/unlock', { id: link })
    client.locked.set(link, locking)
    logged(locking ? 'lock' : 'unlock')
  }
  const judge = async (link: string) => {
    const removing = random() < 0.5
    await write(removing ? '/api/remove' : '/api/approve', { id: link, spam: 'false' })
    client.removed.set(link, removing)
    logged(removing ? 'removelink' : 'approvelink')
  }

  for (; !finished(); n++) {
    const ownLink = oneOf([...client.links.keys()])
    const link = oneOf(shared)
    const what = random()
    if (ownLink === undefined || link === undefined || what < 0.1) await submit()
    else if (moderator && what < 0.6)
      await judge(ownLink) // each time an act of its own: done twice, it would show
    else if (moderator && what < 0.7) await lock(ownLink)
    else if (what < 0.8) await comment(link)
    else if (what < 0.88) await vote(link)
    else if (what < 0.93) await found()
    else await compose()
  }
}
