import { load } from './load.ts'
import { askAnew, comments, inTurn, writesOf } from './measures.ts'
import { mixOf, sendPaced, sendWrites } from './mix.ts'
import type { Service } from './service.ts'
import { newest, register, type Session } from './session.ts'
import { say, toWholeText } from './table.ts'

/** The requests of a run a second, and its number of readers. */
const WRITES_A_SECOND = 300
const VOTES_A_SECOND = 200
const LONG_TEXTS_A_SECOND = 50
const READERS = 16
/** Characters of a long submission and of a long comment. */
const LONG_CHARACTERS = { submission: 39_000, comment: 9_900 }
const LINKS = 1_000
/** The pages a second of the mix that lasts, and the number of times that memory is printed meanwhile. */
const PAGES_A_SECOND = 50
const LOOKS = 6
/** The most MiB resident by which the last look may exceed the first. */
const GROWTH_BAR = 20
/** The bars, in MiB resident: when ready, after each phase, and after long texts. */
const BARS_MIB = { start: 200, phase: 300, long: 330 }

const longText = (characters: number, n: number): string => `Text ${n}, *long*. `.repeat(characters).slice(0, characters)

const longTexts = (writers: readonly Session[], links: readonly string[]) => {
  const [writer, link] = [inTurn(writers), inTurn(links)]
  let count = 0
  return () => {
    count += 1
    const { headers } = writer()
    const fields =
      count % 2 === 0
        ? { sr: 'place0', kind: 'self', title: `Long ${count}`, text: longText(LONG_CHARACTERS.submission, count) }
        : { thing_id: link(), text: longText(LONG_CHARACTERS.comment, count) }
    return {
      path: count % 2 === 0 ? '/api/submit' : '/api/comment',
      headers,
      form: String(new URLSearchParams({ api_type: 'json', ...fields })),
    }
  }
}

/** Prints the resident memory of a service by part after a phase. `rest`: other threads, the engine's pages, and what malloc keeps. */
const sayParts = async (phase: string, { memory, resident }: Service, bar: number): Promise<void> => {
  const { now, most } = resident()
  const { heap, buffers, program } = await memory()
  const parts = { heap, buffers, program, rest: now - heap - buffers - program }
  const named = Object.entries(parts).map(([part, mebibytes]) => `${part} ${toWholeText(mebibytes)}`)
  say(`${phase}: ${toWholeText(now)} MiB (${named.join(', ')}), at most ${toWholeText(most)}; bar ${bar} ${now <= bar ? 'met' : 'missed'}`)
}

/**
 * Prints the memory of a service after its start and after each phase of a run: submissions and comments, votes, pages, all together, long
 * texts. Each phase takes so many seconds.
 */
export const memoryPhases = async (service: Service, seconds: number): Promise<void> => {
  const { url } = service
  await sayParts('ready', service, BARS_MIB.start)
  const links = await newest(url, LINKS)
  const writers: Session[] = []
  for (let n = 0; n < READERS; n += 1) writers.push(await register(url, `writer_${n}`))
  const [vote, , submit] = (await writesOf(url)).map(({ ask }) => (typeof ask === 'function' ? ask : () => ask))
  if (!vote || !submit) throw new Error('nothing to write')
  const write = inTurn([submit, comments(writers, links)])
  const page = inTurn([
    askAnew(() => ({ path: '/s/all/hot', headers: {} })),
    askAnew(inTurn(links.map((name) => ({ path: `/comments/${name.slice(3)}`, headers: {} })))),
  ])
  const writes = () => sendPaced(url, WRITES_A_SECOND, seconds, () => write()())
  const votes = () => sendPaced(url, VOTES_A_SECOND, seconds, vote)
  const pages = () => load({ url, connections: READERS, seconds, ask: () => page()() })
  await writes()
  await sayParts(`${WRITES_A_SECOND} submissions and comments a second`, service, BARS_MIB.phase)
  await votes()
  await sayParts(`${VOTES_A_SECOND} votes a second`, service, BARS_MIB.phase)
  await pages()
  await sayParts('pages', service, BARS_MIB.phase)
  await Promise.all([writes(), votes(), pages()])
  await sayParts('all together', service, BARS_MIB.phase)
  await sendPaced(url, LONG_TEXTS_A_SECOND, seconds, longTexts(writers, links))
  await sayParts(`${LONG_TEXTS_A_SECOND} long texts a second`, service, BARS_MIB.long)
}

/** Prints the memory of a service under the mix, with pages at a fixed rate, after each sixth of so many seconds. */
export const memoryOverTime = async (service: Service, seconds: number): Promise<void> => {
  const { url } = service
  const mix = await mixOf(url)
  const step = seconds / LOOKS
  const resident: number[] = []
  for (let look = 1; look <= LOOKS; look += 1) {
    await Promise.all([sendWrites(url, mix, step), sendPaced(url, PAGES_A_SECOND, step, mix.pages)])
    await sayParts(`${toWholeText(step * look)} s of the mix`, service, BARS_MIB.phase)
    resident.push(service.resident().now)
  }
  const growth = (resident.at(-1) ?? 0) - (resident[0] ?? 0)
  say(`${toWholeText(growth)} MiB more after all than after a sixth; bar ${GROWTH_BAR} ${growth <= GROWTH_BAR ? 'met' : 'missed'}`)
}
