import type { Requests } from './compare.ts'
import type { Asked } from './load.ts'
import { newest, register, type Session, threadPath, usualLink } from './session.ts'

/** A load, and the share of the rate of bare Koa that the service must reach with it. */
export type Measure = Requests & {
  readonly name: string
  /**
   * The requests to the bare server, if each request is made from the one before: a request that the bare server got would be missing at
   * the service.
   */
  readonly bareAsk?: () => Asked
  /** The least ratio. */
  readonly bar?: number
  /** Requests in flight, if fewer than for other measures. */
  readonly connections?: number
}

const READERS = 16
/** The newest links that votes go to, the same number to each. */
const LINKS_VOTED_ON = 1_000
const MOVES = [1, -1, 11, -11] as const

/** Returns the items in turn, endlessly. */
export const inTurn = <T>(items: readonly T[]): (() => T) => {
  let next = 0
  return () => {
    const item = items[next++ % items.length]
    if (item === undefined) throw new Error('nothing to choose from')
    return item
  }
}

/** Asks for a different address each time, so that no response comes from the cache. */
export const askAnew = (ask: () => Asked): (() => Asked) => {
  let made = 0
  return () => {
    const asked = ask()
    return { ...asked, path: `${asked.path}${asked.path.includes('?') ? '&' : '?'}n=${made++}` }
  }
}

/**
 * Votes on all links with one voter and one move, then with the next voter. When all have voted, the next move begins: each vote changes
 * something.
 */
export const votes = (voters: readonly Session[], links: readonly string[]): (() => Asked) => {
  let cast = 0
  return () => {
    const link = links[cast % links.length]
    const turn = Math.floor(cast / links.length)
    const voter = voters[turn % voters.length]
    const dir = MOVES[Math.floor(turn / voters.length) % MOVES.length]
    cast += 1
    return { path: '/api/vote', headers: voter?.headers ?? {}, form: `id=${link}&dir=${dir}` }
  }
}

/** Comments on each link in turn. */
export const comments = (writers: readonly Session[], links: readonly string[]): (() => Asked) => {
  const [writer, link] = [inTurn(writers), inTurn(links)]
  let made = 0
  return () => {
    made += 1
    const form = { api_type: 'json', thing_id: link(), text: `Comment ${made}, as *short* as most.` }
    return { path: '/api/comment', headers: writer().headers, form: String(new URLSearchParams(form)) }
  }
}

const submissions = (writers: readonly Session[]): (() => Asked) => {
  const writer = inTurn(writers)
  let made = 0
  return () => {
    made += 1
    const form = { api_type: 'json', sr: 'place0', kind: 'link', title: `Number ${made}`, url: `https://example.com/${made}` }
    return { path: '/api/submit', headers: writer().headers, form: String(new URLSearchParams(form)) }
  }
}

/** The number of newest links that each reader saves whose page of saved things is measured. */
const LINKS_SAVED = 30

const save = async (url: string, readers: readonly Session[], links: readonly string[]): Promise<void> => {
  for (const { headers } of readers)
    for (const id of links) {
      const answer = await fetch(`${url}/api/save`, { method: 'POST', headers, body: new URLSearchParams({ id }) })
      if (!answer.ok) throw new Error(`${id} was not saved: ${await answer.text()}`)
    }
}

/** Searches in flight: they wait for one thread, in whose bounded queue those of a finished load may still be. */
const SEARCHES_IN_FLIGHT = 16

/** Listings beside hot, made anew each time: what a cached page costs does not depend on what it lists. */
const listings = async (url: string, readers: readonly Session[], newest: readonly string[]): Promise<readonly Measure[]> => {
  const { author, title } = await usualLink(url)
  const [reader] = readers
  if (!reader) throw new Error('nobody reads')
  await save(url, [reader], newest.slice(0, LINKS_SAVED))
  const name = 'reader_0'
  const anonymous = {
    new: '/s/all/new',
    'top of a day': '/s/all/top?t=day',
    'top of all time': '/s/all/top?t=all',
    'user overview': `/user/${author}/overview`,
    'search by relevance': `/search?q=${encodeURIComponent(title.split(' ')[0] ?? '')}`,
    'search by score': `/search?q=${encodeURIComponent(title.split(' ')[0] ?? '')}&sort=top`,
  }
  return [
    ...Object.entries(anonymous).map(([what, path]) => ({
      name: `${what}, not cached`,
      ask: askAnew(() => ({ path, headers: {} })),
      ...(path.startsWith('/search') && { connections: SEARCHES_IN_FLIGHT }),
    })),
    { name: 'saved, not cached', ask: askAnew(() => ({ path: `/user/${name}/saved`, headers: reader.headers })) },
  ]
}

const registerReaders = async (url: string, count = READERS): Promise<readonly Session[]> => {
  const readers: Session[] = []
  for (let i = 0; i < count; i += 1) readers.push(await register(url, `reader_${i}`))
  return readers
}

const writes = (writers: readonly Session[], links: readonly string[]): readonly Measure[] => {
  if (links.length === 0) throw new Error('there are no links to vote on')
  return [
    { name: 'vote', ask: votes(writers, links), bareAsk: votes(writers, links), writes: true, bar: 0.4 },
    { name: 'comment on a link', ask: comments(writers, links), writes: true },
    { name: 'submit', ask: submissions(writers), writes: true },
  ]
}

/** Returns the measures that write. */
export const writesOf = async (url: string, writers = READERS): Promise<readonly Measure[]> =>
  writes(await registerReaders(url, writers), await newest(url, LINKS_VOTED_ON))

/** Returns the measures of a running service whose data set has threads of these sizes. */
export const measuresOf = async (url: string, threads: readonly number[]): Promise<readonly Measure[]> => {
  const readers = await registerReaders(url)
  const reading = (path: string) => {
    const reader = inTurn(readers)
    return () => ({ path, headers: reader().headers })
  }
  const hot = { path: '/s/all/hot', headers: {} }
  const pages = threads.map(async (size): Promise<readonly Measure[]> => {
    const path = await threadPath(url, size)
    const name = `thread of ${size.toLocaleString('en')} comments`
    return [
      { name: `${name}, anonymous`, ask: { path, headers: {} } },
      { name: `${name}, anonymous, not cached`, ask: askAnew(() => ({ path, headers: {} })) },
      { name: `${name}, logged in`, ask: reading(path) },
      { name: `${name}, logged in, not cached`, ask: askAnew(reading(path)) },
    ]
  })
  const voted = await newest(url, LINKS_VOTED_ON)
  if (voted.length === 0) throw new Error('there are no links to vote on')
  return [
    { name: 'hot, anonymous', ask: hot, bar: 0.7 },
    { name: 'hot, anonymous, not cached', ask: askAnew(() => hot) },
    { name: 'hot, logged in', ask: reading(hot.path), bar: 0.4 },
    { name: 'hot, logged in, not cached', ask: askAnew(reading(hot.path)) },
    ...(await listings(url, readers, voted)),
    ...(await Promise.all(pages)).flat(),
    ...writes(readers, voted),
  ]
}
