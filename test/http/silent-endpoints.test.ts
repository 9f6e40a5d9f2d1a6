import anyTest, { type TestFn } from 'ava'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { refusals } from '../../src/http/contract/refusals.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { appoint } from '../support/community.ts'
import { foundSubsite, submit } from '../support/posting.ts'
import { type Answer, type Caller, startSite, type TestSite, type User } from '../support/site.ts'

/*
 * Endpoints without a form's errors: whatever a silent endpoint answers an account with 200, its body is `{}`, and why it did nothing is in
 * `X-Reason`. A caller without an account reads it in the body.
 */

type Context = { readonly site: TestSite; readonly ann: User; readonly bob: User; readonly link: string }
const test = anyTest as TestFn<Context>

test.before(async (t) => {
  const site = await startSite()
  const [ann, bob] = [await site.register('ann'), await site.register('bob')]
  await foundSubsite(ann, 'tea')
  await appoint(ann, 'tea', bob, '+all')
  t.context = { site, ann, bob, link: await submit(bob, 'tea') }
})
test.after.always((t) => t.context.site.stop())

const silent = endpoints.filter(({ errors }) => errors === 'silent')

const addressOf = ({ path }: AnyEndpoint) => path.replace('[/s/{sub}]', '/s/tea')

/** Forms with each parameter missing, of no meaning, naming nothing, and naming something. */
const formsFor = ({ params }: AnyEndpoint, { link }: Context): readonly Record<string, string>[] => {
  const names = Object.keys(params)
  const values = ['', 'no such thing', 't5_zzzz', 't1_zzzz', 't6_zzzz', 't4_zzzz', 't2_zzzz', 'nobody', '-1', link, 'bob', 'x'.repeat(3000)]
  const known: Readonly<Record<string, string>> = {
    id: link,
    name: 'bob',
    sr: 'tea',
    sr_name: 'tea',
    action: 'sub',
    type: 'friend',
    dir: '1',
  }
  return [
    {},
    ...values.map((value) => Object.fromEntries(names.map((name) => [name, value]))),
    ...names.flatMap((name) => values.map((value) => ({ ...known, [name]: value }))),
  ]
}

const reasonOf = ({ headers }: Answer) => headers.get('x-reason')

for (const endpoint of silent) {
  const name = `${endpoint.method} ${endpoint.path}`
  const ask = (caller: Caller, form: Record<string, string> = {}) => caller.request(endpoint.method, addressOf(endpoint), { form })

  test.serial(`${name}: whatever an account sends, a response with 200 is {}, and its reason a known code`, async (t) => {
    const { ann, bob } = t.context
    const answers = await Promise.all([ask(ann), ask(await ann.session()), ...formsFor(endpoint, t.context).map((form) => ask(bob, form))])
    for (const answer of answers) {
      const reason = reasonOf(answer)
      if (answer.status === 200) t.is(answer.text, '{}')
      else t.is(reason, null)
      if (reason !== null) t.true(Object.hasOwn(refusals, reason), reason)
    }
  })

  test.serial(`${name}: callers without an account get USER_REQUIRED in json.errors, whatever they send, or a status`, async (t) => {
    const { site } = t.context
    for (const caller of [site, await site.appOnly()]) {
      for (const form of [{}, ...formsFor(endpoint, t.context).slice(-12)]) {
        const answer = await ask(caller, form)
        if (endpoint.login === 'moderator') t.deepEqual([answer.status, reasonOf(answer)], [403, null])
        else {
          t.deepEqual([answer.status, reasonOf(answer)], [200, 'USER_REQUIRED'])
          t.deepEqual(answer.body, { json: { errors: [['USER_REQUIRED', 'Please log in to do that.', null]] } })
        }
      }
    }
  })
}

test.serial('the reason of what a silent endpoint did not do is its code, and what it did has none', async (t) => {
  const { ann, bob, link } = t.context
  const done = await bob.post('/api/save', { id: link })
  t.deepEqual([done.text, reasonOf(done)], ['{}', null])
  const messages = Array.from({ length: 101 }, (_, n) => `t6_${n.toString(36)}`).join(',')
  t.is(reasonOf(await ann.post('/api/collapse_message', { id: messages })), 'TOO_MANY_THING_IDS')
})
