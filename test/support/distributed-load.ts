import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from './random.ts'
import { type Answer, type Caller, callerAt } from './site.ts'

/** The writes that were acknowledged to a client. */
export type Acknowledged =
  | { readonly kind: 'link'; readonly id: string; readonly title: string; readonly author: string }
  | { readonly kind: 'comment'; readonly body: string }
  | { readonly kind: 'vote'; readonly voter: string; readonly thing: string }

type Person = { readonly name: string; readonly headers: Readonly<Record<string, string>> }

const PASSWORD = 'correct horse'

/** Registers a new account with its session, which every process knows. */
export const register = async (url: string, name: string): Promise<Person> => {
  const answer = await callerAt(url).post('/api/register', { user: name, passwd: PASSWORD, passwd2: PASSWORD, api_type: 'json' })
  if (answer.status !== 200) throw new Error(`cannot register ${name}: ${answer.text}`)
  const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  return { name, headers: { Cookie: cookie, 'X-Modhash': String(answer.at('json.data.modhash')) } }
}

export const speakingTo = (url: string, { headers }: Person): Caller => callerAt(url, headers)

type Load = {
  readonly acknowledged: readonly Acknowledged[]
  /** Requests that failed and were repeated. */
  readonly repeated: () => number
  /** Waits until every client has finished its current request. */
  readonly stop: () => Promise<void>
}

/** Milliseconds for which a client repeats one request. */
const RETRIES_MS = 60_000
/** The time for retries after `stop`. */
const LAST_RETRIES_MS = 20_000

/**
 * Clients that submit, comment and vote at any process that answers, each thing once, under a key of its own: a request without a clear
 * response is repeated at another process under the same key.
 */
export const startPeople = (
  urls: () => readonly string[],
  people: readonly Person[],
  { seed, subsite, pace }: { readonly seed: number; readonly subsite: string; readonly pace: number },
): Load => {
  const acknowledged: Acknowledged[] = []
  const voted = new Set<string>()
  let [stopping, repeated] = [false, 0]

  const insist = async (random: () => number, person: Person, path: string, form: Record<string, string>, key: string): Promise<Answer> => {
    let deadline = Date.now() + RETRIES_MS
    for (;;) {
      const all = urls()
      const url = all[Math.floor(random() * all.length)] ?? ''
      try {
        const answer = await speakingTo(url, person).post(path, { ...form, api_type: 'json' }, { 'Idempotency-Key': key })
        if (answer.status < 500) return answer
        if (Date.now() > deadline) throw new Error(`${path} never came to anything: ${answer.status} ${answer.text}`)
      } catch (error) {
        if (!(error instanceof TypeError) || Date.now() > deadline) throw error // fetch failed: the process died
      }
      if (stopping) deadline = Math.min(deadline, Date.now() + LAST_RETRIES_MS)
      repeated += 1
      await sleep(100 + 200 * random())
    }
  }

  const lane = async (person: Person, n: number): Promise<void> => {
    const random = randomFrom(seed * 1_000 + n)
    for (let turn = 0; !stopping; turn++) {
      const links = acknowledged.filter((one) => one.kind === 'link')
      const target = links[Math.floor(random() * links.length)]
      const dice = random()
      const key = `${seed}-${n}-${turn}`
      if (!target || dice < 0.3) {
        const title = `link ${key}`
        const answer = await insist(random, person, '/api/submit', { sr: subsite, kind: 'self', title }, key)
        if (typeof answer.at('json.data.name') !== 'string') throw new Error(`submit: ${answer.status} ${answer.text}`)
        acknowledged.push({ kind: 'link', id: String(answer.at('json.data.name')), title, author: person.name })
      } else if (dice < 0.6) {
        const body = `comment ${key}`
        const answer = await insist(random, person, '/api/comment', { thing_id: target.id, text: body }, key)
        // Its record is left out of the response if the read models were late; it was written all the same.
        if (!Array.isArray(answer.at('json.data.things'))) throw new Error(`comment: ${answer.status} ${answer.text}`)
        acknowledged.push({ kind: 'comment', body })
      } else if (target.author !== person.name && !voted.has(`${person.name} ${target.id}`)) {
        voted.add(`${person.name} ${target.id}`)
        const answer = await insist(random, person, '/api/vote', { id: target.id, dir: '1' }, key)
        if (answer.status !== 200) throw new Error(`vote: ${answer.status} ${answer.text}`)
        acknowledged.push({ kind: 'vote', voter: person.name, thing: target.id })
      }
      await sleep(pace * random())
    }
  }

  const lanes = Promise.all(people.map(lane)).catch((error) => {
    stopping = true
    throw error
  })
  lanes.catch(() => undefined) // reported by `stop`
  return {
    acknowledged,
    repeated: () => repeated,
    stop: async () => {
      stopping = true
      await lanes
    },
  }
}
