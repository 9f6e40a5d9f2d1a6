import { join } from 'node:path'
import test from 'ava'
import { runCommand } from '../support/command.ts'
import { found, say, submit } from '../support/posting.ts'
import { randomFrom } from '../support/random.ts'
import { type Caller, startSite, type User } from '../support/site.ts'

const SEED = 7
const ROUNDS = 25
const WORKERS = 4

/** Something that somebody does to something, at random; whether it is allowed is the site's business. */
const act = (random: () => number, things: readonly string[], people: readonly User[]) => {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const id = pick(things)
  const whom = pick(people).name
  const acts: readonly (readonly [path: string, form: NonNullable<Parameters<Caller['post']>[1]>])[] = [
    ['/api/vote', { id, dir: pick([1, -1, 11, -11]) }],
    ['/api/vote', { id, dir: pick([1, -1]) }],
    ['/api/comment', { thing_id: id, text: `a word for /u/${whom}` }],
    ['/api/editusertext', { thing_id: id, text: 'another word' }],
    ['/api/lock', { id }],
    ['/api/unlock', { id }],
    ['/api/remove', { id, spam: pick([true, false]) }],
    ['/api/approve', { id }],
    ['/api/del', { id }],
    ['/api/set_subsite_sticky', { id, state: pick([true, false]) }],
    ['/api/save', { id, category: pick(['', 'tea']) }],
    ['/api/unsave', { id }],
    ['/api/hide', { id }],
    ['/api/unhide', { id }],
    ['/api/subscribe', { sr: 'tea', action: pick(['sub', 'unsub']) }],
    ['/api/compose', { to: whom, subject: 'hello', text: 'there' }],
    ['/api/compose', { to: '/s/tea', subject: 'hello', text: 'moderators' }],
    ['/s/tea/api/friend', { type: 'banned', name: whom, duration: pick(['', '3', '9']), note: pick(['', 'rude']) }],
    ['/s/tea/api/unfriend', { type: 'banned', name: whom }],
    ['/s/tea/api/friend', { type: 'contributor', name: whom }],
    ['/s/tea/api/unfriend', { type: 'contributor', name: whom }],
  ]
  return pick(acts)
}

test('after many concurrent requests the audit finds no difference', async (t) => {
  const site = await startSite()
  t.teardown(() => site.stop())
  const ann = await site.register('Ann')
  const people = [ann, await site.register('Bob'), await site.register('Carol'), await site.register('Dave')]
  await found(ann, 'tea')
  const things = [await submit(ann, 'tea'), await submit(ann, 'tea', { url: 'https://example.org/' })]
  for (const link of [...things]) things.push(await say(ann, link))

  const statuses = new Set<number>()
  const worker = async (n: number): Promise<void> => {
    const random = randomFrom(SEED + n)
    for (let round = 0; round < ROUNDS; round++) {
      const who = people[Math.floor(random() * people.length)] ?? ann
      const [path, form] = act(random, things, people)
      statuses.add((await who.post(path, { ...form, api_type: 'json' })).status)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, n) => worker(n)))
  t.false([...statuses].some((status) => status >= 500))

  const { code, stdout, stderr } = await runCommand('audit', join(site.directory, 'rostra.db'), '--json')
  const findings = stdout
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))
  t.deepEqual(findings.slice(0, -1), [], stderr)
  t.is(code, 0)
  t.true(Number(findings.at(-1)?.events) > 60)
})
