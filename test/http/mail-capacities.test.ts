import { findingsOf } from '../support/auditing.ts'
import { joinSite, startTea } from '../support/cast.ts'
import { appoint, postForm, waitUntilSettled } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { foundSubsite } from '../support/posting.ts'
import type { Caller, TestSite } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['carol', 'root']))

/** The capacities in which the events of a type are recorded that follow from a call. */
const capacitiesOf = async ({ running }: TestSite, type: string, act: () => Promise<unknown>) => {
  const before = await running.stores.events.head()
  await act()
  const recorded = await running.stores.events.readAll(before, 1_000)
  return recorded.filter((event) => event.type === type).map(({ meta }) => (JSON.parse(meta) as { by: { as: string } }).by.as)
}
/** The fullname of the message that somebody sent last. */
const lastOf = async (who: Caller) => String((await firstMail(who, 'sent'))?.data.name)

test.serial('mail that takes the permission mail is recorded as by a moderator or an admin, other mail as by a user', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  await foundSubsite(ann, 'atrium')
  const capacity = async (act: () => Promise<unknown>) => (await capacitiesOf(site, 'MessageSent', act)).join()
  const reply = (who: Caller, thing_id: string) => capacity(() => postForm(who, '/api/comment', { thing_id, text: 'an answer' }))
  const notice = { to: 'bob', subject: 's', text: 't', from_sr: 'atrium' }
  t.is(await capacity(() => postForm(ann, '/api/compose', notice)), 'moderator')
  t.is(await capacity(() => postForm(root, '/api/compose', notice)), 'admin')
  t.is(await capacity(() => compose(carol, '#atrium', 'a question')), 'user')
  const question = await lastOf(carol)
  t.is(await reply(carol, question), 'user')
  t.is(await reply(ann, question), 'moderator')
  t.is(await reply(root, question), 'admin')
  t.is(await capacity(() => compose(ann, bob.name, 'between us')), 'user')
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial('a reply for the moderators is recorded as by a moderator or an admin, in every conversation', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  await foundSubsite(ann, 'porch')
  const capacity = async (act: () => Promise<unknown>) => (await capacitiesOf(site, 'MessageSent', act)).join()
  const reply = (who: Caller, thing_id: string) => capacity(() => postForm(who, '/api/comment', { thing_id, text: 'an answer' }))
  await postForm(ann, '/api/compose', { to: 'bob', subject: 's', text: 't', from_sr: 'porch' })
  t.is(await reply(bob, await lastOf(ann)), 'user')
  t.is(await reply(ann, await lastOf(bob)), 'moderator', 'in the conversation that she began for the subsite')
  t.is(await reply(bob, await lastOf(ann)), 'user')
  t.is(await reply(root, await lastOf(bob)), 'admin')
  await compose(carol, '#porch', 'a question')
  await reply(ann, await lastOf(carol))
  t.is(await reply(carol, await lastOf(ann)), 'user')
  t.is(await reply(ann, await lastOf(carol)), 'moderator', 'although it was addressed to her')
  await compose(bob, 'carol', 'between us')
  t.is(await reply(root, await lastOf(bob)), 'admin', 'nobody else could')
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial('a mark that moderators share is changed as by a moderator, one’s own as by a user', async (t) => {
  const { site, ann, carol } = t.context
  await foundSubsite(ann, 'stairs')
  await compose(carol, '#stairs', 'a question')
  const id = await lastOf(carol)
  const capacity = async (who: Caller, path: string, type: string) =>
    (await capacitiesOf(site, type, () => postForm(who, path, { id }))).join()
  await waitUntilSettled(site)
  t.is(await capacity(ann, '/api/read_message', 'ModmailRead'), 'moderator')
  t.is(await capacity(ann, '/api/unread_message', 'ModmailUnread'), 'moderator')
  t.is(await capacity(ann, '/api/collapse_message', 'MessageCollapsed'), 'moderator')
  t.is(await capacity(ann, '/api/uncollapse_message', 'MessageUncollapsed'), 'moderator')
  t.is(await capacity(carol, '/api/collapse_message', 'MessageCollapsed'), 'user')
  await postForm(ann, '/s/stairs/api/friend', { type: 'moderator_invite', name: 'carol', permissions: '+mail' })
  const accept = () => postForm(carol, '/s/stairs/api/accept_moderator_invite')
  t.deepEqual(await capacitiesOf(site, 'ModeratorInvitationAccepted', accept), ['moderator'])
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial(
  'an audit finds no difference after a moderator wrote, removed and marked mail while gaining and losing the permission mail',
  async (t) => {
    const { site, ann, bob } = t.context
    const { nia } = await joinSite(site, 'nia')
    await foundSubsite(ann, 'ferry')
    await appoint(ann, 'ferry', nia, '+flair')
    await compose(bob, '#ferry', 'a question')
    const id = await lastOf(bob)
    await waitUntilSettled(site)
    const permit = (permissions: string) => ann.post('/s/ferry/api/setpermissions', { type: 'moderator', name: 'nia', permissions })
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all([
        permit(round % 2 === 0 ? '+mail' : '+flair'),
        nia.post('/api/compose', { to: 'bob', subject: 's', text: 't', from_sr: 'ferry' }),
        nia.post('/api/comment', { thing_id: id, text: 'an answer' }),
        nia.post(round % 2 === 0 ? '/api/remove' : '/api/approve', { id }),
        nia.post(round % 2 === 0 ? '/api/read_message' : '/api/unread_message', { id }),
        nia.post('/api/collapse_message', { id }),
      ])
      t.true(answers.every(({ status }) => status === 200 || status === 403))
    }
    t.deepEqual(await findingsOf(t, site.running), [])
  },
)
