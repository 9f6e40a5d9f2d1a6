import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { findingsOf } from '../support/auditing.ts'
import { appoint, children, dataOf, done, settled } from '../support/community.ts'
import { FULL } from '../support/full.ts'
import { acts } from '../support/moderation-acts.ts'
import { type Act, openOracle, type Queue, type Written } from '../support/moderation-oracle.ts'
import { found, names, refusalOf, say, submit } from '../support/posting.ts'
import fc from '../support/properties.ts'
import { type Answer, type Caller, startSite, type User } from '../support/site.ts'
import { type Actor, actors, relations } from '../support/staff-oracle.ts'

const RUNS = FULL ? 200 : 4
/** After so many acts the moderation log is read, to see that its entries stay as they are. */
const LOOK = 8
/** Another one tries other histories. */
const SEED = Number(process.env.ORACLE_SEED ?? 20260401)

const site = await startSite()
const root = await site.register('root')
test.after.always(() => site.stop())

/** Where the acts of a history are performed, and what they may concern, in the order of the oracle; letters by their fullnames. */
type Scene = {
  readonly subsite: string
  readonly fullname: string
  readonly cast: Readonly<Record<Actor, User>>
  readonly things: readonly Written[]
  readonly comments: readonly string[]
  readonly letters: string[]
}

const sending = async ({ subsite, cast, letters }: Scene, caller: Caller, one: Extract<Act, { act: 'write' }>): Promise<Answer> => {
  const subject = `letter ${letters.length}`
  const to = one.to === 'moderators' ? `/s/${subsite}` : cast[one.to].name
  const answer = await caller.post('/api/compose', {
    to,
    subject,
    text: 'some words',
    from_sr: one.inName ? subsite : '',
    api_type: 'json',
  })
  const sent =
    refusalOf(answer) === '' ? dataOf(await caller.get('/message/sent?limit=10')).find((one) => one.subject === subject) : undefined
  if (sent) letters.push(String(sent.name))
  return answer
}

/** The request that stands for an act; whether it is refused is the service's business. */
const send = async (scene: Scene, actor: Actor, one: Act): Promise<unknown> => {
  const { subsite, fullname, cast, things, comments, letters } = scene
  const caller = cast[actor]
  const here = (path: string, form: Parameters<Caller['post']>[1]) =>
    caller.post(`/s/${subsite}/api/${path}`, { ...form, api_type: 'json' })
  const name = 'whom' in one ? cast[one.whom].name : ''
  const id =
    'on' in one ? (things[one.on % things.length]?.name ?? '') : 'letter' in one ? (letters[one.letter % letters.length] ?? 't6_0') : ''
  switch (one.act) {
    case 'permit':
    case 'permit_invite':
      return here('setpermissions', {
        type: one.act === 'permit' ? 'moderator' : 'moderator_invite',
        name,
        permissions: one.permissions,
      })
    case 'invite':
      return here('friend', { type: 'moderator_invite', name, permissions: one.permissions })
    case 'uninvite':
    case 'dismiss':
      return here('unfriend', { type: one.act === 'dismiss' ? 'moderator' : 'moderator_invite', name })
    case 'accept':
      await here('accept_moderator_invite', {})
      return sleep(2) // nobody is as senior as the next one
    case 'leavemoderator':
    case 'leavecontributor':
      return caller.post(`/api/${one.act}`, { id: fullname })
    case 'relate':
      return here('friend', { type: one.type, name, note: one.note, duration: one.days ?? undefined })
    case 'unrelate':
      return here('unfriend', { type: one.type, name })
    case 'remove':
      return caller.post('/api/remove', { id, spam: one.spam })
    case 'report':
      return caller.post('/api/report', { thing_id: id, reason: 'rude' })
    case 'edit':
      return caller.post('/api/editusertext', { thing_id: id, text: `${Math.random()}` })
    case 'sticky':
      return caller.post('/api/set_subsite_sticky', { id, state: one.state })
    case 'contest':
      return caller.post('/api/set_contest_mode', { id, state: one.state })
    case 'distinguish':
      return caller.post('/api/distinguish', { id, how: one.state ? 'yes' : 'no', sticky: one.sticky, api_type: 'json' })
    case 'write':
      return sending(scene, caller, one)
    case 'answer': {
      const answer = await caller.post('/api/comment', { thing_id: id, text: 'an answer' })
      const sent = refusalOf(answer) === '' ? answer.at('json.data.things.0.data.name') : undefined
      return typeof sent === 'string' && letters.push(sent)
    }
    case 'mute_author':
    case 'unmute_author':
      return caller.post(`/api/${one.act === 'mute_author' ? 'mute' : 'unmute'}_message_author`, { id })
    case 'discard':
      return caller.post('/api/del_msg', { id })
    case 'complain':
      return caller.post('/api/report', { thing_id: id, reason: 'rude' })
    case 'hide':
    case 'show':
      return caller.post(`/api/${one.act === 'hide' ? 'remove' : 'approve'}`, { id })
    case 'mark':
    case 'block': {
      const known = [...comments, ...letters]
      const path = one.act === 'block' ? 'block' : one.unread ? 'unread_message' : 'read_message'
      return caller.post(`/api/${path}`, { id: known[one.entry % known.length] })
    }
    case 'unblock':
      return caller.post('/api/unfriend', { type: 'enemy', container: caller.id, name })
    case 'read_all':
      return caller.post('/api/read_all_messages')
    case 'read_shared': {
      const mail = await caller.get(`/s/${subsite}/about/message/unread?limit=25`)
      return mail.status === 200 && caller.post('/api/read_message', { id: names(mail).join(',') })
    }
    default:
      return caller.post(`/api/${one.act}`, { id })
  }
}

