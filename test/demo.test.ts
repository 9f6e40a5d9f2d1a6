import { execFile } from 'node:child_process'
import { scryptSync } from 'node:crypto'
import { join } from 'node:path'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { writeLog } from '../bench/write-log.ts'
import { refusalLines } from '../demo/acting.ts'
import { plan } from '../demo/community.ts'
import { lives } from '../demo/lives.ts'
import { pastOf } from '../demo/past.ts'
import { projections } from '../projections/all.ts'
import { openReadModels } from '../projections/engine/sets.ts'
import { register } from '../src/commands/register.ts'
import { commandOf, seedOf } from '../src/runtime/command.ts'
import { beginReactions, findingsOf } from './support/auditing.ts'
import { auditOf } from './support/full-file.ts'
import { catchUp, openFile } from './support/read-models.ts'
import { startSite, type TestSite } from './support/site.ts'
import { temporaryDirectory } from './support/temporary.ts'

const size = { seed: 7, people: 400, subsites: 40 }
const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)

test('the demo plans the same content for the same seed, in whatever order', (t) => {
  const [one, other] = [lives(size), lives(size)]
  const forwards = indexes(size.subsites).map((index) => one.subsite(index))
  const backwards = indexes(size.subsites)
    .toReversed()
    .map((index) => other.subsite(index))
    .toReversed()
  t.deepEqual(forwards, backwards)
  t.deepEqual(one.person(3), other.person(3))
  t.notDeepEqual(one.person(3), lives({ ...size, seed: 8 }).person(3))
})

test('planned content refers to planned subsites and accounts, and little is planned for each', (t) => {
  const plan = lives(size)
  for (const subsite of indexes(size.subsites).map((index) => plan.subsite(index))) {
    const { templates, wearers, labels, rules, pages, letters, reports } = subsite
    const count = (type: string) => templates.filter((template) => template.type === type).length
    t.true(wearers.every(({ person, template }) => person < size.people && template < count('USER_FLAIR')))
    t.true(labels.every(({ thing, template }) => thing < 1 && template < count('LINK_FLAIR')))
    t.true(pages.every(({ revisions }) => revisions.length >= 2))
    const revisions = pages.reduce((sum, page) => sum + page.revisions.length, 0)
    t.true(templates.length + wearers.length + labels.length + rules.length + revisions + letters.length + reports.length <= 60)
  }
  for (const { multi, saved, gilded, muted } of indexes(size.people).map((index) => plan.person(index))) {
    t.true(multi.subsites.every((subsite) => subsite < size.subsites))
    t.true((muted ?? 0) < size.subsites)
    t.true(saved.length + gilded.length <= 6)
  }
})

test('in the demo only registered accounts found subsites and take part, and half of the links are by all accounts', (t) => {
  const links = 40
  const { people, joined, subsites, link } = plan({ links, seed: 7 })
  const first = joined(0)
  t.true(first < people.length)
  t.true(subsites.every(({ founder, invited }) => [founder, ...invited].every((person) => person < first)))
  for (const index of indexes(links)) {
    const { author, comments, votes } = link(index)
    const involved = [author, ...comments.map((comment) => comment.author), ...votes.map(({ voter }) => voter)]
    t.true(involved.every((person) => person < joined(index)))
    t.is(joined(index) === people.length, index >= links / 2)
  }
})

test('in the demo people speak of the topic of their subsite, and some articles are linked to in several', (t) => {
  const links = 200
  const { subsites, link } = plan({ links, seed: 7 })
  t.false(
    subsites.some(({ name }) => name === 'tea'),
    'which the guides make',
  )
  const placesOf = new Map<string, Set<number>>()
  for (const { url, subsite, title, text } of indexes(links).map(link)) {
    if (url !== undefined) placesOf.set(url, (placesOf.get(url) ?? new Set()).add(subsite))
    t.notRegex(`${title} ${text ?? ''}`, /[{}]|undefined/)
  }
  t.true([...placesOf.values()].some((places) => places.size > 1))
})

