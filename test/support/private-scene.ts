import { startCast } from './cast.ts'
import { appoint, postForm, waitUntilSettled } from './community.ts'
import { picture, uploadTo } from './pictures.ts'
import { foundSubsite, id36, names, say, settle, submit } from './posting.ts'
import { type Caller, callerAt, type TestSite, type User } from './site.ts'

/** A word in everything that is for members only. Nobody else ever sends it. */
export const SECRET = 'quokka'
/** A word in everything that is for moderators only. */
export const OFFICE = 'wombat'
/** A word beside either, which outsiders search for. */
export const KNOWN = 'kumquat'
const secret = (what: string) => `${KNOWN} ${SECRET} ${what}`
const office = (what: string) => `${KNOWN} ${OFFICE} ${what}`

const url = 'https://fruit.example/common'

/** Founds a public subsite and puts something in every place there is. */
const furnish = async (site: TestSite, ann: User, bob: User, dave: User) => {
  const closed = await foundSubsite(ann, 'closed', {
    description: secret('sidebar'),
    submit_text: secret('submission text'),
    'header-title': secret('header'),
    submit_link_label: secret('label'),
    submit_text_label: secret('label'),
    wikimode: 'anyone',
  })
  await foundSubsite(dave, 'open')
  const address = await submit(ann, 'closed', { title: secret('title of a link'), kind: 'link', url })
  const text = await submit(ann, 'closed', { title: secret('title of a text'), kind: 'self', text: secret('text') })
  const comment = await say(ann, text, `${secret('comment')} for /u/dave and /u/stranger`)
  const answered = await say(dave, text, 'what is it like?')
  await say(bob, answered, secret('answer'))
  const ownPost = await submit(dave, 'closed', { title: 'mine', text: 'is it?' })
  await say(bob, ownPost, secret('reply'))
  const shared = await submit(dave, 'open', { title: 'shared', kind: 'link', url, resubmit: 'true' })
  await postForm(ann, '/s/closed/api/add_subsite_rule', { short_name: secret('rule'), description: secret('why'), kind: 'all' })
  await postForm(ann, '/api/set_subsite_sticky', { id: text, state: 'true' })
  await postForm(ann, '/s/closed/api/flair', { name: 'ann', text: secret('flair') })
  await postForm(ann, '/s/closed/api/flairtemplate', { text: secret('template'), flair_type: 'USER_FLAIR' })
  const pot = await uploadTo(ann, 'closed', { name: 'pot' }, await picture({}, '#102030'))
  const header = await uploadTo(ann, 'closed', { upload_type: 'header' }, await picture({}, '#302010'))
  const imageFiles = [pot, header].map((answer) => String(answer.at('img_src')).split('/').at(-1) ?? '')
  await postForm(ann, '/s/closed/api/subsite_stylesheet', { op: 'save', stylesheet_contents: `.${SECRET} { background: url(%%pot%%) }` })
  const sheet =
    String((await ann.get('/s/closed/stylesheet')).headers.get('location'))
      .split('/')
      .at(-1) ?? ''
  for (const path of ['/api/remove', '/api/approve']) await postForm(ann, path, { id: address, spam: 'false' })
  await site.register('nora')
  await postForm(ann, '/s/closed/api/friend', { type: 'banned', name: 'nora', note: office('note') })
  await postForm(ann, '/api/compose', { to: 'bob', subject: secret('subject'), text: secret('message') })
  const [message = ''] = names(await bob.get('/message/messages'))
  await postForm(ann, '/api/compose', { to: '#closed', subject: office('subject'), text: office('mail') })
  const [mail = ''] = names(await ann.get('/message/sent'))
  await ann.post('/s/closed/api/wiki/edit', { page: 'index', content: secret('page'), reason: secret('reason') })
  await ann.post('/s/closed/api/wiki/edit', { page: 'office', content: office('page'), reason: office('reason') })
  await postForm(ann, '/s/closed/wiki/settings/office', { permlevel: 2, listed: 'true' })
  await postForm(await site.register('olga'), '/api/report', { thing_id: address, reason: office('reason') })
  for (const [path, subreddits] of [
    ['m/mixed', [{ name: 'closed' }, { name: 'open' }]],
    ['f/all', [{ name: 'closed' }]],
  ] as const)
    await dave.request('PUT', `/api/multi/user/dave/${path}`, { form: { model: JSON.stringify({ subreddits, visibility: 'public' }) } })
  return { closed, address, text, comment, answered, own: ownPost, shared, message, mail, imageFiles, sheet }
}

/** Makes an account take part in the subsite while it can. */
const takeInterest = async (who: User, { address, text, comment }: Awaited<ReturnType<typeof furnish>>) => {
  await postForm(who, '/api/subscribe', { action: 'sub', sr_name: 'closed' })
  for (const id of [address, text, comment]) {
    await postForm(who, '/api/save', { id })
    for (const dir of [1, -1]) await postForm(who, '/api/vote', { id, dir })
  }
  await postForm(who, '/api/hide', { id: address })
  await who.request('PUT', '/api/v1/me/friends/ann', { json: {} })
}

