import { existsSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { commandLine } from '../src/cli/command-line.ts'
import { readPassword } from '../src/cli/password.ts'
import { configOf } from '../src/config.ts'
import { urlOf } from '../src/config-variables.ts'
import { act, commentIdOf, fail, idOf, type Posted, printCounts, runEach, type Scene } from './acting.ts'
import { connect, enter, logIn, type Person, tokenOf } from './client.ts'
import { type LinkPlan, plan } from './community.ts'
import { lives } from './lives.ts'
import { moderate } from './moderation.ts'
import { settle, spend } from './person-life.ts'
import { furnish, inhabit } from './subsite-life.ts'

const { values } = commandLine({
  usage: 'npm run demo -- [--links N] [--seed S] [--url URL] [--admin NAME] | --into FILE [--links N] [--seed S]',
  help: `Fills a running service, through its own HTTP interface, with a believable community.

  --links N     how many links (1000); comments and votes come with them
  --seed S      the same seed makes the same community (1)
  --url URL     where the service is; otherwise as the service has it, by PUBLIC_URL, or by HOST and PORT (http://127.0.0.1:8080)
  --admin NAME  an account with all permissions, which grants credits for gold; its password is the first line of stdin.
                Without it nothing is gilded
  --into FILE   instead, without a service: the log of such a community with half a year behind it, in a new data file, for docs/history.md`,
  options: {
    links: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    url: { type: 'string' },
    admin: { type: 'string' },
    into: { type: 'string' },
  },
})

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) fail(`--${name} must be a positive integer, not '${text}'`)
  return value
}

const links = positive('links', values.links)
const seed = positive('seed', values.seed)

if (values.into !== undefined) {
  if (existsSync(values.into)) fail(`${values.into} is there already`)
  const { writePast } = await import('./write-past.ts')
  const { events, host, password } = await writePast(values.into, { links, seed })
  const stores = ['EVENT_STORE_URL', 'DOCUMENT_STORE_URL'].map((name) => `${name}=sqlite:${values.into}`).join(' ')
  process.stdout.write(`${events} events in ${values.into}\n`)
  process.stdout.write(`Serve it with ${stores} npm start\n`)
  process.stdout.write(`Then open http://127.0.0.1:8080/login and log in as ${host}, who moderates, with the password ${password}\n`)
  process.exit(0)
}

/** Returns the address that a service with the same environment would have. */
const configuredUrl = (): string => {
  const config = configOf(process.env, 'work')
  if (E.isLeft(config)) return fail(config.left)
  const { publicUrl, host, port } = config.right
  return publicUrl === urlOf(host, 0) && port === 0 ? fail('PORT is 0, which is any port: name the service with --url') : publicUrl
}

const url = values.url ?? configuredUrl()
const base = URL.parse(url) ?? fail(`--url must be an address, not '${url}'`)

const CONNECTIONS = 48
/** The service queues a few registrations of one address and refuses more; the same is true of images and stylesheets. */
const EXPENSIVE_IN_FLIGHT = 4
/** The number of links, the first ones, that people act on after posting. */
const MAX_REMEMBERED_LINKS = 500
const MAX_REMEMBERED_COMMENTS = 10
/** The number of people who use an app. */
const MAX_APPS = 24
const send = connect(base, CONNECTIONS)
const community = plan({ links, seed })
const life = lives({ seed, people: community.people.length, subsites: community.subsites.length })

const reachable = await send('GET', '/health/live', {}, {}).catch((error: Error) =>
  fail(`no service answers at ${base.href} (${error.message}); start one with npm start`),
)
if (reachable.status !== 200) fail(`the service at ${base.href} is not healthy: ${reachable.status}`)

const adminPassword =
  values.admin === undefined
    ? ''
    : await readPassword(values.admin, { stdin: () => process.stdin, stderr: process.stderr }).catch((error: Error) => fail(error.message))
const started = performance.now()
const people: Person[] = []
const person = (index: number): Person => people[index % community.people.length] ?? fail('there is nobody')

const join = async (name: string, index: number) => {
  people[index] = await enter(send, name, `demo-${seed}-${name}`)
}
const first = community.joined(0)
await runEach('first people', community.people.slice(0, first), join, EXPENSIVE_IN_FLIGHT)

