import { type AnyEndpoint, toEndpointName } from '../contract/endpoint.ts'

type Values = Readonly<Record<string, string>>

/** A request that an endpoint answers, with values that the quickstarts use, too. `$NAME` is a variable of the shell. */
export type ExampleRequest = {
  readonly method: string
  readonly path: string
  readonly fields: Values
  readonly json: string | undefined
  /** The field of a file, which is `icon.png`. */
  readonly file: string | undefined
  readonly as: 'nobody' | 'token' | 'session' | 'app'
}

/** The usual value of a parameter by its name: the account `ann`, her subsite `tea`, a link there, and so on. */
const usualValues: Values = {
  sub: 'tea',
  sr: 'tea',
  subsite: 'tea',
  srname: 'tea',
  srnames: 'tea',
  host: 'example.com',
  page: 'index',
  multipath: 'user/ann/m/drinks',
  article: '$ID',
  id: '$LINK',
  thing: '$LINK',
  thing_id: '$LINK',
  link_id: '$LINK',
  names: '$LINK',
  fullname: '$LINK',
  mid: '$MESSAGE_ID',
  revision: '$REVISION',
  entry: '$ENTRY',
  level: '0',
  tile: '000.p/1',
  username: 'bob',
  name: 'bob',
  user: 'bob',
  to: 'bob',
  client_id: '$APP_ID',
  flair_template_id: '$FLAIR',
  iden: '$IDEN',
  file: '$FILE',
  text: 'Soft, and two minutes.',
  title: 'On water',
  subject: 'Water',
  reason: 'it shows a private address',
  query: 'tea',
  q: 'water',
  passwd: 'correct-horse',
  passwd2: 'correct-horse',
  short_name: 'Be kind',
  old_short_name: 'Be kind',
  img_name: 'leaf',
  months: '1',
  csites: '5',
}

const drinks = '{"display_name": "Drinks", "subreddits": [{"name": "tea"}]}'

