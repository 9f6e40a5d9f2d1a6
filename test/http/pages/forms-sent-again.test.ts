import test from 'ava'
import { browserAs } from '../../support/browser-requests.ts'
import { joinSite } from '../../support/cast.ts'
import { appoint, eventually, postForm } from '../../support/community.ts'
import { startWithMovableClock } from '../../support/movable-clock.ts'
import { codeFor, registerApp } from '../../support/oauth.ts'
import { foundSubsite, say, submit } from '../../support/posting.ts'
import type { Caller } from '../../support/site.ts'

const { site, forward } = await startWithMovableClock({ logLevel: 'fatal' })
const { ann, bob, root } = await joinSite(site, 'ann', 'bob', 'root')
await foundSubsite(ann, 'tea')
const [asAnn, asBob, asRoot] = [await browserAs(site, ann), await browserAs(site, bob), await browserAs(site, root)]

/** The form with a button, as a browser would send it without anything typed. */
const formOf = (page: string, button: string) => {
  const form = page.split('<form ').find((one) => one.split('</form>')[0]?.includes(`>${button}</button>`)) ?? ''
  const fields = form.split('</form>')[0]?.matchAll(/type="hidden" name="([\w.]+)" value="([^"]*)"/g) ?? []
  return {
    action: /action="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? '',
    hidden: Object.fromEntries(Array.from(fields, ([, name, value]) => [name ?? '', value?.replaceAll('&quot;', '"') ?? ''])),
  }
}

type Row = {
  readonly who: Caller
  readonly page: string
  readonly button: string
  readonly typed?: Readonly<Record<string, string>>
  /** Undoes the act. */
  readonly prepare: () => Promise<unknown>
  readonly isDone: () => Promise<boolean>
}

const thread = await submit(ann, 'tea', { kind: 'self', title: 'a kettle', text: 'boils' })
const comment = await say(ann, thread, 'first')
const permalink = String((await ann.get(`/api/info?id=${thread}`)).at('data.children.0.data.permalink'))
const unban = (type: string) => () => postForm(ann, '/s/tea/api/unfriend', { type, name: 'bob' })
const shows =
  (page: string, words: string, who: Caller = asAnn) =>
  async () =>
    (await who.get(page)).text.includes(words)
const removeRule = (short_name: string) => ann.post('/s/tea/api/remove_subsite_rule', { short_name })
const addRule = (short_name: string) => ann.post('/s/tea/api/add_subsite_rule', { short_name, description: 'as it was', kind: 'all' })
const multiAt = (name: string) => `/api/multi/user/${ann.name}/m/${name}`
const removeMulti = (name: string) => ann.request('DELETE', multiAt(name))
const makeMulti = () => ann.request('POST', multiAt('pots'), { form: { model: '{}' } })
const hasMulti = async (name: string) => (await ann.get(multiAt(name))).status === 200

const app = await registerApp(bob, 'web')

