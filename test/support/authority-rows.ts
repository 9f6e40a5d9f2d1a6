import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import type { RecordedEvent } from '../../src/ports/event-store.ts'
import { anyUser, callerOf, holders, members, type Role, type Stage, users } from './authority.ts'
import { appoint, done } from './community.ts'
import { multipart, picture } from './pictures.ts'
import { found, say, submit } from './posting.ts'
import type { Sending } from './site.ts'

export type Fields = Readonly<Record<string, string | number | boolean>>
export type Row = {
  /** Which of several things the endpoint does. */
  readonly what?: string
  /** Who makes something happen. */
  readonly by: readonly Role[]
  /** What is acted on, made for each who may act. */
  readonly on?: (stage: Stage, role: Role) => Promise<string>
  readonly form?: (target: string, role: Role) => Fields
  readonly json?: () => Fields
  readonly upload?: () => Promise<Sending>
  /** The variables of the path. */
  readonly path?: (target: string, role: Role) => Fields
}

const link = ({ author }: Stage) => submit(author, 'tea')
const comment = async (at: Stage) => say(at.author, await link(at))
const id = (target: string): Fields => ({ id: target })
const posts = holders('posts')
const only = (...some: readonly Role[]) => some

/** After somebody has done something with a new thing. */
const after =
  (made: (at: Stage, role: Role) => Promise<string>, who: Role | 'self', path: string, more: Fields = {}) =>
  async (at: Stage, role: Role): Promise<string> => {
    const target = await made(at, role)
    const caller = callerOf(at, who === 'self' ? role : who)
    if (who !== 'self' || anyUser.includes(role)) await done(caller, path, { id: target, ...more })
    return target
  }

