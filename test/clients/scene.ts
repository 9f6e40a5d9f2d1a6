import { registerSession, type Session } from '../support/service-process.ts'
import { callerAt } from '../support/site.ts'

/** The input of a program, as JSON in `SCENE`. Every client has a service of its own, with the same content. */
export type Scene = {
  readonly url: string
  /** The proxy of the adapters in front of it. */
  readonly proxy: string
  /** `GET {browser}?as=ann&url=…` opens an authorization page as that account and presses Allow; the answer is the address it leads to. */
  readonly browser: string
  /** The OpenAPI document as a file. */
  readonly document: string
  /** The folder of the adapters. */
  readonly adapters: string
  readonly content: Content
}

type App = { readonly client_id: string; readonly client_secret: string; readonly redirect_uri: string }

type Content = {
  readonly password: string
  /** Ann founded tea, and bob posted there; cat is a moderator and dan a stranger. Each has a script app. */
  readonly accounts: Readonly<Record<string, App>>
  readonly web: App
  readonly installed: App
  /** Bob's links in tea, the newest last. */
  readonly links: readonly string[]
  /** Bob's text with more comments than one page shows. */
  readonly thread: string
  readonly comments: number
  /** A comment of bob that was removed, one that dan reported, and a link that dan reported. */
  readonly removed: string
  readonly reported: string
  readonly reportedLink: string
}

const PASSWORD = 'correct horse'
const LINKS = 270
const COMMENTS = 240
/** The depth of the longest conversation: more than a page shows. */
const DEPTH = 14

type Form = Readonly<Record<string, string | number | boolean>>

const actor = (url: string, { headers }: Session) => {
  const caller = callerAt(url, headers)
  return async (path: string, form: Form) => {
    const answer = await caller.post(path, { ...form, api_type: 'json' })
    const errors = (answer.at('json.errors') ?? []) as readonly unknown[]
    if (answer.status >= 400 || errors.length > 0) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer
  }
}

/** Does all of it, some at a time, and returns the results in order. */
const mapConcurrently = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> => {
  const results: R[] = []
  for (let from = 0; from < items.length; from += 8) results.push(...(await Promise.all(items.slice(from, from + 8).map(work))))
  return results
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Fills a new service whose limits are off. */
export const seed = async (url: string): Promise<Content> => {
  const names = ['ann', 'bob', 'cat', 'dan'] as const
  const sessions: Session[] = []
  for (const name of names) sessions.push(await registerSession(callerAt(url), name))
  const [ann, bob, cat, dan] = sessions.map((session) => actor(url, session)) as [Actor, Actor, Actor, Actor]
  const appOf = async (act: Actor, app_type: string): Promise<App> => {
    const redirect_uri = 'http://127.0.0.1:9/back'
    const answer = await act('/api/v1/apps', { name: 'a client', app_type, redirect_uri })
    return { client_id: String(answer.at('client_id')), client_secret: String(answer.at('client_secret') ?? ''), redirect_uri }
  }
  const accounts: Record<string, App> = {}
  for (const [index, act] of [ann, bob, cat, dan].entries()) accounts[names[index] ?? ''] = await appOf(act, 'script')

  await ann('/api/site_admin', { name: 'tea', title: 'All about tea', wikimode: 'anyone', type: 'public', link_type: 'any' })
  await ann('/s/tea/api/friend', { type: 'contributor', name: 'bob' })
  await ann('/s/tea/api/friend', { type: 'moderator_invite', name: 'cat', permissions: '+all' })
  await cat('/s/tea/api/accept_moderator_invite', {})
  const submit = async (act: Actor, form: Form) => String((await act('/api/submit', { sr: 'tea', ...form })).at('json.data.name'))
  const comment = async (act: Actor, thing_id: string, text: string) =>
    String((await act('/api/comment', { thing_id, text })).at('json.data.things.0.data.name'))

  const links: string[] = []
  for (const n of numbers(LINKS)) links.push(await submit(bob, { kind: 'link', title: `Leaf ${n}`, url: `https://example.com/leaf/${n}` }))
  const thread = await submit(bob, { kind: 'self', title: 'On water', text: 'Soft or *hard*?' })
  const first = await submit(ann, { kind: 'self', title: 'Rules of the house', text: 'Be kind.' })
  const roots = await mapConcurrently(numbers(COMMENTS), (n) => comment(n % 2 ? bob : ann, thread, `Comment ${n}`))
  let parent = roots[0] ?? ''
  for (const n of numbers(DEPTH)) parent = await comment(n % 2 ? ann : bob, parent, `Reply ${n}`)
  // karma: nobody is a stranger any more to whom captchas are shown
  const dans = await comment(dan, thread, 'I prefer coffee')
  for (const id of [thread, dans, links[0] ?? '']) await ann('/api/vote', { id, dir: 1 })
  for (const id of [first, roots[1] ?? '']) await bob('/api/vote', { id, dir: 1 })
  const cats = await comment(cat, thread, 'I watch')
  await bob('/api/vote', { id: cats, dir: 1 })

  const [removed = '', reported = ''] = [roots[2], roots[4]]
  await cat('/api/remove', { id: removed, spam: false })
  const reportedLink = links[1] ?? ''
  for (const thing_id of [reported, reportedLink]) await dan('/api/report', { thing_id, reason: 'Too hot' })
  await bob('/api/editusertext', { thing_id: roots[6] ?? '', text: 'Comment 7, edited' })
  await ann('/s/tea/api/flairtemplate', { flair_type: 'USER_FLAIR', text: 'Taster', css_class: 'taster', text_editable: true })
  await ann('/s/tea/api/flairtemplate', { flair_type: 'LINK_FLAIR', text: 'Green', css_class: 'green', text_editable: true })
  await ann('/s/tea/api/flairconfig', {
    flair_enabled: true,
    flair_position: 'right',
    flair_self_assign_enabled: true,
    link_flair_position: 'left',
    link_flair_self_assign_enabled: true,
  })
  for (const content of ['Pour.', 'Pour slowly.']) await ann('/s/tea/api/wiki/edit', { page: 'index', content, reason: 'better' })
  for (const subject of ['Hello', 'Again']) await bob('/api/compose', { to: 'ann', subject, text: 'Come to tea' })
  const [web, installed] = [await appOf(ann, 'web'), await appOf(ann, 'installed')]
  const all = roots.length + DEPTH + 2
  return { password: PASSWORD, accounts, web, installed, links, thread, comments: all, removed, reported, reportedLink }
}

type Actor = ReturnType<typeof actor>
