// openapi-fetch with the types that openapi-typescript makes of the document: no cast and no type of the interface is written by hand.

import createClient from 'openapi-fetch'
import { same, scene, works } from '../report.mjs'
import type { components, paths } from './rostra.d.ts'

type App = { readonly client_id: string; readonly client_secret: string }
type Content = Readonly<Record<'password' | 'thread' | 'removed' | 'reported' | 'reportedLink', string>> & {
  readonly accounts: Readonly<Record<'ann' | 'bob' | 'cat' | 'dan', App>>
  readonly links: readonly string[]
  readonly comments: number
}
const { url, content }: { readonly url: string; readonly content: Content } = scene

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const JSON_BODY = { 'Content-Type': 'application/json' }

/** The body of a response that succeeded. */
const bodyOf = <T>({ data, error, response }: { readonly data?: T; readonly error?: unknown; readonly response: Response }): T => {
  if (data === undefined) throw new Error(`${response.status} ${JSON.stringify(error)}`)
  return data
}

/** A form says with status 200 what it refuses. */
const accepted = ({ json }: { readonly json: { readonly errors: readonly unknown[] } }) => same(json.errors, [])

const refused = ({ json }: components['schemas']['FormErrors']) => new Error(json.errors.map((error) => error.join(' ')).join())

const login = async (name: keyof Content['accounts']) => {
  const { client_id, client_secret } = content.accounts[name]
  const basic = { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }
  const token = bodyOf(
    await createClient<paths>({ baseUrl: url, headers: { ...FORM, ...basic } }).POST('/api/v1/access_token', {
      body: { grant_type: 'password', username: name, password: content.password },
    }),
  )
  if ('error' in token) throw new Error(token.error)
  return createClient<paths>({ baseUrl: url, headers: { ...FORM, Authorization: `bearer ${token.access_token}` } })
}

/** Of an operation that also knows bare answers, the form, which it gives unless `return_rtjson` asks for the other. */
const formOf = <T extends object>(answer: T): Extract<T, { readonly json: unknown }> => {
  if (!isForm(answer)) throw new Error('not a form')
  return answer
}
const isForm = <T extends object>(answer: T): answer is Extract<T, { readonly json: unknown }> => 'json' in answer

const idOf = (fullname: string) => fullname.slice(fullname.indexOf('_') + 1)
const [ann, bob, cat] = [await login('ann'), await login('bob'), await login('cat')]
const query = { raw_json: '1' } as const
const sub = 'tea'
const inTea = { path: { sub } }

await works('login by password', async () => {
  same((await login('dan')) === ann, false)
})

await works('me', async () => {
  same(bodyOf(await ann.GET('/api/v1/me')).name, 'ann')
})

await works('a listing of more than 250', async () => {
  const names: string[] = []
  let after: string | null = null
  do {
    const page: components['schemas']['LinkListing'] = bodyOf(
      await ann.GET('/s/{sub}/new', { params: { ...inTea, query: { limit: 100, ...(after !== null && { after }) } } }),
    )
    for (const { data } of page.data.children) names.push(data.name)
    after = page.data.after
  } while (after !== null)
  same(new Set(names).size, names.length)
  for (const link of content.links) if (!names.includes(link)) throw new Error(`${link} is missing`)
})

const submit = async (
  title: string,
  kind: { readonly kind: 'self'; readonly text: string } | { readonly kind: 'link'; readonly url: string },
) => {
  const { json } = bodyOf(await bob.POST('/api/submit', { body: { ...kind, sr: sub, title } }))
  if (!('data' in json)) throw refused({ json })
  return json.data.name
}
let text = ''

await works('submit', async () => {
  const link = await submit('A teapot', { kind: 'link', url: 'https://example.com/typescript' })
  text = await submit('On pots', { kind: 'self', text: 'Iron & clay' })
  const { data } = bodyOf(await ann.GET('/api/info', { params: { query: { ...query, id: `${link},${text}` } } }))
  same(
    data.children.map((child) => (child.kind === 't5' ? child.data.selftext : child.kind)),
    ['', 'Iron & clay'],
  )
})

const comment = async (thing_id: string, body: string) => {
  const { json } = formOf(bodyOf(await bob.POST('/api/comment', { body: { thing_id, text: body } })))
  if (!('data' in json)) throw refused({ json })
  const [thing] = json.data.things
  if (thing?.kind !== 't1') throw new Error('no comment')
  return thing.data
}
let reply = ''

await works('comment, edit and delete', async () => {
  reply = (await comment(text, 'Clay')).name
  same((await comment(reply, 'Why?')).parent_id, reply)
  const { json } = formOf(
    bodyOf(await bob.POST('/api/editusertext', { params: { query }, body: { thing_id: reply, text: 'Clay > iron' } })),
  )
  if (!('data' in json)) throw refused({ json })
  same(
    json.data.things.map((thing) => (thing.kind === 't1' ? thing.data.body : thing.kind)),
    ['Clay > iron'],
  )
  const gone = (await comment(text, 'Oops')).name
  same(bodyOf(await bob.POST('/api/del', { body: { id: gone } })), {})
})