/** The pages that the service caches when they are requested twice. */
const CACHED = ['/new', '/hot', '/about', '/about/log', '/sidebar', '/wiki/index', '/wiki/revisions', '/search?q=kumquat&restrict_sr=true']
const warm = async (who: Caller, text: string) => {
  const paths = [...CACHED.map((path) => `/s/closed${path}`), '/s/all/new', '/search?q=kumquat', `/comments/${id36(text)}`]
  for (const path of paths) for (let n = 0; n < 2; n += 1) await who.get(path)
}

export type Outsiders = Readonly<Record<string, Caller>>

/** Makes a member's token that cannot read, and one that reaches another subsite only. */
const narrowTokens = async (site: TestSite, member: User): Promise<Outsiders> => ({
  'a token without read': await member.withScopes('identity'),
  'a token for another subsite': callerAt(site.url, { Authorization: `bearer ${await site.tokenOf(member.id, { subsites: ['open'] })}` }),
})

/**
 * Makes a subsite that has just become private, with something in every place there is, and all kinds of outsiders: accounts that never
 * belonged, that did until a moment ago, and whose invitation was withdrawn.
 */
export const privateScene = async () => {
  const cast = ['ann', 'bob', 'dave', 'erin', 'frank', 'gina', 'hugo', 'ivan', 'stranger'] as const
  const { site, ann, bob, dave, erin, frank, gina, hugo, ivan, stranger } = await startCast(cast, { logLevel: 'silent' })
  const at = await furnish(site, ann, bob, dave)
  const accounts = [dave, erin, frank, gina, hugo, stranger]
  for (const who of accounts) await takeInterest(who, at)
  const relate = (act: 'friend' | 'unfriend', type: string, ...names: readonly string[]) =>
    Promise.all(names.map((name) => postForm(ann, `/s/closed/api/${act}`, { type, name })))
  await relate('friend', 'contributor', 'bob', 'dave', 'erin')
  await appoint(ann, 'closed', hugo, '+all')
  for (const who of [site, ...accounts]) await warm(who, at.text)
  await settle(ann, at.closed, { type: 'private', title: 'closed' })
  for (const who of [dave, erin, hugo]) await warm(who, at.text)
  await relate('unfriend', 'contributor', 'dave', 'erin')
  await relate('unfriend', 'moderator', 'hugo')
  await relate('friend', 'banned', 'erin')
  await relate('friend', 'muted', 'frank')
  await relate('friend', 'moderator_invite', 'gina', 'ivan')
  await relate('unfriend', 'moderator_invite', 'gina')
  await waitUntilSettled(site)
  const outsiders: Outsiders = {
    'a former contributor': dave,
    nobody: site,
    'a browser': callerAt(site.url, { Accept: 'text/html' }),
    'a stranger': stranger,
    'a banned former contributor': erin,
    'an app': await site.appOnly(),
    'a former moderator': hugo,
    'a stranger with a session': await stranger.session(),
    'somebody muted': frank,
    'somebody invited before': gina,
    ...(await narrowTokens(site, bob)),
  }
  return { site, ann, bob, dave, stranger, outsiders, insiders: { 'a contributor': bob, 'somebody invited': ivan }, ...at }
}
export type PrivateScene = Awaited<ReturnType<typeof privateScene>>

/**
 * Returns the values by which requests may reach the subsite, by the name of a parameter or a variable of a path: everything that an
 * outsider may have learnt.
 */
export const leadsOf = (scene: PrivateScene) => {
  const { closed, address, text, comment, answered, own, shared, message, mail, imageFiles, sheet } = scene
  const things = [address, text, comment, answered, own, shared, message, mail, closed]
  const threads = [address, text, comment, shared].map(id36)
  const kinds: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^file$/, [...imageFiles, sheet]],
    [/^sub$/, ['closed', 'closed+open', 'open']],
    [/^(article|comment|title)$/, threads],
    [/^mid$/, [message, mail].map(id36)],
    [/^children$/, [things.map(id36).join(','), ...[comment, answered].map(id36)]],
    [/^(names|id|ids|thing_id|link_id|link|links|fullname|target)$/, [things.join(','), ...things]],
    [/^(sr|sr_name|srname|srnames|container|from_sr|omit)$/, ['closed', closed]],
    [/^(name|username|user|to|mod)$/, ['ann', 'bob', 'dave', 'closed', '#closed']],
    [/^(multipath|filterpath|from)$/, ['user/dave/m/mixed', 'user/dave/f/all']],
    [/^(q|query)$/, [KNOWN, 'closed', 'clos', url]],
    [/^url$/, [url]],
    [/^page$/, ['index', 'office', 'config/sidebar', 'config/stylesheet']],
  ]
  const known = (name: string) => kinds.find(([pattern]) => pattern.test(name))?.[1]
  return { known, leads: (name: string): readonly string[] => known(name) ?? ['', KNOWN, address] }
}