await runEach('subsites', community.subsites, async ({ name, title, description, type, founder, invited }) => {
  await act('subsites', person(founder).post('/api/site_admin', { name, title, public_description: description, type, link_type: 'any' }))
  for (const moderator of invited) {
    const invitation = { type: 'moderator_invite', name: person(moderator).name, permissions: '+posts,+access' }
    await act('invitations', person(founder).post(`/s/${name}/api/friend`, invitation))
    await act('moderators', person(moderator).post(`/s/${name}/api/accept_moderator_invite`, {}))
  }
})

const scene: Scene = { community, people, person, posted: [] }
await runEach('furnishing', community.subsites, (place, index) => furnish(scene, place, life.subsite(index)), EXPENSIVE_IN_FLIGHT)

const remembered: Posted[] = []

const play = async (index: number, { subsite, author, title, url, text, comments, votes, act: moderation }: LinkPlan) => {
  const place = community.subsites[subsite] ?? fail('there is no subsite')
  const content = url === undefined ? { kind: 'self', text: text ?? '' } : { kind: 'link', url }
  const link = idOf(await act('links', person(author).post('/api/submit', { sr: place.name, title, resubmit: 'true', ...content })))
  if (link === undefined) return
  const ids: (string | undefined)[] = []
  for (const { author: writer, parent, text: body } of comments) {
    const thing = (parent === undefined ? undefined : ids[parent]) ?? link
    ids.push(commentIdOf(await act('comments', person(writer).post('/api/comment', { thing_id: thing, text: body }))))
  }
  for (const { voter, dir, comment } of votes) {
    const thing = comment === undefined ? link : ids[comment]
    if (thing !== undefined) await act('votes', person(voter).post('/api/vote', { id: thing, dir }))
  }
  if (index < MAX_REMEMBERED_LINKS) {
    const first = ids.slice(0, MAX_REMEMBERED_COMMENTS).flatMap((id) => id ?? [])
    remembered[index] = { subsite, author, link, comments: first }
  }
  const moderator = person(place.founder)
  if (moderation === 'lock') await act('locks', moderator.post('/api/lock', { id: link }))
  if (moderation === 'sticky') await act('stickies', moderator.post('/api/set_subsite_sticky', { id: link, state: 'true' }))
  if (moderation === 'remove' || moderation === 'spam' || moderation === 'remove and approve')
    await act('removals', moderator.post('/api/remove', { id: link, spam: String(moderation === 'spam') }))
  if (moderation === 'remove and approve') await act('approvals', moderator.post('/api/approve', { id: link }))
}

// The service hashes one password at a time for one address: people join one after another while those who have joined post links
let latest = Promise.resolve()
const arrivals = community.people.slice(first).map((name, index) => {
  latest = latest.then(() => join(name, first + index))
  return latest
})
await runEach('links', Array.from({ length: links }), async (_, index) => {
  await arrivals[community.joined(index) - first - 1]
  await play(index, community.link(index))
})
await latest

await runEach('readers', people, async (reader, index) => {
  for (const { name } of community.subsites.filter((_, subsite) => (index + subsite) % 3 === 0))
    await act('subscriptions', reader.post('/api/subscribe', { action: 'sub', sr: name }))
  await act('friends', reader.post('/api/friend', { type: 'friend', name: person(index + 1).name, container: reader.fullname }))
})

await runEach('messages', community.messages, ({ from, to, subject, text }) =>
  act('messages', person(from).post('/api/compose', { to: person(to).name, subject, text })),
)

// links that were refused are undefined
const later: Scene = { ...scene, posted: remembered.filter((one) => one !== undefined) }
await runEach('subsite life', community.subsites, (place, index) => inhabit(later, place, life.subsite(index)))
await runEach('moderation', community.subsites, (place, index) => moderate(later, place, life.subsite(index)))
await runEach('people life', people, (_, index) => settle(later, index, life.person(index)))

const admin = values.admin === undefined ? undefined : await tokenOf(send, await logIn(send, values.admin, adminPassword))
const useApp = async (user: Person, index: number) => {
  const token = await tokenOf(send, user)
  if (token) await spend(later, index, life.person(index), token, admin)
}
await runEach('apps', people.slice(0, MAX_APPS), useApp, EXPENSIVE_IN_FLIGHT)

printCounts(started)
const host = person(community.subsites[0]?.founder ?? 0)
process.stdout.write(`Open ${new URL('/login', base)} and log in as ${host.name}, who moderates, with the password ${host.passwd}\n`)
process.exit(0)
