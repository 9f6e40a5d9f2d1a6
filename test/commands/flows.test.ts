import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { foundSubsite } from '../../src/commands/create-subsite.ts'
import { hashPassword, verifyPassword } from '../../src/commands/credentials.ts'
import { register } from '../../src/commands/register.ts'
import { Account, Username } from '../../src/domain/account.ts'
import { refuse } from '../../src/domain/decision.ts'
import { fullname } from '../../src/domain/ids.ts'
import { Moderators } from '../../src/domain/moderators.ts'
import { Relation } from '../../src/domain/relation.ts'
import { Subscription } from '../../src/domain/subscription.ts'
import { Subsite } from '../../src/domain/subsite.ts'
import type { SubsiteSettings } from '../../src/domain/subsite-settings.ts'
import { carryOut } from '../../src/reactions/process.ts'
import { awaitProjection } from '../../src/runtime/run.ts'
import { type WriteSide, writeSide } from '../support/commanding.ts'
import { streamOf } from '../support/stream-of.ts'

/** As in a request: the reactions to a command are done when it returns. */
const answered = (side: WriteSide) => {
  const follow = carryOut({ ...side, open: side.log.open, hadParticipated: async () => true })
  return { ...side, ...awaitProjection(side, { follow, waitUntilProjected: async () => true, report: (fault) => Promise.reject(fault) }) }
}

/** Hashed once, since a hash takes a quarter of a second. */
const ordinary = hashPassword('correct horse')

const nobody = (side: WriteSide) => ({ ...side.by('t2_0'), by: { account: null, as: 'user' } as const })
const registration = (name: string, password: string) => ({
  name,
  email: undefined,
  reserved: ['root'],
  check: async () => undefined,
  hash: async () => E.right(await (password === 'correct horse' ? ordinary : hashPassword(password))),
})
const registering = (side: WriteSide, name: string, password = 'correct horse', command = nobody(side)) =>
  register(side, registration(name, password), command)

test('a registration returns once name, account and password exist', async (t) => {
  const side = answered(await writeSide(t))
  const command = nobody(side)
  const registered = await registering(side, 'Ann', 'correct horse', command)
  const id = fullname('account', command.mint)
  t.deepEqual(registered, E.right({ id, name: 'Ann' }))
  t.deepEqual(await side.load(Username, 'ann'), { account: id, name: 'Ann' })
  t.like(await side.load(Account, id), { id, name: 'Ann', created: command.at, deleted: false, erased: false })
  t.truthy(await verifyPassword(side.vault, id, 'correct horse'))
  t.is(await verifyPassword(side.vault, id, 'correct horsE'), undefined)
  t.is(await verifyPassword(side.vault, undefined, 'correct horse'), undefined)
  t.is(await verifyPassword(side.vault, 't2_9', 'correct horse'), undefined)
})

test('a registration puts no secret into the log', async (t) => {
  const side = answered(await writeSide(t))
  await register(side, { ...registration('Ann', 'canary in the coal mine'), email: 'canary@mine.example' }, nobody(side))
  const log = JSON.stringify(await side.events.readAll('0'.repeat(20), 100))
  t.true(log.includes('Ann'))
  t.false(/canary|mine\.example|scrypt|salt/.test(log))
})

test('a registration reports an invalid name first, then a taken one, then other problems', async (t) => {
  const side = answered(await writeSide(t))
  await registering(side, 'Ann')
  const check = async () => ({ code: 'SHORT_PASSWORD', field: 'passwd' }) as const
  const hash = async () => refuse('TOO_BUSY')
  const attempt = (name: string, more = {}) => register(side, { ...registration(name, ''), check, hash, ...more }, nobody(side))
  t.deepEqual(await attempt('a'), refuse('USERNAME_TOO_SHORT', 'user'))
  t.deepEqual(await attempt('ANN'), refuse('USERNAME_TAKEN', 'user'))
  t.deepEqual(await attempt('Root'), refuse('USERNAME_TAKEN', 'user'))
  t.deepEqual(await attempt('bob'), refuse('SHORT_PASSWORD', 'passwd'))
  t.deepEqual(await attempt('bob', { check: async () => undefined }), refuse('TOO_BUSY'))
  t.is(await side.load(Username, 'bob'), undefined)
})