let accounts = 0
/** The name of somebody new. */
const somebody = async ({ site }: Stage): Promise<string> => (await site.register(`somebody${accounts++}`)).name
/** Somebody new in some relationship to tea. */
const related = (type: string) => async (at: Stage) => {
  const name = await somebody(at)
  await done(at.founder, '/s/tea/api/friend', { type, name })
  return name
}
const relate = (type: string, by: readonly Role[]): Row => ({ what: type, by, on: somebody, form: (name) => ({ type, name }) })
const unrelate = (type: string, by: readonly Role[]): Row => ({ what: type, by, on: related(type), form: (name) => ({ type, name }) })
/** Somebody new who moderates tea. */
const seated = async (at: Stage) => {
  const whom = await at.site.register(`somebody${accounts++}`)
  await appoint(at.founder, 'tea', whom, '+wiki')
  return whom.name
}
const own = (at: Stage, role: Role) => submit(callerOf(at, (members as readonly Role[]).includes(role) ? role : 'author'), 'tea')
/** A message to the caller. */
const mail = async (at: Stage, role: Role) => {
  const to = anyUser.includes(role) ? role : 'author'
  await done(to === 'founder' ? at.stranger : at.founder, '/api/compose', { to, subject: 'a subject', text: 'some words' })
  return String((await callerOf(at, to).get('/message/inbox')).at('data.children.0.data.name'))
}
/** A message from somebody new to the moderators of tea; and one whose author is muted. */
const mailToTea = async (at: Stage) => {
  const writer = await at.site.register(`somebody${accounts++}`)
  await done(writer, '/api/compose', { to: '#tea', subject: 'a subject', text: 'some words' })
  return String((await writer.get('/message/sent')).at('data.children.0.data.name'))
}
const mutedAuthor = async (at: Stage) => {
  const mail = await mailToTea(at)
  await done(at.founder, '/api/mute_message_author', { id: mail })
  return mail
}
/** A subsite in which one of the accounts may submit as a contributor. */
const restricted = async (at: Stage) => {
  const { status } = await at.founder.get('/s/strict/about')
  if (status === 404) {
    await found(at.founder, 'strict', { type: 'restricted' })
    await done(at.founder, '/s/strict/api/friend', { type: 'contributor', name: 'contributor' })
  }
  return 'strict'
}
/** A subsite that the caller may leave as a contributor. */
const contributing = async (at: Stage, role: Role) => {
  await restricted(at)
  await at.founder.post('/s/strict/api/friend', { type: 'contributor', name: anyUser.includes(role) ? role : 'author' })
  return String((await at.founder.get('/s/strict/about')).at('data.name'))
}
let rules = 0
const ruleOf = async (at: Stage) => {
  const short_name = `rule ${rules++ % 10}`
  await at.founder.post('/s/tea/api/remove_subsite_rule', { short_name })
  return short_name
}
const ruled = async (at: Stage) => {
  const short_name = await ruleOf(at)
  await done(at.founder, '/s/tea/api/add_subsite_rule', { short_name, kind: 'all' })
  return short_name
}
const left = async (at: Stage, role: Role) => {
  await callerOf(at, role).post('/api/subscribe', { action: 'unsub', sr: 'tea' })
  return 'tea'
}
const befriended = async (at: Stage, role: Role) => {
  const name = await somebody(at)
  await callerOf(at, role).request('PUT', `/api/v1/me/friends/${name}`, { json: {} })
  return name
}
const suspended = async (at: Stage) => {
  const name = await somebody(at)
  await done(at.root, '/api/suspend_user', { name })
  return name
}
/** A path at which author has no multi yet; and one with a multi of tea. */
const multiPath = async () => `user/author/m/of${accounts++}`
const multi = async (at: Stage) => {
  const path = await multiPath()
  const model = JSON.stringify({ subreddits: [{ name: 'tea' }], visibility: 'public' })
  const { status, text } = await at.author.request('POST', `/api/multi/${path}`, { form: { model } })
  if (status !== 201) throw new Error(text)
  return path
}
const at = (multipath: string): Fields => ({ multipath, srname: 'tea' })
const model = (value: Readonly<Record<string, unknown>>) => () => ({ model: JSON.stringify(value) })
let images = 0
const sizes: Readonly<Record<string, { readonly width: number; readonly height: number }>> = {
  icon: { width: 256, height: 256 },
  banner: { width: 640, height: 192 },
}
const imageOf = async (upload_type: string, name: string) => multipart({ upload_type, name }, await picture(sizes[upload_type]))
const pictured = (use: string) => async (at: Stage) => {
  const name = `img${images++ % 20}`
  const answer = await at.founder.request('POST', '/s/tea/api/upload_sr_img', await imageOf(use, name))
  if (answer.at('img_src') === '') throw new Error(answer.text)
  return name
}
let pages = 0
const paged = async (at: Stage) => {
  const page = `page${pages++}`
  await done(at.founder, '/s/tea/api/wiki/edit', { page, content: 'words' })
  return page
}
/** A revision that another has taken the place of. */
const revised = async (at: Stage) => {
  for (const words of ['old', 'new']) await done(at.founder, '/s/tea/api/wiki/edit', { page: 'history', content: `${words} ${pages++}` })
  return String((await at.founder.get('/s/tea/wiki/revisions/history?limit=2')).at('data.children.1.id'))
}
let flairs = 0
const flair = holders('flair')
const flaired = async (at: Stage) => {
  const name = await somebody(at)
  await done(at.founder, '/s/tea/api/flair', { name, text: 'Brewer' })
  return name
}
const template = async (at: Stage) => {
  const answer = await done(at.founder, '/s/tea/api/flairtemplate', {
    text: `flair ${flairs++}`,
    flair_type: 'USER_FLAIR',
    api_type: 'json',
  })
  return String(answer.at('json.data.flair_template_id'))
}
const flairOnTheLeft = async (at: Stage) => {
  await done(at.founder, '/s/tea/api/flairconfig', { flair_enabled: true, flair_position: 'left' })
  return 'tea'
}
/** After somebody has done something that they may undo. */
const having =
  (path: string, form: (at: Stage) => Fields) =>
  async (at: Stage, role: Role): Promise<string> => {
    await callerOf(at, role).post(path, form(at))
    return at.tea
  }
/** Nobody mutes what they moderate. */
const outsiders = only('stranger', 'banned', 'muted', 'contributor', 'author', 'root', 'suspended')
/** A message to the caller, from a new account. */
const mailFromSomebody = async (at: Stage, role: Role) => {
  const to = anyUser.includes(role) ? role : 'author'
  await done(await at.site.register(`somebody${accounts++}`), '/api/compose', { to, subject: 'a subject', text: 'some words' })
  return String((await callerOf(at, to).get('/message/inbox')).at('data.children.0.data.name'))
}
const subsiteTitle = async () => `Tea ${rules++}`

