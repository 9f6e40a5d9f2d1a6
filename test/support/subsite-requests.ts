import { setTimeout as sleep } from 'node:timers/promises'
import { SubsiteFlair } from '../../src/domain/subsite-flair.ts'
import type { FlairAct, FlairTarget, LineResult } from './flair-oracle.ts'
import { type LooksAct, type Slot, sheets } from './looks-oracle.ts'
import { picture, uploadTo } from './pictures.ts'
import { foundSubsite, refusalOf, submit } from './posting.ts'
import { type SettingsAct, wrongSettings } from './settings-oracle.ts'
import type { Answer, Caller, TestSite, User } from './site.ts'
import { actors } from './staff-oracle.ts'
import { DONE, type Outcome, type Person, type SeatAct } from './standing-oracle.ts'
import { isFlair, isLooks, isPost, isSettings, isWiki, type PostAct, type SubsiteAct } from './subsite-oracle.ts'
import type { WikiAct } from './wiki-oracle.ts'

/*
 * The requests that perform the acts of a history, and the service's responses in the terms of the oracle.
 */

/** The scene of the acts: things by fullname, templates by their ids, both in the order of the oracle. */
export type Scene = {
  readonly site: TestSite
  readonly subsite: string
  readonly fullname: string
  readonly cast: Readonly<Record<Person, User>>
  /** A link of root's in another subsite. */
  readonly far: string
  readonly links: string[]
  readonly templates: string[]
}

let scenes = 0

/** Founds a subsite by a newly registered ann, in a site where `root` is an admin. */
export const openScene = async (site: TestSite, root: User): Promise<Scene> => {
  const n = scenes++
  const subsite = `brew${n}`
  const users = await Promise.all(actors.map(async (actor) => [actor, await site.register(`${actor}${n}`)] as const))
  const cast = { ...Object.fromEntries(users), root } as Scene['cast']
  const fullname = await foundSubsite(cast.ann, subsite, { title: 'A subsite' })
  if (n === 0) await foundSubsite(root, 'faraway')
  return { site, subsite, fullname, cast, far: await submit(root, 'faraway'), links: [], templates: [] }
}

const COLOURS = ['#804020', '#208040', '#402080']
const sizes = { header: { width: 30, height: 4 }, icon: { width: 256, height: 256 }, banner: { width: 640, height: 192 } } as const
const drawn = new Map<string, Promise<Buffer>>()
/** Returns the file of an image of a colour; for a negative number, a file that is no image. */
const fileOf = (use: Slot | 'img', colour: number): Promise<Buffer> => {
  const key = `${use} ${colour}`
  const file =
    drawn.get(key) ?? (colour < 0 ? Promise.resolve(Buffer.from('no image')) : picture(use === 'img' ? {} : sizes[use], COLOURS[colour]))
  drawn.set(key, file)
  return file
}
/** The addresses at which the service has shown images, without their subsites, by use and colour. */
export const addresses = new Map<string, string>()

export type RequestResult = { readonly outcome: Outcome | readonly LineResult[]; readonly made?: string; readonly ids?: readonly string[] }

const toOutcome = (answer: Answer): Outcome => (answer.status < 300 ? DONE : `${answer.status} ${answer.at('reason')}`)
const plain = (answer: Answer): RequestResult => ({ outcome: refusalOf(answer) })

const targetOf = ({ cast, links, far }: Scene, target: FlairTarget) => {
  if (target === 'nobody') return { name: 'nobody' }
  if (target === 'far') return { link: far }
  return 'link' in target ? { link: links[target.link] ?? 't5_zzzz' } : { name: cast[target.name].name }
}