test('one of several concurrent claims of a name succeeds, and the others record nothing', async (t) => {
  const side = answered(await writeSide(t))
  const commands = Array.from({ length: 6 }, () => nobody(side))
  const results = await Promise.all(commands.map((command, i) => registering(side, 'ann', `password ${i}`, command)))
  t.is(results.filter(E.isRight).length, 1)
  const accounts = commands.map(({ mint }) => fullname('account', mint))
  t.is((await side.vault.getMany('credentials', accounts)).size, 1)
})

test('an interrupted registration is completed with the same ids', async (t) => {
  const side = await writeSide(t)
  const command = nobody(side)
  await registering(side, 'Ann', 'correct horse', command) // without what follows, as if it had died
  const id = fullname('account', command.mint)
  t.is(await side.load(Account, id), undefined)
  const follow = carryOut({ ...side, open: side.log.open, hadParticipated: async () => true })
  const claim = await streamOf(side.events, 'username-ann', 0)
  await Promise.all([follow(claim), follow(claim), follow(claim)])
  t.like(await side.load(Account, id), { name: 'Ann', created: command.at })
  t.is((await streamOf(side.events, `account-${id}`, 0)).length, 1)
  t.deepEqual(await registering(answered(side), 'Ann', 'correct horse', { ...command, retried: true }), E.right({ id, name: 'Ann' }))
})

const founding = (side: WriteSide, name: string, settings: Partial<SubsiteSettings> = { title: 'Tea' }, command = side.by('t2_ann')) =>
  foundSubsite(
    side,
    { name, type: settings.type, settings: () => E.right(settings), creator: { account: 't2_ann', admin: false, gold: false } },
    command,
  )

test('founding a subsite returns once its founder is moderator, contributor and subscriber', async (t) => {
  const side = answered(await writeSide(t))
  const command = side.by('t2_ann')
  const founded = await founding(side, 'Tea', { title: 'Tea', type: 'restricted' }, command)
  const id = fullname('subsite', command.mint)
  t.deepEqual(founded, E.right({ id, name: 'Tea' }))
  t.like(await side.load(Subsite, id), { id, name: 'Tea', creator: 't2_ann', settings: { title: 'Tea', type: 'restricted', lang: 'en' } })
  const [moderator, ...others] = (await side.load(Moderators, id))?.moderators ?? []
  t.like(moderator, { account: 't2_ann', permissions: '+all' })
  t.deepEqual(others, [])
  t.true((await side.load(Relation, `${id}.t2_ann`))?.contributor)
  t.true((await side.load(Subscription, `t2_ann.${id}`))?.subscribed)
})

test('founding a subsite reports an invalid type first, then the name, then the title', async (t) => {
  const side = answered(await writeSide(t))
  await founding(side, 'Tea')
  t.deepEqual(await founding(side, '', { type: 'archived' }), refuse('ADMIN_REQUIRED', 'type'))
  t.deepEqual(await founding(side, 'te', {}), refuse('BAD_SR_NAME', 'name'))
  t.deepEqual(await founding(side, 'tEA', {}), refuse('SUBSITE_EXISTS', 'name'))
  t.deepEqual(await founding(side, 'coffee', {}), refuse('NO_TEXT', 'title'))
})

test('retrying the founding of a subsite changes nothing', async (t) => {
  const side = answered(await writeSide(t))
  const command = side.by('t2_ann')
  const first = await founding(side, 'Tea', { title: 'Tea' }, command)
  const head = await side.events.head()
  t.deepEqual(await founding(side, 'Tea', { title: 'Tea' }, { ...command, retried: true }), first)
  t.is(await side.events.head(), head)
})