/** Values that differ from the usual ones, or are sent though they are not required. */
const particular: Readonly<Record<string, Values>> = {
  'POST /api/register': { user: 'dora' },
  'POST /api/login': { user: 'ann' },
  'POST /post/login': { user: 'ann' },
  'POST /post/reg': { user: 'emil' },
  'POST /api/v1/apps': { name: 'my first app', app_type: 'script', redirect_uri: 'http://localhost' },
  'GET /api/v1/authorize': {
    response_type: 'code',
    redirect_uri: 'http://localhost',
    scope: 'identity read',
    state: 'x1',
    duration: 'permanent',
  },
  'POST /api/v1/authorize': {
    response_type: 'code',
    redirect_uri: 'http://localhost',
    scope: 'identity read',
    state: 'x1',
    authorize: 'Allow',
  },
  'POST /api/v1/access_token': { grant_type: 'password', username: 'ann', password: 'correct-horse' },
  'POST /api/v1/revoke_token': { token: '$OTHER_TOKEN' },
  'POST /api/submit': { kind: 'self', text: 'Soft or hard?' },
  'POST /api/vote': { dir: '1' },
  'POST /api/set_contest_mode': { state: 'true' },
  'POST /api/set_suggested_sort': { sort: 'new' },
  'POST /api/sendreplies': { id: '$LINK', state: 'false' },
  'POST /api/editusertext': { thing_id: '$OTHER_LINK', text: 'Soft, and three minutes.' },
  'POST /api/erase_user': { name: 'bob' },
  'POST /api/del': { id: '$OTHER_LINK' },
  'GET [/s/{sub}]/api/info': { id: '$LINK' },
  'POST /api/store_visits': { links: '$LINK' },
  'POST [/s/{sub}]/api/flair': { name: 'bob', text: 'leaf counter' },
  'POST [/s/{sub}]/api/flairconfig': { flair_enabled: 'true', flair_position: 'right' },
  'POST [/s/{sub}]/api/flaircsv': { flair_csv: 'bob,leaf counter,leaf' },
  'POST [/s/{sub}]/api/flairtemplate': { text: 'leaf counter', flair_type: 'USER_FLAIR' },
  'POST [/s/{sub}]/api/clearflairtemplates': { flair_type: 'LINK_FLAIR' },
  'POST [/s/{sub}]/api/selectflair': { name: 'ann', flair_template_id: '$FLAIR' },
  'POST [/s/{sub}]/api/setflairenabled': { flair_enabled: 'true' },
  'GET [/s/{sub}]/search': { q: 'water', restrict_sr: 'true' },
  'GET /api/morechildren': { children: '$COMMENT_ID' },
  'POST /api/compose': { text: 'Which water do you take?' },
  'POST /api/read_message': { id: '$MESSAGE' },
  'POST /api/unread_message': { id: '$MESSAGE' },
  'POST /api/collapse_message': { id: '$MESSAGE' },
  'POST /api/uncollapse_message': { id: '$MESSAGE' },
  'POST /api/del_msg': { id: '$MESSAGE' },
  'POST /api/block': { id: '$MESSAGE' },
  'POST /api/block_user': { name: 'bob' },
  'POST /api/unblock_subsite': { id: '$MESSAGE' },
  'POST /api/mute_message_author': { id: '$MODMAIL' },
  'POST /api/unmute_message_author': { id: '$MODMAIL' },
  'POST /api/remove': { spam: 'false' },
  'POST /api/set_subsite_sticky': { state: 'true' },
  'POST /api/distinguish': { how: 'yes' },
  'POST /api/report': { thing_id: '$COMMENT', reason: 'spam' },
  'POST [/s/{sub}]/api/wiki/erase': { reason: 'it shows a private address' },
  'GET /history/schemas/{type}/{version}': { type: 'VoteCast', version: '1' },
  'GET [/s/{sub}]/about/log': { type: 'removelink,approvelink' },
  'POST /api/search_site_names': { query: 'te' },
  'POST /api/site_admin': { name: 'coffee', title: 'All about coffee' },
  'PATCH /api/v1/subsite/update_settings': { sr: '$SUBSITE', title: 'All about tea' },
  'POST /api/subscribe': { action: 'sub' },
  'POST /api/mute_subsite': { id: '$OTHER_SUBSITE' },
  'POST /api/unmute_subsite': { id: '$OTHER_SUBSITE' },
  'POST [/s/{sub}]/api/add_subsite_rule': { short_name: 'No bags', kind: 'all', description: 'Loose leaves only.' },
  'POST [/s/{sub}]/api/update_subsite_rule': { kind: 'all', description: 'Be kind to newcomers.' },
  'POST [/s/{sub}]/api/reorder_subsite_rules': { new_rule_order: 'No bags,Be kind' },
  'POST [/s/{sub}]/api/upload_sr_img': { name: 'leaf', upload_type: 'img', img_type: 'png' },
  'POST [/s/{sub}]/api/subsite_stylesheet': { op: 'save', stylesheet_contents: 'h1 { color: green; }' },
  'GET /api/subsites_by_topic': { query: 'tea' },
  'GET /subsites/search': { q: 'tea' },
  'GET /api/multi/user/{username}': { username: 'ann' },
  'POST /api/multi/{multipath}': { multipath: 'user/ann/m/hot_drinks', model: drinks },
  'PUT /api/multi/{multipath}': { model: drinks },
  'POST /api/multi/copy': { from: '/user/ann/m/drinks', to: '/user/ann/m/drinks_too' },
  'POST /api/multi/rename': { from: '/user/ann/m/drinks', to: '/user/ann/m/beverages' },
  'PUT /api/multi/{multipath}/description': { model: '{"body_md": "What we drink."}' },
  'PUT /api/multi/{multipath}/s/{srname}': { model: '{"name": "tea"}' },
  'GET /api/username_available': { user: 'fred' },
  'GET /user/{username}/{where}': { username: 'ann' },
  'POST [/s/{sub}]/api/friend': { type: 'contributor' },
  'POST [/s/{sub}]/api/unfriend': { type: 'contributor', name: 'bob' },
  'POST [/s/{sub}]/api/setpermissions': { type: 'moderator_invite', name: 'carol', permissions: '+posts,+mail' },
  'POST /api/leavemoderator': { id: '$SUBSITE' },
  'POST /api/leavecontributor': { id: '$SUBSITE' },
  'PUT /api/v1/me/friends/{username}': { friend: '{"note": "knows his water"}' },
  'POST [/s/{sub}]/api/wiki/edit': { content: 'Water first.', reason: 'a beginning', previous: '$REVISION' },
  'POST [/s/{sub}]/wiki/settings/{page}': { permlevel: '1', listed: 'true' },
  'POST [/s/{sub}]/api/wiki/alloweditor/{act}': { act: 'add' },
  'PATCH /api/v1/me/prefs': { preferences: '{"numsites": 50}' },
  'POST /api/update_password': { curpass: 'correct-horse', newpass: 'battery-staple', verpass: 'battery-staple' },
  'POST /api/suspend_user': { duration: '3' },
  'GET /docs/{file}': { file: 'errors' },
}

/** Requests that log an app in, or need nobody. */
const withApp: ReadonlySet<string> = new Set(['POST /api/v1/access_token', 'POST /api/v1/revoke_token'])
/** Requests that only moderators or owners see in full, though anybody may send them. */
const byToken: ReadonlySet<string> = new Set(['GET /s/{sub}/about/edit', 'GET /api/multi/{multipath}'])
const bySession: ReadonlySet<string> = new Set(['GET /api/v1/authorize', 'POST /api/v1/authorize', 'POST /logout'])

const callerOf = (endpoint: AnyEndpoint): ExampleRequest['as'] => {
  const name = toEndpointName(endpoint)
  if (withApp.has(name)) return 'app'
  if (endpoint.login === 'session' || bySession.has(name)) return 'session'
  return endpoint.login === 'anyone' && !byToken.has(name) ? 'nobody' : 'token'
}

export const exampleRequestOf = (endpoint: AnyEndpoint): ExampleRequest => {
  const { method, params, values = {}, jsonBody, upload } = endpoint
  const particularValues = particular[toEndpointName(endpoint)] ?? {}
  const value = (name: string): string => particularValues[name] ?? values[name]?.[0] ?? usualValues[name] ?? ''
  const inPath: string[] = []
  const path = endpoint.path.replace('[/s/{sub}]', '/s/{sub}').replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.push(name)
    return value(name)
  })
  const exampleParams = Object.entries(params).filter(
    ([name, { required }]) => !inPath.includes(name) && name !== jsonBody && (required || name in particularValues),
  )
  return {
    method,
    path,
    fields: Object.fromEntries([
      ...(endpoint.errors === 'form' ? [['api_type', 'json']] : []),
      ...exampleParams.map(([name]) => [name, value(name)]),
    ]),
    json: jsonBody === undefined ? undefined : value(jsonBody),
    file: upload?.field,
    as: callerOf(endpoint),
  }
}