type Node = components['schemas']['CommentThing'] | components['schemas']['MoreThing']

await works('a comment tree with everything expanded', async () => {
  const article = idOf(content.thread)
  const found = new Set<string>()
  const open = async (nodes: readonly Node[]): Promise<void> => {
    for (const node of nodes) {
      if (node.kind === 't1') {
        found.add(node.data.name)
        if (node.data.replies !== '') await open(node.data.replies.data.children)
      } else if (node.data.id === '_') {
        const path = { article, title: '_', comment: idOf(node.data.parent_id) }
        const [, further] = bodyOf(await ann.GET('/comments/{article}/{title}/{comment}', { params: { path } }))
        await open(further.data.children)
      } else {
        const children = node.data.children.join()
        const { json } = bodyOf(await ann.GET('/api/morechildren', { params: { query: { link_id: content.thread, children } } }))
        if (!('data' in json)) throw refused({ json })
        await open(json.data.things)
      }
    }
  }
  const [links, comments] = bodyOf(await ann.GET('/comments/{article}', { params: { path: { article } } }))
  await open(comments.data.children)
  same(found.size, content.comments)
  same(links.data.children[0]?.data.num_comments, content.comments)
})

await works('vote', async () => {
  const [id = ''] = content.links
  for (const dir of [1, -1] as const) same(bodyOf(await cat.POST('/api/vote', { body: { id, dir } })), {})
  const { data } = bodyOf(await cat.GET('/api/info', { params: { query: { id } } }))
  const [child] = data.children
  same(child?.kind === 't5' && [child.data.likes, child.data.dislikes], [true, true])
})

await works('save, hide, and the pages of a user', async () => {
  const [, id = ''] = content.links
  same(bodyOf(await cat.POST('/api/save', { body: { id } })), {})
  same(bodyOf(await cat.POST('/api/hide', { body: { id } })), {})
  for (const where of ['saved', 'hidden'] as const) {
    const { data } = bodyOf(await cat.GET('/user/{username}/{where}', { params: { path: { username: 'cat', where } } }))
    same(
      data.children.map((child) => child.data.name),
      [id],
    )
  }
  same(bodyOf(await cat.POST('/api/unsave', { body: { id } })), {})
})

await works('inbox', async () => {
  accepted(bodyOf(await bob.POST('/api/compose', { body: { to: 'ann', subject: 'Typed', text: 'Hello' } })))
  const { data } = bodyOf(await ann.GET('/message/{where}', { params: { path: { where: 'unread' } } }))
  const message = data.children.find((child) => child.kind === 't6' && child.data.subject === 'Typed')
  if (!message) throw new Error('no message')
  same(bodyOf(await ann.POST('/api/read_message', { body: { id: message.data.name } })), {})
  const answer = formOf(bodyOf(await ann.POST('/api/comment', { body: { thing_id: message.data.name, text: 'Hello, too' } })))
  if (!('data' in answer.json)) throw refused(answer)
  const [replied] = answer.json.data.things
  same(replied?.kind === 't6' && replied.data.body, 'Hello, too')
  const unread = bodyOf(await ann.GET('/message/{where}', { params: { path: { where: 'unread' } } }))
  same(
    unread.data.children.some((child) => child.data.name === message.data.name),
    false,
  )
})

await works('relations', async () => {
  const friend = { params: { path: { username: 'dan' } } }
  same(bodyOf(await ann.PUT('/api/v1/me/friends/{username}', { ...friend, body: { note: 'coffee' }, headers: JSON_BODY })).name, 'dan')
  same(bodyOf(await ann.GET('/api/v1/me/friends/{username}', friend)).note, 'coffee')
  same((await ann.DELETE('/api/v1/me/friends/{username}', friend)).response.status, 204)
  accepted(
    bodyOf(await ann.POST('/s/{sub}/api/friend', { params: inTea, body: { type: 'banned', name: 'dan', note: 'rude', duration: 3 } })),
  )
  const { data } = bodyOf(await ann.GET('/s/{sub}/about/{location}', { params: { path: { sub, location: 'banned' } } }))
  same(
    data.children.map((child) => ('name' in child ? child.name : child.kind)),
    ['dan'],
  )
  same(bodyOf(await ann.POST('/s/{sub}/api/unfriend', { params: inTea, body: { type: 'banned', name: 'dan' } })), {})
})

await works('moderation', async () => {
  const id = text
  same(bodyOf(await cat.POST('/api/remove', { body: { id, spam: true } })), {})
  same(bodyOf(await cat.POST('/api/approve', { body: { id } })), {})
  same(bodyOf(await cat.POST('/api/lock', { body: { id } })), {})
  accepted(bodyOf(await cat.POST('/api/set_subsite_sticky', { body: { id, state: true } })))
  const { data } = bodyOf(await cat.GET('/api/info', { params: { query: { id } } }))
  const [child] = data.children
  same(child?.kind === 't5' && [child.data.locked, child.data.stickied, child.data.approved_by], [true, true, 'cat'])
})