const sendFlair = async (scene: Scene, caller: Caller, one: FlairAct): Promise<RequestResult> => {
  const { cast, templates } = scene
  const here = (form: Parameters<Caller['post']>[1]) => caller.post(`/s/${scene.subsite}/api/${one.act}`, { ...form, api_type: 'json' })
  const idOf = (template: number) => (template < 0 ? '' : (templates[template] ?? 'unknown'))
  const typeOf = (kind: 'user' | 'link') => (kind === 'user' ? 'USER_FLAIR' : 'LINK_FLAIR')
  const nameOf = (whom: Person | 'nobody') => (whom === 'nobody' ? 'nobody' : cast[whom].name)
  switch (one.act) {
    case 'flair':
      return plain(await here({ ...targetOf(scene, one.target), text: one.text, css_class: one.css }))
    case 'deleteflair':
      return plain(await here({ name: nameOf(one.whom) }))
    case 'flaircsv': {
      const csv = one.lines.map(({ whom, text, css, columns }) => [nameOf(whom), `"${text}"`, css, 'more'].slice(0, columns).join(','))
      const answer = await here({ flair_csv: csv.join('\n') })
      if (answer.status !== 200) return { outcome: String(answer.status) }
      const results = answer.body as readonly { readonly ok: boolean; readonly errors: object; readonly warnings: object }[]
      const read = results.map(({ ok, errors, warnings }) => ({ ok, errors: Object.keys(errors), warnings: Object.keys(warnings) }))
      return { outcome: read }
    }
    case 'flairtemplate': {
      const id = idOf(one.template)
      const form = { flair_template_id: id, flair_type: typeOf(one.kind), text: one.text, css_class: one.css, text_editable: one.editable }
      const answer = await here(form)
      const { user = [], link = [] } = (await scene.site.running.app.load(SubsiteFlair, scene.fullname)) ?? {}
      templates.push(...[...user, ...link].map(({ id }) => id).filter((made) => !templates.includes(made)))
      return plain(answer)
    }
    case 'deleteflairtemplate':
      return plain(await here({ flair_template_id: idOf(one.template) }))
    case 'clearflairtemplates':
      return plain(await here({ flair_type: typeOf(one.kind) }))
    case 'flairconfig':
      return plain(
        await here({
          flair_enabled: one.enabled,
          flair_position: one.position,
          link_flair_position: one.linkPosition,
          flair_self_assign_enabled: one.ofSelf,
          link_flair_self_assign_enabled: one.ofOwnLinks,
        }),
      )
    case 'selectflair':
      return plain(await here({ ...targetOf(scene, one.target), flair_template_id: idOf(one.template), text: one.text }))
    case 'setflairenabled':
      return plain(await here({ flair_enabled: one.enabled }))
  }
}

const sendSettings = async ({ subsite, fullname }: Scene, caller: Caller, one: SettingsAct): Promise<RequestResult> => {
  const rule = (what: string, form: Parameters<Caller['post']>[1]) => caller.post(`/s/${subsite}/api/${what}_subsite_rule`, form)
  switch (one.act) {
    case 'settle': {
      const broken = wrongSettings[one.wrong]
      return plain(
        await caller.post('/api/site_admin', { sr: fullname, api_type: 'json', ...one.changes, ...(broken && { [broken[0]]: broken[1] }) }),
      )
    }
    case 'addrule':
      return plain(await rule('add', { short_name: one.name, description: one.description, kind: one.kind }))
    case 'updaterule':
      return plain(await rule('update', { old_short_name: one.old, short_name: one.name, description: one.description, kind: one.kind }))
    case 'removerule':
      return plain(await rule('remove', { short_name: one.name }))
  }
}

