import { mkdir, stat } from 'node:fs/promises'
import { chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { type Scope, scopes } from '../src/auth/scopes.ts'
import { appoint, eventually, postForm } from '../test/support/community.ts'
import { startWithMovableClock } from '../test/support/movable-clock.ts'
import { foundSubsite, readThing, say, settle, submit } from '../test/support/posting.ts'
import type { TestSite, User } from '../test/support/site.ts'
import { edit } from '../test/support/wiki.ts'

const HOUR = 3_600_000
const names = ['ann', 'bob', 'cleo', 'dora', 'finn'] as const
type Name = (typeof names)[number]
type People = { readonly [N in Name]: User }
type Scene = { readonly site: TestSite; readonly cookie: string; readonly pages: Readonly<Record<string, string>>; readonly now: number }
const scopesOfAll = Object.keys(scopes) as readonly Scope[]
const MINUTE = 60_000

/** Titles with their authors, the oldest first; an address makes a link of one, a text a self-post. */
const posts: readonly (readonly [Name, string, string])[] = [
  ['cleo', 'A press in the cellar: one year of notes', 'https://cellar-press.example/one-year'],
  ['bob', 'Why old type cases are laid out as they are', 'https://typecase.example/lay-of-the-case'],
  ['ann', 'Read this before you post', 'Be kind, name your sources, and say **what you tried**. The wiki has a list of suppliers.'],
  ['dora', 'Linseed or soy? Forty inks on one paper', 'https://inkbook.example/forty-inks'],
  ['finn', 'Cheap watches, today only', 'https://watches.example/sale'],
  ['cleo', 'The ligatures nobody has used since 1820', 'https://longs.example/ligatures'],
  [
    'bob',
    'My roller leaves stripes at one edge. What do you check first?',
    'It is a 1954 proof press. The stripes come **every 12 cm**, on the left only.\n\n- new packing, same stripes\n- no dirt on the rails that I can see',
  ],
  ['dora', 'A map of the paper mills that still make rag paper', 'https://mills.example/map'],
  ['ann', 'Punchcutting by hand, filmed in one take', 'https://film.example/punches'],
  [
    'cleo',
    'Ask: which paper survives a damp cellar?',
    'I lose a sheet in ten to mould between October and March. A dehumidifier is too loud for the house.',
  ],
  ['bob', 'Small caps are not capitals made smaller', 'https://letters.example/small-caps'],
  ['dora', 'Found at a flea market: a complete fount of 8 point', 'https://flea.example/eight-point'],
]

const DAMP = 9
const replies: readonly (readonly [Name, number | undefined, string])[] = [
  ['dora', undefined, 'Cotton rag with gelatine size. It costs twice as much, and **lasts longer than the cellar**.'],
  ['bob', 0, 'Seconded. I keep the stack off the wall, on slats, with air below it.'],
  ['cleo', 1, 'How far off the wall?'],
  ['bob', 2, 'A hand’s width. Less, and the back row still takes the damp.'],
  [
    'ann',
    undefined,
    'Before you buy paper, measure for a week. Mine turned out to be a leaking gutter:\n\n> 78 % at the door, 91 % at the north wall\n\nNo paper survives that.',
  ],
  ['cleo', 4, 'North wall here as well. I will look at the gutter tomorrow.'],
  ['finn', undefined, 'Buy cheap watches at watches.example instead!!'],
]

const writePosts = async (people: People, some: typeof posts, wait: (ms: number) => Promise<void>): Promise<readonly string[]> => {
  const links: string[] = []
  for (const [author, title, content] of some) {
    const fields = content.startsWith('https://') ? { url: content } : { text: content }
    links.push(await submit(people[author], 'print', { title, ...fields }))
    await wait(9 * MINUTE)
  }
  return links
}

const writeComments = async (people: People, link: string, wait: (ms: number) => Promise<void>): Promise<readonly string[]> => {
  const comments: string[] = []
  for (const [author, to, text] of replies) {
    comments.push(await say(people[author], to === undefined ? link : (comments[to] ?? link), text))
    await wait(5 * MINUTE)
  }
  return comments
}

const vote = async (people: People, things: readonly string[]): Promise<void> => {
  for (const [at, id] of things.entries())
    for (const [who, voter] of Object.values(people).entries())
      if ((at * 7 + who * 3) % 5 < 3) await postForm(voter, '/api/vote', { id, dir: (at + who) % 3 === 0 ? -1 : 1 })
}

const moderate = async (
  { ann, bob, cleo, dora }: People,
  links: readonly string[],
  comments: readonly string[],
  wait: (ms: number) => Promise<void>,
) => {
  await postForm(ann, '/api/set_subsite_sticky', { id: links[2] ?? '', state: true })
  await postForm(dora, '/api/flair', { r: 'print', link: links[DAMP] ?? '', text: 'Question', css_class: 'question' })
  for (const reporter of [bob, cleo]) await postForm(reporter, '/api/report', { thing_id: links[4] ?? '', reason: 'Spam' })
  await postForm(dora, '/api/remove', { id: links[4] ?? '', spam: true })
  await wait(10 * MINUTE)
  await postForm(dora, '/api/friend', { r: 'print', type: 'banned', name: 'finn', note: 'watches, three times', duration: 7 })
  await postForm(ann, '/api/lock', { id: links[1] ?? '' })
  await wait(10 * MINUTE)
  await postForm(ann, '/api/unlock', { id: links[1] ?? '' })
  await postForm(ann, '/api/approve', { id: comments[4] ?? '' })
  await postForm(ann, '/api/site_admin', {
    sr: String((await ann.get('/s/print/about')).at('data.name')),
    title: 'Letters, type and print',
    type: 'public',
    link_type: 'any',
    public_description: 'Letterpress, type and paper, for people with ink on their hands',
  })
  for (const [reporter, id, reason] of [
    [bob, comments[6], 'Spam'],
    [cleo, comments[6], 'Spam'],
    [dora, links[7], 'The map is from 1998'],
    [cleo, links[10], 'Was here last month'],
  ] as const)
    await postForm(reporter, '/api/report', { thing_id: id ?? '', reason: reason === 'Spam' ? reason : 'other', other_reason: reason })
  await postForm(bob, '/api/compose', {
    to: 'ann',
    subject: 'The roller',
    text: 'It was the *bearer*. Thank you for the hint about the rails!',
  })
}

const furnish = async ({ ann, dora }: People): Promise<void> => {
  const print = await foundSubsite(ann, 'print', { title: 'Letters, type and print' })
  await settle(ann, print, {
    title: 'Letters, type and print',
    wikimode: 'anyone',
    public_description: 'Letterpress, type and paper',
    description:
      'Letterpress, type and paper, for people with **ink on their hands**. Beginners are welcome: [start in the wiki](/s/print/wiki/index).',
    submit_text: 'Say what you tried. Pictures of the fault help more than words.',
  })
  for (const [short_name, description] of [
    ['Be kind', 'To beginners most of all.'],
    ['Name your sources', 'Who cut it, who printed it, where it was seen.'],
    ['No advertisements', 'Sales have their own thread.'],
  ] as const)
    await postForm(ann, '/api/add_subsite_rule', { r: 'print', short_name, description, kind: 'all' })
  await edit(
    ann,
    'print',
    'index',
    '# Where to begin\n\n1. A table that does not move.\n2. One fount, of a size that you can read upside down.\n3. Paper. See [suppliers](/s/print/wiki/suppliers).',
  )
  await edit(
    dora,
    'print',
    'suppliers',
    '# Suppliers\n\n| mill | paper | ships |\n| --- | --- | --- |\n| North | rag, 120 g | yes |\n| Lake | laid, 90 g | no |',
  )
}

/** A site of people who print by hand, three days old, and its time. */
const startScene = async (): Promise<Scene> => {
  const { site, forward } = await startWithMovableClock()
  const began = Date.now()
  let passed = 0
  const users = await Promise.all(names.map(async (name) => [name, await site.register(name)] as const))
  // a token lasts for an hour
  const enter = async (): Promise<People> =>
    Object.fromEntries(
      await Promise.all(users.map(async ([name, user]) => [name, { ...user, ...(await user.withScopes(...scopesOfAll)) }] as const)),
    ) as unknown as People
  // the lease to write lasts for less; the service renews it once it notices the time
  const wait = async (ms: number): Promise<void> => {
    passed += ms
    forward(ms)
    const { ann } = await enter()
    await eventually(async () => (await ann.post('/api/subscribe', { action: 'sub', sr_name: 'print' })).status !== 503, 2_000)
  }
  let people = await enter()
  await furnish(people)
  await appoint(people.ann, 'print', people.dora, '+all')
  const links = [...(await writePosts(people, posts.slice(0, 5), wait))]
  await wait(30 * HOUR)
  people = await enter()
  links.push(...(await writePosts(people, posts.slice(5, 9), wait)))
  await wait(20 * HOUR)
  people = await enter()
  links.push(...(await writePosts(people, posts.slice(9), wait)))
  await wait(2 * HOUR)
  people = await enter()
  const comments = await writeComments(people, links[DAMP] ?? '', wait)
  await vote(people, [...links, ...comments])
  await wait(2 * HOUR)
  people = await enter()
  await moderate(people, links, comments, wait)
  await wait(HOUR)
  people = await enter()
  const { cookie } = await people.ann.session()
  const thread = String((await readThing(people.ann, links[DAMP] ?? '')).permalink)
  const pages = {
    front: '/hot',
    subsite: '/s/print',
    thread,
    log: '/s/print/about/log',
    queue: '/s/print/about/modqueue',
    submit: '/s/print/submit',
    inbox: '/message/inbox',
    user: '/user/cleo',
    search: '/search?q=paper',
    wiki: '/s/print/wiki/index',
    subsites: '/subs/new',
    register: '/register',
  }
  return { site, cookie, pages, now: began + passed + 60_000 }
}

/** Each page in light; those that the documents show also in dark, and on a phone. */
const looks = [
  { look: 'light', width: 1240, height: 860, dark: false, of: () => true },
  { look: 'dark', width: 1240, height: 860, dark: true, of: (name: string) => ['thread', 'log', 'queue'].includes(name) },
  { look: 'phone', width: 360, height: 740, dark: false, of: (name: string) => ['subsite', 'thread', 'queue', 'submit'].includes(name) },
] as const

const DIRECTORY = new URL('pages/', import.meta.url)

const shoot = async (page: Page, file: string): Promise<void> => {
  const shot = await page.screenshot()
  await sharp(shot).webp({ quality: 82, effort: 6 }).toFile(new URL(file, DIRECTORY).pathname)
}

/** Makes the pictures of docs/pages/: pages as a browser shows them. Needs Chromium, which CHROMIUM names where it is not `chromium`. */
export const generatePagePictures = async (): Promise<readonly string[]> => {
  const { site, cookie, pages, now } = await startScene()
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
  const files: string[] = []
  try {
    await mkdir(DIRECTORY, { recursive: true })
    const [name = '', value = ''] = cookie.split('=', 2)
    for (const { look, width, height, dark, of } of looks) {
      const context = await browser.newContext({ baseURL: site.url, viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' })
      await context.addCookies([{ name, value, url: site.url }])
      const page = await context.newPage()
      await page.clock.setFixedTime(now)
      for (const [called, address] of Object.entries(pages).filter(([one]) => of(one))) {
        if (called === 'register') await context.clearCookies()
        await page.goto(address)
        await shoot(page, `${called}-${look}.webp`)
        files.push(`${called}-${look}.webp`)
      }
      await context.close()
    }
    const sizes = await Promise.all(files.map(async (file) => (await stat(new URL(file, DIRECTORY))).size))
    return files.map((file, at) => `docs/pages/${file} (${sizes[at]} bytes)`)
  } finally {
    await browser.close()
    await site.stop()
  }
}