await works('queues', async () => {
  const named = async (location: 'reports' | 'spam') => {
    const { data } = bodyOf(await cat.GET('/s/{sub}/about/{location}', { params: { path: { sub, location } } }))
    return data.children.map((child) => ('data' in child ? child.data.name : child.name))
  }
  same((await named('reports')).toSorted(), [content.reported, content.reportedLink].toSorted())
  same(await named('spam'), [content.removed])
})

await works('mod log', async () => {
  const { data } = bodyOf(await ann.GET('/s/{sub}/about/log', { params: { ...inTea, query: { limit: 50, mod: 'cat' } } }))
  same(
    data.children.slice(0, 4).map((entry) => entry.data.action),
    ['sticky', 'lock', 'approvelink', 'removelink'],
  )
})

await works('flair', async () => {
  const { choices } = bodyOf(await bob.POST('/s/{sub}/api/flairselector', { params: inTea, body: { link: text } }))
  const [choice] = choices
  if (!choice) throw new Error('no template')
  const flair = { link: text, flair_template_id: choice.flair_template_id, text: 'Oolong' }
  accepted(bodyOf(await bob.POST('/s/{sub}/api/selectflair', { params: inTea, body: flair })))
  accepted(bodyOf(await ann.POST('/s/{sub}/api/flair', { params: inTea, body: { name: 'bob', text: 'Brewer', css_class: 'brewer' } })))
  const { users } = bodyOf(await ann.GET('/s/{sub}/api/flairlist', { params: inTea }))
  same(
    users.map(({ user, flair_text }) => `${user} ${flair_text}`),
    ['bob Brewer'],
  )
})

await works('wiki', async () => {
  same(bodyOf(await ann.POST('/s/{sub}/api/wiki/edit', { params: inTea, body: { page: 'pots', content: '# Pots', reason: 'begin' } })), {})
  const page = bodyOf(await bob.GET('/s/{sub}/wiki/{page}', { params: { path: { sub, page: 'pots' } } }))
  same(page.data.content_md, '# Pots')
  same(bodyOf(await bob.GET('/s/{sub}/wiki/pages', { params: inTea })).data.includes('pots'), true)
  const revisions = bodyOf(await bob.GET('/s/{sub}/wiki/revisions/{page}', { params: { path: { sub, page: 'index' } } }))
  same(
    revisions.data.children.map(({ reason }) => reason),
    ['better', 'better'],
  )
})

await works('settings and preferences', async () => {
  const sr = bodyOf(await ann.GET('/s/{sub}/about', { params: inTea })).data.name
  accepted(bodyOf(await ann.PATCH('/api/v1/subsite/update_settings', { body: { sr, title: 'Tea & pots' } })))
  same(bodyOf(await ann.GET('/s/{sub}/about/edit', { params: { ...inTea, query } })).data.title, 'Tea & pots')
  same(bodyOf(await ann.PATCH('/api/v1/me/prefs', { body: { numsites: 50 }, headers: JSON_BODY })).numsites, 50)
  same(bodyOf(await ann.GET('/api/v1/me/prefs', { params: { query: { fields: 'numsites' } } })), { numsites: 50 })
})

await works('stylesheet', async () => {
  const css = '.pot { color: red }'
  accepted(bodyOf(await ann.POST('/s/{sub}/api/subsite_stylesheet', { params: inTea, body: { op: 'save', stylesheet_contents: css } })))
  same(bodyOf(await ann.GET('/s/{sub}/about/stylesheet', { params: inTea })).data.stylesheet, css)
})

await works('subscriptions and search', async () => {
  same(bodyOf(await cat.POST('/api/subscribe', { body: { action: 'sub', sr: sub } })), {})
  const { data } = bodyOf(await cat.GET('/subs/mine/{where}', { params: { path: { where: 'subscriber' } } }))
  same(
    data.children.some((child) => child.data.display_name === sub),
    true,
  )
  const found = bodyOf(await cat.GET('/s/{sub}/search', { params: { ...inTea, query: { q: 'water', restrict_sr: true } } }))
  const pages = Array.isArray(found) ? found : [found]
  const titles = pages.flatMap((page) =>
    page.data.children.map((child) => (child.kind === 't5' ? child.data.title : child.data.display_name)),
  )
  same(titles, ['On water'])
})

await works('a stream of new comments', async () => {
  const newest = async (before?: string) => {
    const page = { limit: 100, ...(before !== undefined && { before }) }
    const { data } = bodyOf(await ann.GET('/s/{sub}/comments', { params: { ...inTea, query: page } }))
    return data.children.flatMap((child) => (child.kind === 't1' ? [child.data] : []))
  }
  const known = (await newest())[0]?.name
  const written = [(await comment(content.thread, 'A stream')).name, (await comment(content.thread, 'flows')).name]
  same((await newest(known)).map(({ name }) => name).toReversed(), written)
})
