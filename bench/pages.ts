import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { writeDemo } from './demo-cost.ts'
import { askAnew } from './measures.ts'
import { type Service, untilIdle } from './service.ts'
import { fetchListing, register } from './session.ts'
import { ratio, say, toTable, toWholeText } from './table.ts'
import { serve, type Version } from './versions.ts'

type Headers = Readonly<Record<string, string>>
type Thing = { readonly permalink: string; readonly num_comments: number; readonly subsite: string }

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const CLIENT = 'application/json'
const ROUNDS = 4
const REQUESTS_PER_ROUND = 400

const ask = (url: string, headers: Headers): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} is ${response.statusCode}`))
      else buffer(response).then(resolve, reject)
    })
      .on('error', reject)
      .end()
  })

/** Returns the processor time of a page in proportion to that of its JSON, which others on the machine do not change. */
const timeRatio = async ({ cpu, url }: Service, next: () => { readonly path: string }): Promise<number> => {
  const times = { [BROWSER]: 0, [CLIENT]: 0 }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const accept of [BROWSER, CLIENT] as const) {
      const before = cpu()
      for (let look = 0; look < REQUESTS_PER_ROUND; look += 1) await ask(`${url}${next().path}`, { accept })
      times[accept] += cpu() - before
    }
  return times[BROWSER] / times[CLIENT]
}

const sizes = async (address: string, headers: Headers) => {
  const [json, html] = [await ask(address, { ...headers, accept: CLIENT }), await ask(address, { ...headers, accept: BROWSER })]
  return { json: json.length, html: html.length }
}

const thingsAt = async (url: string): Promise<readonly Thing[]> => (await fetchListing<Thing>(url)).children.map(({ data }) => data)

/** Returns the pages to measure of a demo: what most people look at, and the longest logs. */
const pagesOf = async (url: string): Promise<Readonly<Record<string, string>>> => {
  const links = await thingsAt(`${url}/s/all/new?limit=100`)
  const thread = links.toSorted((a, b) => b.num_comments - a.num_comments)[0]
  if (!thread) throw new Error('the demo has no links')
  const subsites = [...new Set(links.map(({ subsite }) => subsite))]
  const logs = await Promise.all(
    subsites.map(async (name) => ({ name, entries: (await thingsAt(`${url}/s/${name}/about/log?limit=100`)).length })),
  )
  const [longest, ...others] = logs.toSorted((a, b) => b.entries - a.entries)
  const shortest = others.findLast(({ entries }) => entries > 0)
  const log = (named: typeof longest) => (named ? { [`a log of ${named.entries}`]: `/s/${named.name}/about/log?limit=100` } : {})
  return {
    'front page, 25 links': '/',
    'a subsite, 25 links': `/s/${longest?.name}`,
    [`a thread of ${thread.num_comments} comments`]: new URL(thread.permalink, url).pathname,
    ...log(longest),
    ...log(shortest),
  }
}

/** Prints how the pages of the demo compare with their JSON: bytes for readers and for an account, and times. */
export const measurePages = async (version: Version, links: number, directory: string): Promise<void> => {
  const dataDirectory = join(directory, 'pages')
  mkdirSync(dataDirectory)
  const service = await serve(version, join(dataDirectory, 'data.db'))
  const { url } = service
  await writeDemo(version, links, url)
  await untilIdle(service)
  const { headers } = await register(url, 'reader')
  const account = { cookie: headers.cookie ?? '' }
  const rows: string[][] = []
  for (const [name, path] of Object.entries(await pagesOf(url))) {
    const address = `${url}${path}`
    const askSame = () => ({ path, headers: {} })
    const [anonymous, signedIn, compressed] = [
      await sizes(address, {}),
      await sizes(address, account),
      await ask(address, { accept: BROWSER, 'accept-encoding': 'gzip' }),
    ]
    rows.push([
      name,
      toWholeText(anonymous.json),
      toWholeText(anonymous.html),
      ratio(anonymous.html / anonymous.json),
      toWholeText(compressed.length),
      ratio(signedIn.html / signedIn.json),
      ratio(await timeRatio(service, askAnew(askSame))),
      ratio(await timeRatio(service, askSame)),
    ])
  }
  say(toTable(['page', 'JSON', 'HTML', 'ratio', 'HTML, gzip', 'ratio, account', 'time, anew', 'time, cached'], rows))
  await service.stop()
}
