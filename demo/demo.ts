import { SingleBar } from 'cli-progress'
import { commandLine } from '../src/cli/command-line.ts'
import { type Answer, connect, enter, type Person, refusalOf } from './client.ts'
import { type LinkPlan, plan } from './community.ts'

const { values } = commandLine({
  usage: 'npm run demo -- [--links N] [--seed S] [--url URL]',
  help: `Fills a running service, through its own HTTP interface, with a believable community.

  --links N   how many links (1000); comments and votes come with them
  --seed S    the same seed makes the same community (1)
  --url URL   where the service is (http://127.0.0.1:8080)`,
  options: {
    links: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
  },
})

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) fail(`--${name} must be a positive integer, not '${text}'`)
  return value
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const links = positive('links', values.links)
const seed = positive('seed', values.seed)
const base = URL.parse(values.url) ?? fail(`--url must be an address, not '${values.url}'`)

const IN_FLIGHT = 48
/** The service lets a few registrations of one address wait for each other, and turns away more. */
const REGISTRATIONS_IN_FLIGHT = 4
const send = connect(base, IN_FLIGHT)
const community = plan({ links, seed })

const done: Record<string, number> = {}
const refused: Record<string, number> = {}

/** Counts what was done and what was refused; a refusal is part of the play (a locked link, a restricted subsite). */
const act = async (what: string, answer: Promise<Answer>): Promise<Answer | undefined> => {
  const settled = await answer
  const code = refusalOf(settled)
  if (settled.status >= 500) fail(`${what}: the service answered ${settled.status}: ${JSON.stringify(settled.body)}`)
  if (code === undefined) done[what] = (done[what] ?? 0) + 1
  else refused[`${what}: ${code}`] = (refused[`${what}: ${code}`] ?? 0) + 1
  return code === undefined ? settled : undefined
}

/** Runs the tasks, so many at once, and moves the bar. */
const each = async <T>(
  title: string,
  items: readonly T[],
  task: (item: T, index: number) => Promise<unknown>,
  inFlight = IN_FLIGHT,
): Promise<void> => {
  const bar = new SingleBar({
    format: `${title.padEnd(12)} {bar} {value}/{total} {eta_formatted}`,
    hideCursor: true,
    clearOnComplete: false,
  })
  bar.start(items.length, 0)
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      await task(items[index] as T, index)
      bar.increment()
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, items.length) }, worker))
  bar.stop()
}

const idOf = (answer: Answer | undefined): string | undefined =>
  (answer?.body as { json?: { data?: { name?: string } } } | undefined)?.json?.data?.name

const commentIdOf = (answer: Answer | undefined): string | undefined =>
  (answer?.body as { json?: { data?: { things?: readonly { data: { name: string } }[] } } } | undefined)?.json?.data?.things?.[0]?.data.name

const reachable = await send('GET', '/health/live', {}, {}).catch((error: Error) =>
  fail(`no service answers at ${base.href} (${error.message}); start one with npm start`),
)
if (reachable.status !== 200) fail(`the service at ${base.href} is not healthy: ${reachable.status}`)

const started = performance.now()
const people: Person[] = []
const person = (index: number): Person => people[index % people.length] ?? fail('there is nobody')

const join = async (name: string, index: number) => {
  people[index] = await enter(send, name, `demo-${seed}-${name}`)
}
await each('people', community.people, join, REGISTRATIONS_IN_FLIGHT)

await each('subsites', community.subsites, async ({ name, title, description, type, founder, invited }) => {
  await act('subsites', person(founder).post('/api/site_admin', { name, title, public_description: description, type, link_type: 'any' }))
  for (const moderator of invited) {
    const invitation = { type: 'moderator_invite', name: person(moderator).name, permissions: '+posts,+access' }
    await act('invitations', person(founder).post(`/s/${name}/api/friend`, invitation))
    await act('moderators', person(moderator).post(`/s/${name}/api/accept_moderator_invite`, {}))
  }
})

await each('readers', people, async (reader, index) => {
  for (const { name } of community.subsites.filter((_, subsite) => (index + subsite) % 3 === 0))
    await act('subscriptions', reader.post('/api/subscribe', { action: 'sub', sr: name }))
  await act('friends', reader.post('/api/friend', { type: 'friend', name: person(index + 1).name, container: reader.fullname }))
})

const play = async ({ subsite, author, title, url, text, comments, votes, act: moderation }: LinkPlan) => {
  const place = community.subsites[subsite] ?? fail('there is no subsite')
  const content = url === undefined ? { kind: 'self', text: text ?? '' } : { kind: 'link', url }
  const link = idOf(await act('links', person(author).post('/api/submit', { sr: place.name, title, ...content })))
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
  const moderator = person(place.founder)
  if (moderation === 'lock') await act('locks', moderator.post('/api/lock', { id: link }))
  if (moderation === 'sticky') await act('stickies', moderator.post('/api/set_subsite_sticky', { id: link, state: 'true' }))
  if (moderation === 'remove' || moderation === 'spam' || moderation === 'remove and approve')
    await act('removals', moderator.post('/api/remove', { id: link, spam: String(moderation === 'spam') }))
  if (moderation === 'remove and approve') await act('approvals', moderator.post('/api/approve', { id: link }))
}

await each('links', Array.from({ length: links }), (_, index) => play(community.link(index)))

await each('messages', community.messages, ({ from, to, subject, text }) =>
  act('messages', person(from).post('/api/compose', { to: person(to).name, subject, text })),
)

const seconds = (performance.now() - started) / 1000
const total = Object.values(done).reduce((sum, count) => sum + count, 0)
process.stdout.write(`\n${total} acts in ${seconds.toFixed(1)} s (${Math.round(total / seconds)}/s)\n`)
for (const [what, count] of Object.entries(done)) process.stdout.write(`${String(count).padStart(9)} ${what}\n`)
for (const [what, count] of Object.entries(refused)) process.stdout.write(`${String(count).padStart(9)} refused ${what}\n`)
process.stdout.write(`Log in as ${people[0]?.name} with the password demo-${seed}-${people[0]?.name}.\n`)
process.exit(0)