/** For each endpoint that changes something: by whom, and on what, it is called. */
const rowsOn = (stage: Stage): Readonly<Record<string, Row | readonly Row[]>> => ({
  'POST /api/submit': [
    { by: members, form: () => ({ sr: 'tea', kind: 'self', title: 'a title', text: 'some words' }) },
    {
      what: 'in a restricted subsite',
      by: only('contributor', 'founder', 'root'),
      on: restricted,
      form: (sr) => ({ sr, kind: 'self', title: 'a title', text: 'some words' }),
    },
  ],
  'POST /api/vote': { by: users, on: link, form: (target) => ({ id: target, dir: -1 }) },
  'POST /api/report': { by: users, on: link, form: (target) => ({ thing_id: target, reason: 'rude' }) },
  'POST /api/marknsfw': { by: [...posts, 'author'], on: link, form: id },
  'POST /api/unmarknsfw': { by: [...posts, 'author'], on: after(link, 'author', '/api/marknsfw'), form: id },
  'POST /api/set_contest_mode': { by: posts, on: link, form: (target) => ({ id: target, state: true }) },
  'POST /api/set_suggested_sort': { by: posts, on: link, form: (target) => ({ id: target, sort: 'new' }) },
  'POST /api/sendreplies': { by: only('author'), on: link, form: (target) => ({ id: target, state: false }) },
  'POST /api/comment': { by: members, on: link, form: (target) => ({ thing_id: target, text: 'some words' }) },
  'POST /api/editusertext': { by: only('author'), on: link, form: (target) => ({ thing_id: target, text: 'other words' }) },
  'POST /api/del': { by: only('author'), on: comment, form: id },
  'POST /api/save': { by: anyUser, on: link, form: id },
  'POST /api/unsave': { by: anyUser, on: after(link, 'self', '/api/save'), form: id },
  'POST /api/hide': { by: anyUser, on: link, form: id },
  'POST /api/unhide': { by: anyUser, on: after(link, 'self', '/api/hide'), form: id },
  'POST /api/compose': [
    { by: users, form: () => ({ to: 'stranger', subject: 'a subject', text: 'some words' }) },
    {
      what: 'to the moderators',
      by: users.filter((role) => role !== 'muted'),
      form: () => ({ to: '#tea', subject: 'a subject', text: 'some words' }),
    },
    {
      what: 'in the name of a subsite',
      by: holders('mail'),
      form: () => ({ to: 'stranger', from_sr: 'tea', subject: 'a subject', text: 'some words' }),
    },
  ],
  'POST /api/read_message': { by: anyUser, on: mail, form: id },
  'POST /api/unread_message': { by: anyUser, on: after(mail, 'self', '/api/read_message'), form: id },
  'POST /api/collapse_message': { by: anyUser, on: mail, form: id },
  'POST /api/uncollapse_message': { by: anyUser, on: after(mail, 'self', '/api/collapse_message'), form: id },
  'POST /api/del_msg': { by: anyUser, on: mail, form: id },
  'POST /api/mute_message_author': { by: holders(), on: mailToTea, form: id },
  'POST /api/unmute_message_author': { by: holders(), on: mutedAuthor, form: id },
  'POST /api/read_all_messages': { by: anyUser, on: mail },
  'POST /api/lock': { by: posts, on: link, form: id },
  'POST /api/unlock': { by: posts, on: after(link, 'founder', '/api/lock'), form: id },
  'POST /api/remove': [
    { by: posts, on: comment, form: id },
    { what: 'a message', by: holders('mail'), on: mailToTea, form: id },
  ],
  'POST /api/approve': [
    { by: posts, on: comment, form: id },
    { what: 'a message', by: holders('mail'), on: after(mailToTea, 'founder', '/api/remove'), form: id },
  ],
  'POST /api/leavecontributor': { by: anyUser, on: contributing, form: id },
  'POST /api/distinguish': [
    { what: 'an own thing', by: posts, on: own, form: (target) => ({ id: target, how: 'yes' }) },
    { what: 'a thing of somebody else', by: [], on: link, form: (target) => ({ id: target, how: 'yes' }) },
  ],
  'POST /api/ignore_reports': { by: posts, on: link, form: id },
  'POST /api/unignore_reports': { by: posts, on: after(link, 'founder', '/api/ignore_reports'), form: id },
  'POST /api/set_subsite_sticky': { by: posts, on: link, form: (target) => ({ id: target, state: true }) },
  'POST /api/site_admin': [
    {
      what: 'settings of tea',
      by: holders('config'),
      on: subsiteTitle,
      form: (title) => ({ sr: stage.tea, title, type: 'public', link_type: 'any' }),
    },
    { what: 'a new subsite', by: users, form: (_, role) => ({ name: `of_${role}`, title: 'Mine', type: 'public', link_type: 'any' }) },
  ],
  'POST /api/subscribe': { by: anyUser, on: left, form: () => ({ action: 'sub', sr: 'tea' }) },
  'POST /api/mute_subsite': { by: outsiders, on: having('/api/unmute_subsite', ({ tea }) => ({ id: tea })), form: id },
  'POST /api/unmute_subsite': { by: outsiders, on: having('/api/mute_subsite', ({ tea }) => ({ id: tea })), form: id },
  'POST /api/block': { by: anyUser, on: mailFromSomebody, form: id },
  'POST [/s/{sub}]/api/flair': { by: flair, on: somebody, form: (name) => ({ name, text: 'Brewer' }) },
  'POST [/s/{sub}]/api/deleteflair': { by: flair, on: flaired, form: (name) => ({ name }) },
  'POST [/s/{sub}]/api/flairconfig': { by: flair, on: flairOnTheLeft, form: () => ({ flair_enabled: true, flair_position: 'right' }) },
  'POST [/s/{sub}]/api/flaircsv': { by: flair, on: somebody, form: (name) => ({ flair_csv: `${name},Brewer,` }) },
  'POST [/s/{sub}]/api/flairtemplate': { by: flair, form: () => ({ text: `flair ${flairs++}`, flair_type: 'USER_FLAIR' }) },
  'POST [/s/{sub}]/api/deleteflairtemplate': { by: flair, on: template, form: (flair_template_id) => ({ flair_template_id }) },
  'POST [/s/{sub}]/api/clearflairtemplates': { by: flair, on: template, form: () => ({ flair_type: 'USER_FLAIR' }) },
  'POST [/s/{sub}]/api/selectflair': {
    what: 'for somebody else',
    by: flair,
    on: async (at) => `${await somebody(at)} ${await template(at)}`,
    form: (target) => ({ name: target.split(' ')[0] ?? '', flair_template_id: target.split(' ')[1] ?? '' }),
  },
  'POST [/s/{sub}]/api/setflairenabled': {
    by: anyUser,
    on: having('/s/tea/api/setflairenabled', () => ({ flair_enabled: true })),
    form: () => ({ flair_enabled: false }),
  },
  'POST [/s/{sub}]/api/add_subsite_rule': {
    by: holders('config'),
    on: ruleOf,
    form: (short_name) => ({ short_name, description: '', kind: 'all' }),
  },
  'POST [/s/{sub}]/api/update_subsite_rule': {
    by: holders('config'),
    on: ruled,
    form: (old_short_name) => ({ old_short_name, short_name: old_short_name, description: 'clearer', kind: 'all' }),
  },
  'POST [/s/{sub}]/api/remove_subsite_rule': { by: holders('config'), on: ruled, form: (short_name) => ({ short_name }) },
  'POST [/s/{sub}]/api/friend': [
    relate('moderator_invite', holders()),
    relate('contributor', holders('access')),
    relate('banned', holders('access')),
    relate('muted', holders()),
    relate('wikibanned', holders('wiki')),
    relate('wikicontributor', holders('wiki')),
  ],
  'POST [/s/{sub}]/api/unfriend': [
    { what: 'moderator', by: only('full', 'founder', 'root'), on: seated, form: (name) => ({ type: 'moderator', name }) },
    unrelate('moderator_invite', holders('access')),
    unrelate('contributor', holders('access')),
    unrelate('banned', holders('access')),
    unrelate('muted', holders()),
    unrelate('wikibanned', holders('wiki')),
    unrelate('wikicontributor', holders('wiki')),
  ],
  'POST [/s/{sub}]/api/setpermissions': {
    by: only('full', 'founder', 'root'),
    on: seated,
    form: (name) => ({ type: 'moderator', name, permissions: '+posts' }),
  },
  'PUT /api/v1/me/friends/{username}': { by: anyUser, on: somebody, path: (username) => ({ username }), json: () => ({}) },
  'DELETE /api/v1/me/friends/{username}': { by: anyUser, on: befriended, path: (username) => ({ username }) },
  'POST /api/multi/{multipath}': { by: only('author'), on: multiPath, path: at, form: model({ subreddits: [] }) },
  'PUT /api/multi/{multipath}': { by: only('author'), on: multi, path: at, form: model({ subreddits: [] }) },
  'DELETE /api/multi/{multipath}': { by: only('author'), on: multi, path: at },
  'PUT /api/multi/{multipath}/description': { by: only('author'), on: multi, path: at, form: model({ body_md: 'all about tea' }) },
  'PUT /api/multi/{multipath}/s/{srname}': {
    by: only('author'),
    on: multi,
    path: (multipath) => ({ multipath, srname: 'of_author' }),
    form: model({ name: 'of_author' }),
  },
  'DELETE /api/multi/{multipath}/s/{srname}': { by: only('author'), on: multi, path: at },
  'POST /api/multi/copy': {
    by: anyUser,
    on: multi,
    form: (from, role) => ({ from, to: `user/${role}/m/copy${accounts++}`, display_name: 'copy' }),
  },
  'POST /api/multi/rename': { by: only('author'), on: multi, form: (from) => ({ from, to: `${from}b`, display_name: 'renamed' }) },
  'POST [/s/{sub}]/api/upload_sr_img': { by: holders('config'), upload: () => imageOf('img', `img${images++ % 20}`) },
  'POST [/s/{sub}]/api/subsite_stylesheet': {
    by: holders('config'),
    form: () => ({ op: 'save', stylesheet_contents: `a { top: ${images++}px }` }),
  },
  'POST [/s/{sub}]/api/delete_sr_img': { by: holders('config'), on: pictured('img'), form: (img_name) => ({ img_name }) },
  'POST [/s/{sub}]/api/delete_sr_header': { by: holders('config'), on: pictured('header') },
  'POST [/s/{sub}]/api/delete_sr_icon': { by: holders('config'), on: pictured('icon') },
  'POST [/s/{sub}]/api/delete_sr_banner': { by: holders('config'), on: pictured('banner') },
  'POST [/s/{sub}]/api/wiki/edit': [
    { what: 'an ordinary page', by: holders('wiki'), form: (_, role) => ({ page: 'index', content: `by ${role} ${pages++}` }) },
    { what: 'the sidebar', by: holders('config'), form: (_, role) => ({ page: 'config/sidebar', content: `by ${role}` }) },
  ],
  'POST [/s/{sub}]/api/wiki/hide': { by: holders('wiki'), on: revised, form: (revision) => ({ page: 'history', revision }) },
  'POST [/s/{sub}]/api/wiki/revert': { by: holders('wiki'), on: revised, form: (revision) => ({ page: 'history', revision }) },
  'POST [/s/{sub}]/wiki/settings/{page}': {
    by: holders('wiki'),
    on: paged,
    path: (page) => ({ page }),
    form: () => ({ permlevel: 1, listed: true }),
  },
  'POST [/s/{sub}]/api/wiki/alloweditor/{act}': {
    by: holders('wiki'),
    on: paged,
    path: () => ({ act: 'add' }),
    form: (page) => ({ page, username: 'stranger' }),
  },
  'POST /api/v1/gold/gild/{fullname}': { by: users, on: link, path: (target) => ({ fullname: target }) },
  'POST /api/v1/gold/give/{username}': { by: users, on: somebody, path: (username) => ({ username }), form: () => ({ months: 1 }) },
  'POST /api/v1/gold/grant/{username}': { by: only('root'), on: somebody, path: (username) => ({ username }), form: () => ({ csites: 3 }) },
  'POST /api/suspend_user': { by: only('root'), on: somebody, form: (name) => ({ name, duration: 3 }) },
  'POST /api/unsuspend_user': { by: only('root'), on: suspended, form: (name) => ({ name }) },
  'POST /api/erase_user': { what: 'of somebody else', by: only('root'), on: somebody, form: (name) => ({ name, passwd: 'correct horse' }) },
  'PATCH /api/v1/me/prefs': { by: anyUser, json: () => ({ numsites: 50 }) },
})

/** The endpoints that may change something. */
export const writes = endpoints.filter(({ method }) => method !== 'GET')

/** Gives the rows of an endpoint by its name, such as `POST /api/vote`. */
export const openRows = (stage: Stage) => {
  const rows = rowsOn(stage)
  return (name: string): readonly Row[] => [rows[name] ?? []].flat()
}

/** The address of an endpoint in tea. */
export const addressOf = ({ path }: AnyEndpoint, variables: Fields): string =>
  path
    .replace('[/s/{sub}]', '/s/tea')
    .replace('{sub}', 'tea')
    .replace(/\{(\w+)\}/g, (_, name: string) => String(variables[name] ?? 'x'))

/** Whether an event is recorded in somebody's name. */
export const isBy = (account: string | null) => (event: RecordedEvent) =>
  (JSON.parse(event.meta) as { readonly by: { readonly account: string | null } }).by.account === account
