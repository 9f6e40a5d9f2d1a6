import test from 'ava'
import { CreditsGranted, GoldGiven, ThingGilded } from '../../src/domain/credits.ts'
import type { Actor } from '../../src/domain/event.ts'
import { LinkSubmitted } from '../../src/domain/link.ts'
import { findingsInLog } from '../support/auditing.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'

const [ann, bob] = ['t2_ann', 't2_bob'] as const
const place = { link: 't5_pot', subsite: 't4_tea' }
const story = [
  inNameOf('t2_root', 'admin')(CreditsGranted({ account: bob, csites: 9, balance: 9 })),
  inNameOf(ann)(
    LinkSubmitted({ ...place, author: ann, title: 'About pots', text: '', over18: false, sendReplies: false, filtered: false }),
  ),
]
const gilds = (csites: number, as: Actor['as']): LoggedEvent =>
  inNameOf(bob, as)(ThingGilded({ ...place, account: bob, csites, balance: 9 - csites, thing: 't5_pot', author: ann }))
const gives = (csites: number, as: Actor['as']): LoggedEvent =>
  inNameOf(bob, as)(GoldGiven({ account: bob, csites, balance: 9 - csites, to: ann, months: 3 }))

const problemsOf = async (t: Parameters<typeof findingsInLog>[0], last: LoggedEvent) => {
  const findings = await findingsInLog(t, loggedFrom([...story, last]))
  // the stories do not contain the reactions to their events
  return findings.flatMap((finding) => (finding.kind === 'event' && finding.problem.includes('price') ? [finding.problem] : []))
}

test('the audit accepts that users pay the price and admins nothing, also as users, as earlier versions recorded it', async (t) => {
  for (const paid of [gilds(1, 'user'), gilds(0, 'admin'), gilds(0, 'user'), gives(3, 'user'), gives(0, 'admin'), gives(0, 'user')])
    t.deepEqual(await problemsOf(t, paid), [])
})

test('the audit finds a gift of gold at another price', async (t) => {
  t.deepEqual(await problemsOf(t, gilds(2, 'user')), ['it costs 2 csites as user; the price is 1'])
  t.deepEqual(await problemsOf(t, gives(1, 'user')), ['it costs 1 csites as user; the price is 3'])
  t.deepEqual(await problemsOf(t, gilds(1, 'admin')), ['it costs 1 csites as admin; the price is 1'])
  t.deepEqual(await problemsOf(t, gives(0, 'moderator')), ['it costs 0 csites as moderator; the price is 3'])
})