const sendLooks = async ({ subsite }: Scene, caller: Caller, one: LooksAct): Promise<RequestResult> => {
  const here = (path: string, form: Parameters<Caller['post']>[1]) => caller.post(`/s/${subsite}/api/${path}`, form)
  const upload = async (use: Slot | 'img', colour: number, name = ''): Promise<RequestResult> => {
    const answer = await uploadTo(caller, subsite, { upload_type: use, name }, await fileOf(use, colour))
    if (answer.status !== 200) return { outcome: String(answer.status) }
    const errors = answer.at('errors') as readonly string[]
    if (errors.length === 0) addresses.set(`${use} ${colour}`, String(answer.at('img_src')).replace(/^.*\/images\//, ''))
    return { outcome: errors.join(', ') }
  }
  switch (one.act) {
    case 'upload':
      return upload('img', one.colour, one.name)
    case 'uploadslot':
      return upload(one.slot, one.colour)
    case 'delimage':
      return plain(await here('delete_sr_img', { img_name: one.name }))
    case 'delslot':
      return plain(await here(`delete_sr_${one.slot}`, {}))
    case 'stylesheet': {
      const contents = { stylesheet_contents: sheets[one.sheet]?.source ?? '', reason: one.reason }
      return plain(await here('subsite_stylesheet', { op: one.save ? 'save' : 'preview', ...contents }))
    }
  }
}

const NO_REVISION = '00000000-0000-5000-8000-000000000000'

const sendWiki = async ({ subsite, cast }: Scene, caller: Caller, one: WikiAct): Promise<RequestResult> => {
  const here = (path: string, form: Parameters<Caller['post']>[1]) => caller.post(`/s/${subsite}/${path}`, form)
  const revisions = await cast.root.get(`/s/${subsite}/wiki/revisions/${one.page}?limit=100`)
  const ids = ((revisions.at('data.children') ?? []) as readonly { readonly id: string }[]).map(({ id }) => id)
  const idOf = (revision: number) => ids[revision] ?? NO_REVISION
  switch (one.act) {
    case 'wikiedit': {
      const form = { page: one.page, content: one.text, reason: one.reason }
      const answer = await here('api/wiki/edit', one.previous < 0 ? form : { ...form, previous: idOf(one.previous) })
      return { outcome: toOutcome(answer), ids }
    }
    case 'wikihide': {
      const answer = await here('api/wiki/hide', { page: one.page, revision: idOf(one.revision) })
      return { outcome: answer.status === 200 ? (answer.at('status') ? 'hidden' : 'unhidden') : toOutcome(answer), ids }
    }
    case 'wikirevert':
      return { outcome: toOutcome(await here('api/wiki/revert', { page: one.page, revision: idOf(one.revision) })), ids }
    case 'wikisettings':
      return { outcome: toOutcome(await here(`wiki/settings/${one.page}`, { permlevel: one.permlevel, listed: one.listed })), ids }
    case 'alloweditor': {
      const username = one.whom === 'nobody' ? 'nobody' : cast[one.whom].name
      return { outcome: toOutcome(await here(`api/wiki/alloweditor/${one.allow ? 'add' : 'del'}`, { page: one.page, username })), ids }
    }
  }
}

let written = 0
const sendPost = async ({ subsite, links }: Scene, caller: Caller, one: PostAct): Promise<RequestResult> => {
  const on = 'on' in one ? links[one.on] : undefined
  switch (one.act) {
    case 'submit': {
      const url = one.kind === 'link' ? { url: `https://example.com/${written++}` } : {}
      const answer = await caller.post('/api/submit', { sr: subsite, kind: one.kind, title: 'a title', ...url, api_type: 'json' })
      const made = answer.at('json.data.name')
      if (typeof made !== 'string') return plain(answer)
      links.push(made)
      return { outcome: DONE, made }
    }
    case 'say': {
      const answer = await caller.post('/api/comment', { thing_id: on, text: 'some words', api_type: 'json' })
      return { ...plain(answer), made: String(answer.at('json.data.things.0.data.name')) }
    }
    case 'suggest':
      return plain(await caller.post('/api/set_suggested_sort', { id: on, sort: one.sort, api_type: 'json' }))
  }
}

/** Changes of seats and relations show in what accounts may do; their responses are checked by another oracle. */
const sendSeat = async ({ subsite, fullname, cast }: Scene, caller: User, one: SeatAct): Promise<RequestResult> => {
  const here = (path: string, form: Parameters<Caller['post']>[1]) =>
    caller.post(`/s/${subsite}/api/${path}`, { ...form, api_type: 'json' })
  const name = 'whom' in one ? cast[one.whom].name : ''
  if (one.act === 'seat') {
    // only an admin gives a seat without an invitation
    if (caller === cast.root) await here('friend', { type: 'moderator', name, permissions: one.permissions })
  } else if (one.act === 'invite') await here('friend', { type: 'moderator_invite', name, permissions: one.permissions })
  else if (one.act === 'permit') await here('setpermissions', { type: 'moderator', name, permissions: one.permissions })
  else if (one.act === 'dismiss') await here('unfriend', { type: 'moderator', name })
  else if (one.act === 'accept') await here('accept_moderator_invite', {})
  else if (one.act === 'relate' || one.act === 'unrelate')
    await here(one.act === 'relate' ? 'friend' : 'unfriend', { type: one.type, name })
  else await caller.post(`/api/${one.act}`, { id: fullname })
  await sleep(2) // seniority is by milliseconds: the next seat must have a later time
  return { outcome: DONE }
}

export const send = (scene: Scene, who: Person, one: SubsiteAct): Promise<RequestResult> => {
  const caller = scene.cast[who]
  if (isFlair(one)) return sendFlair(scene, caller, one)
  if (isWiki(one)) return sendWiki(scene, caller, one)
  if (isSettings(one)) return sendSettings(scene, caller, one)
  if (isLooks(one)) return sendLooks(scene, caller, one)
  if (isPost(one)) return sendPost(scene, caller, one)
  return sendSeat(scene, caller, one as SeatAct)
}