const queues: readonly Queue[] = ['reports', 'spam', 'modqueue', 'unmoderated', 'edited']

let scenes = 0

const openScene = async (): Promise<Scene> => {
  const n = scenes++
  const subsite = `tea${n}`
  const users = await Promise.all(actors.map(async (actor) => [actor, await site.register(`${actor}${n}`)] as const))
  const cast = Object.fromEntries(users) as Scene['cast']
  const fullname = await found(cast.ann, subsite)
  await appoint(cast.ann, subsite, cast.mod, '+posts')
  await appoint(cast.ann, subsite, cast.gate, '+access,+mail')
  await done(cast.gate, '/api/subscribe', { action: 'sub', sr_name: subsite }) // has taken part, like all the others
  const posted = async (): Promise<Written> => {
    const name = await submit(cast.alice, subsite)
    return { name, isLink: true, author: 'alice', answers: null, isTop: false }
  }
  const links = [await posted(), await posted(), await posted()]
  const said = async (author: Actor, { name: parent, isLink, author: answers }: Written): Promise<Written> => {
    const name = await say(cast[author], parent)
    return { name, isLink: false, author, answers, isTop: isLink }
  }
  const [link] = links as [Written]
  const comment = await said('bob', link)
  const answers = [comment, await said('alice', comment), await said('ann', link), await said('mod', link)]
  return { subsite, fullname, cast, things: [...links, ...answers], comments: answers.map(({ name }) => name), letters: [] }
}

