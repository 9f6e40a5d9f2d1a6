import test from 'ava'
import { toEndpointName } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { curlOf, variablesInCommands } from '../../src/http/openapi/curl-commands.ts'
import { exampleRequestOf } from '../../src/http/openapi/example-requests.ts'
import { startTea } from '../support/cast.ts'
import { eventually, logEntries, postForm } from '../support/community.ts'
import { id36, refusalOf, say, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const { site, ann, bob, root, carol } = await startTea(['root', 'carol'])
test.after.always(() => site.stop())

/** Commands of admins, tried as one. */
const ofAdmins: ReadonlySet<string> = new Set([
  'POST /api/suspend_user',
  'POST /api/unsuspend_user',
  'POST /api/erase_user',
  'POST /api/erase_thing',
  'POST [/s/{sub}]/api/wiki/erase',
  'GET /message/reported',
  'POST /api/v1/gold/grant/{username}',
  'GET /api/v1/site/log',
  'GET /api/v1/site/status',
  'GET /api/v1/site/account',
  'POST /api/v1/site/retry_reactions',
  'GET /history/site/entries',
])

/** Commands that the account of the guides is refused, and how: what they need, it does not have. */
const refused: Readonly<Record<string, string>> = {
  'GET /s/{sub}/images/{file}': '404', // no image is uploaded
  'GET /s/{sub}/stylesheets/{file}': '404', // the name is of another stylesheet
  // the name of an origin is made when a history begins
  'GET /history/{origin}/log/checkpoint': '404',
  'GET /history/{origin}/log/tile/{level}/{tile}': '404',
  'GET /history/{origin}/s/{subsite}/checkpoint': '404',
  'GET /history/{origin}/s/{subsite}/tile/{level}/{tile}': '404',
  'GET /site/{file}': '404', // the name is that of another version
  'GET /.well-known/security.txt': '404', // no contact is configured
  'POST [/s/{sub}]/api/erase_sr_img': '403', // for admins, and no image is uploaded
  'POST /api/store_visits': '403', // needs gold
  'DELETE /api/v1/me/grants': '404', // no code was exchanged for a token
  'POST [/s/{sub}]/api/accept_moderator_invite': 'NO_INVITE_FOUND',
  'POST /api/update_password': 'WRONG_PASSWORD curpass', // as above
  'POST /api/delete_user': 'WRONG_PASSWORD passwd',
  'POST /api/login': 'INCORRECT_USERNAME_OR_PASSWORD passwd', // the accounts of tests have another password; test/http/guides.test.ts logs in
}

/** Tried last, since they end what others need. */
const ending = /logout|delete|\/del$|erase|update_password|revoke|suspend|leave|sessions|grants|remove_|clear|block|mute|DELETE/

/** After all others. */
const final = /logout|erase_user|apps\/|multipath\}$|rename|copy/

const message = async (to: string, box: string): Promise<string> => {
  await postForm(bob, '/api/compose', { to, subject: 'water', text: 'Which one?' })
  return String((await ann.get(box)).at('data.children.0.data.name'))
}

