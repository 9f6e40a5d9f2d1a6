import { join } from 'node:path'
import test from 'ava'
import { joinSite } from '../support/cast.ts'
import { spawnCommand } from '../support/command.ts'
import { appoint } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import { randomFrom } from '../support/random.ts'
import { type Caller, startSite, type User } from '../support/site.ts'

const SEED = 7
const ROUNDS = 50
const WORKERS = 4

/** The things to act on. Letters are added as they are written. */
type Scene = { readonly subsite: string; readonly things: readonly string[]; readonly letters: string[]; readonly people: readonly User[] }

/** Something that somebody does to something, at random; whether it is allowed is the site's business. */
const act = (random: () => number, { subsite, things, letters, people }: Scene) => {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const id = pick(things)
  const letter = pick(letters)
  const whom = pick(people).name
  const permissions = pick(['+all', '+mail', '+posts,+mail', '+access,+mail', '+flair'])
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
    ['/s/tea/api/friend', { type: 'muted', name: whom, note: pick(['', 'rude']) }],
    ['/s/tea/api/friend', { type: 'moderator_invite', name: whom, permissions }],
    ['/s/tea/api/setpermissions', { type: 'moderator', name: whom, permissions }],
    ['/s/tea/api/unfriend', { type: 'moderator', name: whom }],
    ['/s/tea/api/accept_moderator_invite', {}],
    ['/api/leavemoderator', { id: subsite }],
    ['/api/distinguish', { id: pick([id, letter]), how: pick(['yes', 'no', 'admin']), sticky: pick([true, false]) }],
    ['/api/report', { thing_id: pick([id, letter]), reason: 'rude' }],
    ['/api/ignore_reports', { id }],
    ['/api/compose', { to: whom, subject: 'hello', text: 'from us', from_sr: 'tea' }],
    ['/api/comment', { thing_id: letter, text: 'an answer' }],
    ['/api/remove', { id: letter }],
    ['/api/approve', { id: letter }],
    ['/api/read_message', { id: `${letter},${pick(letters)}` }],
    ['/api/unread_message', { id: letter }],
    ['/api/collapse_message', { id: letter }],
    ['/api/mute_message_author', { id: letter }],
    ['/s/tea/api/flair', { name: whom, text: pick(['', 'Brewer']) }],
    ['/s/tea/api/wiki/edit', { page: pick(['index', 'config/sidebar']), content: pick(['green', 'black']) }],
  ]
  return pick(acts)
}

test('while many concurrent requests are served and afterwards, the audit finds no difference', async (t) => {
  const site = await startSite()
  t.teardown(() => site.stop())
  const ann = await site.register('Ann')
  const { bob, carol, dave, root } = await joinSite(site, 'bob', 'carol', 'dave', 'root')
  const people = [ann, ann, bob, carol, dave, root]
  const subsite = await foundSubsite(ann, 'tea')
  await appoint(ann, 'tea', bob, '+mail')
  await appoint(ann, 'tea', carol, '+all')
  const things = [await submit(ann, 'tea'), await submit(ann, 'tea', { url: 'https://example.org/' })]
  for (const link of [...things]) for (const who of [ann, bob]) things.push(await say(who, link))
  const letters: string[] = []
  for (const who of [dave, root]) {
    await compose(who, '#tea')
    letters.push(String((await firstMail(who, 'sent'))?.data.name))
  }

  const statuses = new Set<number>()
  const worker = async (n: number): Promise<void> => {
    const random = randomFrom(SEED + n)
    for (let round = 0; round < ROUNDS; round++) {
      const who = people[Math.floor(random() * people.length)] ?? ann
      const [path, form] = act(random, { subsite, things, letters, people })
      const answer = await who.post(path, { ...form, api_type: 'json' })
      statuses.add(answer.status)
      const written = String(answer.at('json.data.things.0.data.name') ?? '')
      if (written.startsWith('t6_')) letters.push(written)
    }
  }
  const audited = async () => {
    const { code, stdout, stderr } = await spawnCommand('audit', join(site.directory, 'rostra.db'), '--json')
    const findings = stdout
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line))
    // a race with the end of a right is reported, and is no difference
    t.deepEqual(
      findings.slice(1, -1).filter(({ kind }) => kind !== 'race'),
      [],
      stderr,
    )
    t.like(findings[0], { kind: 'proof', ok: true })
    t.is(code, 0)
    return findings
  }
  await Promise.all([audited(), ...Array.from({ length: WORKERS }, (_, n) => worker(n))])
  t.false([...statuses].some((status) => status >= 500))

  const findings = await audited()
  t.true(Number(findings.at(-1)?.events) > 60)
})
