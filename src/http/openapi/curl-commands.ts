import type { AnyEndpoint } from '../contract/endpoint.ts'
import { type ExampleRequest, exampleRequestOf } from './example-requests.ts'

/** Quotes a text in double quotes, in which the shell still expands variables. */
const quoteForShell = (text: string): string => (/^[\w$.:/-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`)
const singleQuoted = (text: string): string => `'${text}'`
const isPlain = (text: string): boolean => /^[\w$.:/ ,-]*$/.test(text)

const credentials: Readonly<Record<ExampleRequest['as'], readonly string[]>> = {
  nobody: [],
  token: ['-H "Authorization: bearer $TOKEN"'],
  session: ['-b cookies.txt'],
  app: ['-u "$ROSTRA_CLIENT_ID:$ROSTRA_CLIENT_SECRET"'],
}

/** Returns the request as a command. */
export const curlOf = (endpoint: AnyEndpoint): string => {
  const { method, path, fields, json, file, as } = exampleRequestOf(endpoint)
  const isRead = method === 'GET'
  const entries = Object.entries(as === 'session' && !isRead ? { ...fields, uh: '$MODHASH' } : fields)
  const query = isRead ? entries.map(([name, value]) => `${name}=${value.replaceAll(' ', '%20')}`).join('&') : ''
  const data = (name: string, value: string) => {
    if (file !== undefined) return `-F ${quoteForShell(`${name}=${value}`)}`
    return `${isPlain(value) ? '-d' : '--data-urlencode'} ${quoteForShell(`${name}=${value}`)}`
  }
  const sends = json !== undefined || file !== undefined || entries.length > 0
  const verb = isRead || (method === 'POST' && sends) ? [] : [`-X ${method}`]
  return [
    'curl -s',
    ...verb,
    ...credentials[as],
    `"$ROSTRA_URL${path}${query === '' ? '' : `?${query}`}"`,
    ...(json === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${singleQuoted(json)}`]),
    ...(file === undefined ? [] : [`-F ${file}=@icon.png`]),
    ...(isRead ? [] : entries.map(([name, value]) => data(name, value))),
  ].join(' ')
}

/** The variables in the commands, with their meanings. */
export const variablesInCommands: Readonly<Record<string, string>> = {
  ROSTRA_URL:
    'the address of the service; this and the other variables that begin with `ROSTRA_` are those of [Account and app](guide/account-and-app.md)',
  TOKEN: 'a token of `ann`, and `LINK` a link of hers in `tea`, as in the [quickstart with curl](guide/quickstart-curl.md)',
  ID: '`LINK` without `t5_`',
  OTHER_LINK: 'another link of `ann`',
  OTHER_TOKEN: 'another token of hers',
  APP_ID: 'the `client_id` of an app of hers',
  IDEN: 'what `/api/new_captcha` gave',
  COMMENT: 'the fullname of a comment on the link, such as `t1_1597vlmwow`, and `COMMENT_ID` the same without `t1_`',
  MESSAGE:
    'the fullname of a message to `ann`, such as `t6_1597vlmwow`, `MESSAGE_ID` the same without `t6_`, and `MODMAIL` one to the moderators of `tea`',
  SUBSITE: 'the fullname of `tea`, such as `t4_1597vk44jk`, and `OTHER_SUBSITE` that of a subsite of somebody else',
  REVISION: 'the id of a revision of the wiki page `index`, from `/s/tea/wiki/revisions/index`',
  ENTRY: 'the `id` of an entry of the moderation log of `tea`, from `/s/tea/about/log`',
  FLAIR: 'the id of a flair template',
  FILE: 'the name of a file, from the address of an image or a stylesheet',
  MODHASH:
    'what a write with the cookies of a session needs; `cookies.txt` and this are those of [Account and app](guide/account-and-app.md)',
}