/** Returns the values of the variables in the commands: `ann` has a little of everything. */
const valuesOf = async (appId: string) => {
  await postForm(ann, '/api/site_admin', {
    sr: (await ann.get('/s/tea/about')).at('data.name') as string,
    title: 'Tea',
    wikimode: 'anyone',
  })
  const link = await submit(ann, 'tea', { title: 'On water', url: 'https://example.com/water' })
  const comment = await say(bob, link)
  const mail = await message('ann', '/message/messages')
  await postForm(ann, '/s/tea/api/wiki/edit', { page: 'index', content: 'Water.' })
  await postForm(ann, '/s/tea/api/add_subsite_rule', { short_name: 'Be kind', kind: 'all' })
  await postForm(ann, '/s/tea/api/flairtemplate', { text: 'leaf', flair_type: 'USER_FLAIR' })
  await postForm(ann, '/s/tea/api/flairconfig', { flair_enabled: true, flair_position: 'left', flair_self_assign_enabled: true })
  await postForm(ann, '/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: 'h2 { color: red; }' })
  await postForm(ann, '/s/tea/api/friend', { type: 'moderator', name: carol.name, permissions: '+flair' })
  await postForm(ann, '/api/set_subsite_sticky', { id: link, state: true })
  await ann.request('PUT', '/api/multi/user/ann/m/drinks', { form: { model: '{"subreddits": [{"name": "tea"}]}' } })
  await ann.request('PUT', '/api/v1/me/friends/bob', { json: {} })
  await postForm(bob, '/api/site_admin', { name: 'milk', title: 'Milk' })
  await root.request('POST', '/api/v1/gold/grant/ann', { form: { csites: 100 } })
  const [entry] = await logEntries(ann, 'tea')
  await eventually(async () => Boolean((await site.get(`/history/proof/${entry?.id}`)).at('log')))
  const flair = (await ann.post('/s/tea/api/flairselector')).at('choices.0.flair_template_id')
  return {
    ...{ LINK: link, ID: id36(link), OTHER_LINK: await submit(ann, 'tea'), COMMENT: comment, COMMENT_ID: id36(comment) },
    ...{ MESSAGE: mail, MESSAGE_ID: id36(mail), MODMAIL: await message('/s/tea', '/s/tea/about/message/inbox') },
    ...{
      SUBSITE: String((await ann.get('/s/tea/about')).at('data.name')),
      OTHER_SUBSITE: String((await bob.get('/s/milk/about')).at('data.name')),
      FLAIR: String(flair),
      APP_ID: appId,
    },
    ENTRY: String(entry?.id),
    REVISION: String((await ann.get('/s/tea/wiki/revisions/index')).at('data.children.0.id')),
    ...{ OTHER_TOKEN: 'unknown', IDEN: '0a1b2c3d4e5f', FILE: 'leaf.png' },
  } as Readonly<Record<string, string>>
}

const outcomeOf = (answer: Answer): string => {
  if (answer.status >= 400) return String(answer.status)
  return answer.headers.get('x-reason') ?? (Array.isArray(answer.at('json.errors')) ? refusalOf(answer) : '')
}

/** Pages show their refusals, and OAuth has a word of its own for them. */
const isRefused = (answer: Answer): boolean => outcomeOf(answer) !== '' || answer.at('error') !== undefined || /<form/.test(answer.text)

/** The parameter that a refusal names. */
const blamed = (answer: Answer): unknown => answer.at('json.errors.0.2') ?? answer.at('fields.0')

/** Not always required, but by such requests as the examples are. */
const whereOthersLack: Readonly<Record<string, string>> = {
  'POST [/s/{sub}]/api/flair without name': 'unless `link` says whose flair it is',
  'POST [/s/{sub}]/api/selectflair without name': 'likewise',
  'POST /api/site_admin without name': 'unless `sr` names a subsite that is there',
  'POST [/s/{sub}]/api/unfriend without name': 'unless `id` says who',
  'POST /api/block_user without name': 'unless `account_id` says who',
  'POST /api/multi/copy without to': 'unless `display_name` says which name',
  'POST [/s/{sub}]/api/wiki/edit without content': 'an empty page conflicts with what the example has written',
}

test('the command below each endpoint does what it is there for', async (t) => {
  const session = await ann.session()
  const app = await session.post('/api/v1/apps', { name: 'x', app_type: 'script', redirect_uri: 'http://localhost' })
  const values = await valuesOf(String(app.at('client_id')))
  const filled = (text: string) => text.replace(/\$([A-Z_]+)/g, (_, name: string) => values[name] ?? `no ${name}`)
  const authorization = { Authorization: `Basic ${btoa(`${app.at('client_id')}:${app.at('client_secret')}`)}` }
  const callers: Readonly<Record<string, Caller>> = { nobody: site, token: ann, session, app: site }
  const outcomes: Record<string, string> = {}
  const unlike: string[] = []
  const stepOf = ({ method, path }: (typeof endpoints)[number]) =>
    method === 'GET' ? 0 : final.test(path) ? 3 : ending.test(`${method} ${path}`) ? 2 : 1
  for (const endpoint of endpoints.toSorted((one, other) => stepOf(one) - stepOf(other))) {
    const { method, path, fields, json, as } = exampleRequestOf(endpoint)
    const form = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, filled(value)]))
    const query = method === 'GET' ? `?${new URLSearchParams(form)}` : ''
    const body = json === undefined ? (method === 'GET' ? {} : { form }) : { body: json, headers: { 'Content-Type': 'application/json' } }
    const caller = ofAdmins.has(toEndpointName(endpoint)) ? root : (callers[as] ?? site)
    const send = (sending: object, target = filled(path)) =>
      caller.request(method, target, { ...sending, ...(as === 'app' && { headers: authorization }) })
    /** Each parameter of the example, left out in turn. */
    const without = async (wanted: boolean) => {
      for (const name of [...Object.keys(form), ...(json === undefined ? [] : [endpoint.jsonBody ?? ''])]) {
        if (name === 'api_type' || endpoint.params[name]?.required !== wanted) continue
        const { [name]: _, ...others } = form
        const answer = await (method === 'GET' ? send({}, `${filled(path)}?${new URLSearchParams(others)}`) : send({ form: others }))
        const isMissed = wanted ? isRefused(answer) : blamed(answer) === name || answer.headers.has('x-reason')
        if (isMissed !== wanted) unlike.push(`${toEndpointName(endpoint)} without ${name}`)
      }
    }
    await without(true)
    const outcome = outcomeOf(await send(body, filled(path) + query))
    if (outcome !== '') outcomes[toEndpointName(endpoint)] = outcome
    await without(false)
  }
  t.deepEqual(outcomes, refused)
  t.deepEqual(
    unlike.toSorted(),
    Object.keys(whereOthersLack).toSorted(),
    'what is marked as required is refused when it is missing, and nothing else',
  )
})

test('each variable of the commands is explained', (t) => {
  const words = Object.entries(variablesInCommands).flat().join(' ')
  const used = new Set(endpoints.flatMap((endpoint) => curlOf(endpoint).match(/\$[A-Z_]+/g) ?? []))
  for (const name of used) t.true(name.startsWith('$ROSTRA_') || new RegExp(`\\b${name.slice(1)}\\b`).test(words), name)
})