const rows: Readonly<Record<string, Row>> = {
  'a ban of some days': {
    who: asAnn,
    page: '/s/tea/about/banned',
    button: 'Ban',
    typed: { name: 'bob', duration: '3' },
    prepare: unban('banned'),
    isDone: shows('/s/tea/about/banned', 'Lift the ban'),
  },
  'a ban of some days from the wiki': {
    who: asAnn,
    page: '/s/tea/about/wikibanned',
    button: 'Ban',
    typed: { name: 'bob', duration: '3' },
    prepare: unban('wikibanned'),
    isDone: shows('/s/tea/about/wikibanned', 'Lift the ban'),
  },
  'a suspension of some days': {
    who: asRoot,
    page: '/admin/accounts?name=bob',
    button: 'Suspend it',
    typed: { duration: '3' },
    prepare: () => postForm(root, '/api/unsuspend_user', { name: 'bob' }),
    isDone: shows('/admin/accounts?name=bob', 'Lift the suspension', asRoot),
  },
  'an invitation': {
    who: asAnn,
    page: '/s/tea/about/moderators',
    button: 'Invite',
    typed: { name: 'bob', 'may.all': 'on' },
    prepare: async () => {
      await postForm(root, '/api/unsuspend_user', { name: 'bob' })
      await unban('moderator_invite')()
    },
    isDone: shows('/s/tea/about/moderators', 'Withdraw the invitation'),
  },
  'an invitation that is accepted': {
    who: asBob,
    page: '/s/tea/about/moderators',
    button: 'Accept an invitation to moderate',
    prepare: async () => {
      await unban('moderator')()
      await postForm(ann, '/s/tea/api/friend', { type: 'moderator', name: 'bob', permissions: '+all' })
    },
    isDone: shows('/s/tea/about/moderators', 'Step down', asBob),
  },
  'a seat that is left': {
    who: asBob,
    page: '/s/tea/about/moderators',
    button: 'Step down as a moderator',
    prepare: () => appoint(ann, 'tea', bob, '+all'),
    isDone: shows('/s/tea/about/moderators', 'Accept an invitation', asBob),
  },
  'a rule that is added': {
    who: asAnn,
    page: '/s/tea/about/rules',
    button: 'Add the rule',
    typed: { short_name: 'Milk', description: 'last', kind: 'all' },
    prepare: () => removeRule('Milk'),
    isDone: shows('/s/tea/about/rules', '<h2>Milk</h2>'),
  },
  'a rule that is renamed': {
    who: asAnn,
    page: '/s/tea/about/rules',
    button: 'Save',
    typed: { short_name: 'Lemon', description: 'as it was', kind: 'all' },
    prepare: async () => {
      for (const name of ['Lemon', 'Milk', 'Sugar']) await removeRule(name)
      await addRule('Sugar')
    },
    isDone: shows('/s/tea/about/rules', '<h2>Lemon</h2>'),
  },
  'a rule that is removed': {
    who: asAnn,
    page: '/s/tea/about/rules',
    button: 'Remove it',
    prepare: async () => {
      await removeRule('Lemon')
      await addRule('Sugar')
    },
    isDone: async () => !(await shows('/s/tea/about/rules', '<h2>Sugar</h2>')()),
  },
  'a multi that is made': {
    who: asAnn,
    page: '/prefs/multis',
    button: 'Make it',
    typed: { display_name: 'pots', visibility: 'private' },
    prepare: () => removeMulti('pots'),
    isDone: () => hasMulti('pots'),
  },
  'a multi that is deleted': {
    who: asAnn,
    page: '/prefs/multis',
    button: 'Delete it',
    prepare: makeMulti,
    isDone: async () => !(await hasMulti('pots')),
  },
  'a multi that is copied': {
    who: asAnn,
    page: '/prefs/multis',
    button: 'Copy it',
    typed: { display_name: 'pans' },
    prepare: async () => {
      await removeMulti('pans')
      await makeMulti()
    },
    isDone: () => hasMulti('pans'),
  },
  'a multi that is renamed': {
    who: asAnn,
    page: '/prefs/multis',
    button: 'Rename it',
    typed: { display_name: 'cups' },
    prepare: async () => {
      for (const name of ['cups', 'pans']) await removeMulti(name)
      await makeMulti()
    },
    isDone: async () => !(await hasMulti('pots')),
  },
  'an app whose tokens are revoked': {
    who: asAnn,
    page: '/prefs/apps',
    button: 'Revoke it',
    typed: { client_id: app.id },
    prepare: async () => {
      const code = await codeFor(await ann.session(), app, { duration: 'permanent' })
      await site.post('/api/v1/access_token', { grant_type: 'authorization_code', code, redirect_uri: app.redirect }, app.basic)
    },
    isDone: async () => !(await shows('/prefs/apps', `value="${app.id}"`)()),
  },
  'sessions elsewhere that are ended': {
    who: asAnn,
    page: '/prefs/sessions',
    button: 'Log out everywhere else',
    prepare: () => ann.session(),
    isDone: async () => !(await shows('/prefs/sessions', 'Log it out')()),
  },
  'a text that is edited': {
    who: asAnn,
    page: `${permalink}?edit=${thread}`,
    button: 'Save',
    typed: { text: 'whistles' },
    prepare: () => ann.post('/api/editusertext', { thing_id: thread, text: 'boils' }),
    isDone: shows(permalink, 'whistles'),
  },
  'a comment that is edited': {
    who: asAnn,
    page: `${permalink}?edit=${comment}`,
    button: 'Save',
    typed: { text: 'second' },
    prepare: () => ann.post('/api/editusertext', { thing_id: comment, text: 'first' }),
    isDone: shows(permalink, 'second'),
  },
  'a page of the wiki that is edited': {
    who: asAnn,
    page: '/s/tea/wiki/pots?edit=1',
    button: 'Save',
    typed: { content: 'of clay' },
    prepare: () => ann.post('/s/tea/api/wiki/edit', { page: 'pots', content: 'of iron' }),
    isDone: shows('/s/tea/wiki/pots', 'of clay'),
  },
  'templates of flair that are deleted': {
    who: asAnn,
    page: '/s/tea/about/flair',
    button: 'Delete all of them',
    prepare: () => ann.post('/s/tea/api/flairtemplate', { flair_type: 'USER_FLAIR', text: 'brews' }),
    isDone: async () => !(await shows('/s/tea/about/flair', 'brews')()),
  },
  'a template of flair that is added': {
    who: asAnn,
    page: '/s/tea/about/flair',
    button: 'Add it',
    typed: { text: 'steeps' },
    prepare: () => ann.post('/s/tea/api/clearflairtemplates', { flair_type: 'USER_FLAIR' }),
    isDone: shows('/s/tea/about/flair', 'steeps'),
  },
}

test.after.always(() => site.stop())

for (const [name, { who, page, button, typed, prepare, isDone }] of Object.entries(rows))
  test.serial(`a form of a page of before is carried out again after it was undone, and once by two clicks: ${name}`, async (t) => {
    await prepare()
    t.false(await isDone())
    const { action, hidden } = formOf((await who.get(page)).text, button)
    t.not(action, '', 'the page has the form')
    const send = () => who.post(action, { ...hidden, ...typed })
    for (const round of ['first', 'again']) {
      for (const { status, text } of await Promise.all([send(), send()]))
        t.is(status, 303, `${round}: ${/role="alert">[^<]*|<h1.*/.exec(text)?.[0]}`)
      t.true(await isDone(), round)
      await prepare()
      t.false(await isDone(), round)
      forward(15_000)
      await eventually(async () => (await ann.post('/api/hide', { id: thread })).status === 200)
    }
  })