test('the demo says of each refusal whether it was provoked, comes from a subsite that existed, or is not expected', (t) => {
  const provoked =
    'Refused on purpose: some people try what they may not do\n        3 links: SUBSITE_NOTALLOWED (only approved accounts post in a restricted subsite)\n'
  t.is(refusalLines({}), '')
  t.is(refusalLines({ 'links: SUBSITE_NOTALLOWED': 3 }), provoked)
  t.is(
    refusalLines({ 'votes: HTTP 403': 2, 'links: SUBSITE_NOTALLOWED': 3 }),
    `${provoked}Refused, and not expected to be\n        2 votes: HTTP 403\n`,
  )
  t.is(
    refusalLines({ 'subsites: SUBSITE_EXISTS': 1 }),
    'Refused, since somebody made these subsites before\n        1 subsites: SUBSITE_EXISTS\n',
  )
})

test('half a year of the demo is the same for the same seed, and a log in which an audit finds nothing', async (t) => {
  const past = pastOf({ links: 150, seed: 1 })
  t.deepEqual(pastOf({ links: 150, seed: 1 }), past)
  t.true(past.some(({ type }) => type === 'LinkLocked') && past.some(({ type }) => type === 'LinkApproved'))
  const file = join(temporaryDirectory(t), 'past.db')
  t.is(await writeLog(file, past), past.length)
  const opened = openFile(t, file)
  await catchUp(await openReadModels(opened.ports, projections))
  await beginReactions(opened.stores)
  t.deepEqual(await auditOf(t, opened), [])
})

const LINKS = 10
const SEED = 1

/** Registers somebody with the password that the demo gives them, and a hash that costs little: the demo then only logs in. */
const registerCheaply = async ({ running: { app } }: TestSite, name: string) => {
  const cost = { N: 256, r: 8, p: 1 }
  const hash = scryptSync(`demo-${SEED}-${name}`, '', 32, cost).toString('base64')
  const registration = {
    ...{ name, email: undefined, reserved: [], check: async () => undefined },
    hash: async () => E.right({ ...cost, salt: '', hash }),
  }
  return register(app, registration, commandOf(seedOf(app.mint()), { account: null, as: 'user' }))
}

const runDemo = (url: string, password: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const call = ['demo/demo.ts', '--links', String(LINKS), '--seed', String(SEED), '--url', url, '--admin', 'root']
    const child = execFile(process.execPath, call, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout),
    )
    child.stdin?.end(`${password}\n`)
  })

const failedDemo = (environment: Readonly<Record<string, string>>, ...options: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const { PORT: _, HOST: __, PUBLIC_URL: ___, ...others } = process.env
    execFile(process.execPath, ['demo/demo.ts', ...options], { env: { ...others, ...environment } }, (_error, _stdout, stderr) =>
      resolve(stderr),
    )
  })

test('the demo looks for the service at --url, or where the same environment would have it', async (t) => {
  const [byPort, byUrl, byOption, anyPort, wrong] = await Promise.all([
    failedDemo({ PORT: '1' }),
    failedDemo({ PORT: '1', PUBLIC_URL: 'http://localhost:2/' }),
    failedDemo({ PORT: '1', PUBLIC_URL: 'http://localhost:2/' }, '--url', 'http://localhost:3'),
    failedDemo({ PORT: '0' }),
    failedDemo({ PORT: 'eighty' }),
  ])
  t.regex(byPort, /no service answers at http:\/\/127\.0\.0\.1:1\//)
  t.regex(byUrl, /no service answers at http:\/\/localhost:2\//)
  t.regex(byOption, /no service answers at http:\/\/localhost:3\//)
  t.is(anyPort, 'PORT is 0, which is any port: name the service with --url\n')
  t.is(wrong, 'PORT is "eighty", but must be a port from 0 to 65535\n')
})

test('the demo uses every section, is refused nothing but what it provokes, and an audit finds no difference', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const admin = await site.register('root')
  for (const name of plan({ links: LINKS, seed: SEED }).people) t.true(E.isRight(await registerCheaply(site, name)))
  const printed = await runDemo(site.url, admin.password)
  const acts = [
    ...['rules', 'images', 'stylesheets', 'flair templates', 'own flair', 'link flair', 'wiki revisions', 'wiki reverts', 'reports'],
    ...['queues read', 'replies of moderators', 'replies to moderators', 'multis', 'saved things', 'muted subsites', 'blocks'],
    ...['preferences', 'gilded links', 'gold given'],
  ]
  for (const what of acts) t.regex(printed, new RegExp(`^ *[1-9]\\d* ${what}$`, 'm'))
  t.notRegex(printed, /^Refused(?! on purpose)/m)
  t.deepEqual(await findingsOf(t, site.running), [])
})