test('after any acts the log, queues, stickies, relations, permissions and unread mail are as an independent model of the interface predicts', async (t) => {
  t.timeout(600_000)
  const property = fc.asyncProperty(acts, async (history) => {
    const scene = await openScene()
    const { subsite, cast, things, comments, letters } = scene
    const logged = async () => dataOf(await root.get(`/s/${subsite}/about/log?limit=500`))
    const before = (await logged()).length
    const oracle = openOracle(things)
    for (const [who, permissions] of [
      ['mod', '+posts'],
      ['gate', '+access,+mail'],
    ] as const) {
      oracle.perform('ann', { act: 'invite', whom: who, permissions })
      oracle.perform(who, { act: 'accept' })
    }
    const readFirst: readonly [Actor, Act] = ['ann', { act: 'read_shared' }]
    const earlier: Awaited<ReturnType<typeof logged>>[] = []
    for (const [n, [actor, one]] of [readFirst, ...history].entries()) {
      if (n % LOOK === 0) earlier.push(await logged())
      await send(scene, actor, one)
      oracle.perform(actor, one)
      t.is(letters.length, oracle.mail.sent(), `${actor} ${JSON.stringify(one)}`)
    }
    await settled(site)

    const roleOf = (name: unknown) => String(name ?? '').replace(/\d+$/, '')
    const entries = await logged()
    for (const some of earlier) t.deepEqual(entries.slice(-some.length), some, 'no later act changes an entry')
    /** The note of a mute may be the address of a letter. */
    const noteOf = (description: unknown) =>
      String(description ?? '').replace(/^.*\/message\/messages\/(\w+)$/, (_, id) => `letter ${letters.indexOf(`t6_${id}`)}`)
    const told = entries.map(({ mod, action, target_fullname, target_author, details, description }) => {
      const target = String(target_fullname ?? '').startsWith('t2_') ? roleOf(target_author) : (target_fullname ?? '')
      return [roleOf(mod), action, target, details ?? '', noteOf(description)].filter((part) => part !== '').join(' ')
    })
    t.deepEqual(told, oracle.log())
    t.is(before, 4)
    for (const queue of queues)
      t.deepEqual(names(await root.get(`/s/${subsite}/about/${queue}?limit=100`)).toSorted(), oracle.queue(queue).toSorted(), queue)
    for (const type of relations) {
      const { text } = await root.get(`/s/${subsite}/about/${type.endsWith('contributor') ? `${type}s` : type}`)
      for (const actor of actors) t.is(text.includes(`"${cast[actor].id}"`), oracle.staff.is(actor, type), `${type} ${actor}`)
    }
    const seats = (await root.get(`/s/${subsite}/about/moderators`)).at('data.children') as readonly {
      name: string
      mod_permissions: string[]
    }[]
    t.deepEqual(
      seats.map(({ name, mod_permissions }) => ({ who: roleOf(name), permissions: mod_permissions.map((one) => `+${one}`).join(',') })),
      oracle.staff.seats().map(({ who, permissions }) => ({ who, permissions })),
    )
    const leading = children(await root.get(`/s/${subsite}/hot`)).filter(({ data }) => data.stickied === true)
    t.deepEqual(
      leading.map(({ data }) => data.name),
      oracle.stickies(),
    )
    const shown = dataOf(await root.get(`/api/info?id=${things.map(({ name }) => name).join(',')}`))
    for (const { name, isLink, deleted, locked, nsfw, contest, removed, reported, distinguished } of oracle.things()) {
      const record = shown.find((one) => one.name === name)
      if (deleted) continue
      t.is(record?.num_reports, reported, name)
      t.is(record?.distinguished, distinguished ? 'moderator' : null, name)
      t.is(record?.banned_by !== null, removed, name)
      if (isLink) t.like(record, { locked, over_18: nsfw, contest_mode: contest }, name)
      else t.is(record?.stickied, oracle.leading() === name, name)
    }
    const labels = (answer: Answer) =>
      names(answer)
        .map((name) => (comments.includes(name) ? name : letters.includes(name) ? `letter ${letters.indexOf(name)}` : 'notice'))
        .toSorted()
    for (const actor of actors) {
      const caller = cast[actor]
      const unread = oracle.mail.unread(actor).toSorted()
      t.deepEqual(labels(await caller.get('/message/unread?limit=100')), unread, actor)
      const reads = oracle.staff.may(actor, 'mail')
      const shared = reads ? oracle.mail.unreadShared(actor).toSorted() : []
      const mail = await caller.get(`/s/${subsite}/about/message/unread?limit=100`)
      t.is(mail.status, reads ? 200 : 403, actor)
      if (reads) t.deepEqual(labels(mail), shared, actor)
      t.like(
        (await caller.get('/api/v1/me')).body,
        {
          inbox_count: unread.length,
          has_mail: unread.length > 0,
          has_mod_mail: shared.length > 0,
          mod_queue_count: oracle.staff.may(actor, 'posts') ? oracle.queue('modqueue').length : 0,
          is_mod: oracle.staff.moderates(actor),
        },
        actor,
      )
    }
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED })
  t.deepEqual(await findingsOf(t, site.running), [])
})
