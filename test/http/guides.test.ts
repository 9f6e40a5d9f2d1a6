import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { errorCatalogue } from '../../docs/error-catalogue.ts'
import { documentationUrl } from '../../src/http/contract/documentation-url.ts'
import type { RefusalCode } from '../../src/http/contract/refusals.ts'
import { sections } from '../../src/http/contract/sections.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { docsFiles } from '../../src/http/openapi/docs-page.ts'
import { htmlProblems } from '../support/browser-requests.ts'
import { postForm } from '../support/community.ts'
import { has, type Language, printedBy, shellOf, startProgram, type Variables } from '../support/guides.ts'
import { id36, say, submit } from '../support/posting.ts'
import { scriptVectors } from '../support/script-vectors.ts'
import { startSite, type User } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const run = promisify(execFile)
const site = await startSite()
const maker = await site.register('maker')
await postForm(maker, '/api/site_admin', { name: 'tea', title: 'All about tea' })

const python = await has('python3', '--version')
const shell = await has('bash', '-c', 'command -v curl sed openssl')
/** Compiling the first Go program takes longer than all other tests of this file: `npm run test:clients` does. */
const go = process.env.FULL_CLIENTS === '1' && (await has('go', 'version'))

test.after.always(() => site.stop())

/** An account with an app, as the guides' programs find them. */
const variablesOf = async ({ name, password, session }: User): Promise<Variables> => {
  const app = await (await session()).post('/api/v1/apps', { name: 'bot', app_type: 'script', redirect_uri: 'http://localhost' })
  return {
    ROSTRA_URL: site.url,
    ROSTRA_CLIENT_ID: String(app.at('client_id')),
    ROSTRA_CLIENT_SECRET: String(app.at('client_secret')),
    ROSTRA_USERNAME: name,
    ROSTRA_PASSWORD: password,
  }
}

// --- the pages ---

const addressesIn = (text: string): readonly string[] =>
  [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'))
const idsIn = (text: string): ReadonlySet<string> => new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id))

test('every link, anchor and picture of the guides leads to something, and every page is reached from the first', async (t) => {
  const read = new Map<string, string>()
  const waiting = ['/docs']
  const wanted: (readonly [page: string, address: string, place: string])[] = []
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    if (read.has(page)) continue
    const { status, text, headers } = await site.get(page)
    t.is(status, 200, page)
    read.set(page, text)
    if (!headers.get('content-type')?.startsWith('text/html') || !page.startsWith('/docs') || page === '/docs/reference') continue
    t.regex(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self'; img-src 'self';/, page)
    t.regex(text, /<title>[^<]+ · Rostra<\/title>/)
    for (const address of addressesIn(text)) {
      if (/^https?:/.test(address)) continue
      const [path = '', place] = address.split('#')
      if (place !== undefined) wanted.push([page, path === '' ? page : path, place])
      if (path !== '') waiting.push(path)
    }
  }
  for (const [page, address, place] of wanted) t.true(idsIn(read.get(address) ?? '').has(place), `${page} leads to ${address}#${place}`)
  t.true(wanted.length > 50)
  const scripts = new Set(['reference.css', 'swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'])
  t.deepEqual(
    docsFiles.filter((file) => !scripts.has(file) && !read.has(`/docs/${file}`) && file !== 'favicon.svg'),
    [],
  )
})

test('a search finds parts of the guides in which all words stand, headings first, and leads to their places', async (t) => {
  const hitsOf = async (question: string) => {
    const { text, headers } = await site.get(`/docs?q=${encodeURIComponent(question)}`)
    t.deepEqual(await htmlProblems(text), [], question)
    t.regex(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self'; img-src 'self';/)
    return addressesIn(text.slice(text.indexOf('<main>')))
  }
  t.is((await hitsOf('SUBSITE_RATELIMIT'))[0], '/docs/errors#SUBSITE_RATELIMIT')
  for (const question of ['the', 'rate LIMIT', 'post', 'GET /history/events', 'code'])
    for (const address of await hitsOf(question)) {
      const [page = '', place = ''] = address.split('#')
      t.true(idsIn((await site.get(page)).text).has(place), address)
    }
  for (const nothing of ['zzzzzz', ...scriptVectors.slice(0, 5)]) t.deepEqual(await hitsOf(nothing), [], nothing)
  t.is((await site.get('/docs?q=%20')).text, (await site.get('/docs')).text)
})

test('the adapters that the page of clients names are served as they are', async (t) => {
  const page = (await site.get('/docs/clients')).text
  for (const name of readdirSync(new URL('../../docs/adapters/', import.meta.url))) {
    t.true(addressesIn(page).includes(`/docs/${name}`), name)
    const { text, headers } = await site.get(`/docs/${name}`)
    t.is(text, readFileSync(new URL(`../../docs/adapters/${name}`, import.meta.url), 'utf8'))
    t.regex(headers.get('content-type') ?? '', /^text\/(plain|javascript); charset=UTF-8$/)
  }
})

test('the page of endpoints lists every operation by section, filters them with a script of this site, and names no file of the source', async (t) => {
  const { text, headers } = await site.get('/docs/endpoints')
  const listed = [...text.matchAll(/<li><a href="#([^"]+)">([A-Z]+ [^<]+)<\/a><\/li>/g)].map(([, id = '', words = '']) => ({ id, words }))
  t.deepEqual(listed.map(({ words }) => words).toSorted(), endpoints.map(({ method, path }) => `${method} ${path}`).toSorted())
  t.is(new Set(listed.map(({ id }) => id)).size, endpoints.length, 'each has an anchor of its own')
  for (const name of Object.keys(sections)) t.regex(text, new RegExp(`<summary>${name} \\d+</summary>`))
  t.notRegex(text, /src\/http|npm run generate/)
  t.regex(headers.get('content-security-policy') ?? '', /; script-src 'self'$/)
  t.true(text.includes('<script src="/docs/filter.js" defer></script>'))
  t.is((await site.get('/docs/filter.js')).headers.get('content-type'), 'text/javascript; charset=UTF-8')
  t.notRegex((await site.get('/docs/limits')).headers.get('content-security-policy') ?? '', /script-src/, 'only where it is needed')
})

test('each code has an entry in the catalogue of errors, at the address that refusals name', async (t) => {
  const ids = idsIn((await site.get('/docs/errors')).text)
  for (const code of Object.keys(errorCatalogue) as readonly RefusalCode[]) {
    const { origin, pathname, hash } = new URL(documentationUrl(site.url, code))
    t.deepEqual([origin, pathname], [site.url, '/docs/errors'])
    t.true(ids.has(hash.slice(1)), code)
  }
})

test('the icon is served where browsers look for it', async (t) => {
  for (const address of ['/favicon.svg', '/favicon.ico']) {
    const { status, headers, text } = await site.get(address)
    t.is(status, 200)
    t.is(headers.get('content-type'), 'image/svg+xml')
    t.true(text.startsWith('<svg '))
  }
})

// --- the commands and programs on them ---

/** Stands for the person at the browser, between two commands of the guide to OAuth. */
const pressAllow = `CODE=$(curl -s -b cookies.txt -o /dev/null -D - "$ROSTRA_URL/api/v1/authorize" -d uh=$MODHASH -d authorize=Allow \\
  -d "\${ADDRESS#*\\?}" | sed -n 's/^[Ll]ocation:.*[?&]code=\\([^&]*\\).*/\\1/p')
`

;(shell ? test : test.skip)('the commands of all guides work as they stand, one page after the other', async (t) => {
  const own = await startSite()
  t.teardown(own.stop)
  const cwd = temporaryDirectory(t)
  const first = (await shellOf('account-and-app')).replace(/^S=.*$/m, `S=${own.url}`)
  const { stdout: begun } = await run('bash', ['-eu', '-c', first], { cwd })
  const [, id = '', secret = ''] = /"client_id":"([^"]+)","client_secret":"([^"]+)"/.exec(begun) ?? []
  t.regex(secret, /./, begun)
  const oauth = (await shellOf('oauth')).replace(/(?=^ANSWER=)/m, pressAllow)
  t.true(oauth.includes(pressAllow))
  const bot = (await shellOf('bot')).replace('sleep 6\n', '')
  const others = await Promise.all(['quickstart-curl', 'paging', 'following', 'comment-tree', 'retrying'].map(shellOf))
  const moderators = await shellOf('moderators')
  const script = [others[0], bot, ...others.slice(1), moderators, oauth].join('\n')
  const env = {
    ...process.env,
    ...{ ROSTRA_URL: own.url, ROSTRA_CLIENT_ID: id, ROSTRA_CLIENT_SECRET: secret },
    ...{ ROSTRA_USERNAME: 'ann', ROSTRA_PASSWORD: 'correct-horse' },
  }
  const { stdout } = await run('bash', ['-eu', '-c', script], { cwd, env })
  for (const refused of [begun, stdout]) t.notRegex(refused, /"errors":\[\[|"reason":|"error":/)
  t.regex(stdout, /"name":"ann"/)
  t.regex(stdout, /Soft, and two minutes/)
  t.regex(stdout, /!steep please/)
  t.regex(stdout, /Idempotent-Replayed: false\s+Idempotent-Replayed: true/i)
  t.regex(stdout, /"body":"One more\."/)
  t.regex(stdout, /"action":"invitemoderator"/)
  t.is(stdout.match(/"scope":"identity read submit"/g)?.length, 2)
  t.regex(stdout, /"device_id":"0123456789abcdef0123"/)
})

/** Runs a test for each language that the machine has. */
const inEach = (
  title: string,
  languages: readonly Language[],
  body: (t: ExecutionContext, language: Language) => Promise<void>,
  run: typeof test | typeof test.serial = test,
) => {
  const present: Readonly<Record<Language, boolean>> = { typescript: true, python, go }
  for (const language of languages) (present[language] ? run : run.skip)(`${title}, in ${language}`, (t) => body(t, language))
}

inEach('the quickstart prints what it says', ['typescript', 'python', 'go'], async (t, language) => {
  const variables = await variablesOf(await site.register(`quick_${language}`))
  const printed = await printedBy(temporaryDirectory(t), { guide: `quickstart-${language}`, language }, variables)
  t.regex(
    printed,
    new RegExp(
      `^I am quick_${language}\nMy link is t5_\\w+ at http\\S+\nMy comment is t1_\\w+\nquick_${language} wrote: Soft, and two minutes\\.\n$`,
    ),
  )
})

inEach('a listing is read to its end', ['typescript', 'python'], async (t, language) => {
  const sr = `paged_${language}`.slice(0, 12)
  await postForm(maker, '/api/site_admin', { name: sr, title: sr })
  const names: string[] = []
  for (let n = 0; n < 5; n++) names.unshift(await submit(maker, sr, { title: `number ${n}` }))
  const limit: Readonly<Record<string, Variables>> = { typescript: { "limit: '100'": "limit: '2'" }, python: { 'limit=100': 'limit=2' } }
  const printed = await printedBy(
    temporaryDirectory(t),
    { guide: 'paging', language, replace: { ...limit[language], '/s/tea/new': `/s/${sr}/new` } },
    { ROSTRA_URL: site.url },
  )
  t.deepEqual(
    printed
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
    names,
  )
})

// one after the other: an address may ask for hidden comments once at a time
inEach(
  'all comments of a link are found, also those that a page leaves out',
  ['typescript', 'python'],
  async (t, language) => {
    const link = await submit(maker, 'tea')
    const names: string[] = []
    for (let n = 0; n < 30; n++) names.push(await say(maker, link))
    for (let [parent = '', depth] = [names[0], 0]; depth < 12; depth++) {
      parent = await say(maker, parent)
      names.push(parent)
    }
    const few: Readonly<Record<string, Variables>> = {
      typescript: { "LIMIT = '500'": "LIMIT = '5'" },
      python: { 'LIMIT = 500': 'LIMIT = 5' },
    }
    const program = { guide: 'comment-tree', language, arguments: [id36(link)], replace: few[language] ?? {} }
    const printed = await printedBy(temporaryDirectory(t), program, { ROSTRA_URL: site.url })
    const found = printed
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '')
    t.deepEqual(found.toSorted(), names.toSorted())
  },
  test.serial,
)

inEach('the challenge of the guide to OAuth is the hash of its verifier', ['typescript', 'python'], async (t, language) => {
  const printed = await printedBy(temporaryDirectory(t), { guide: 'oauth', language }, {})
  const [verifier = '', challenge] = printed.trim().split(' ')
  t.regex(verifier, /^[\w-]{43,128}$/)
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  t.is(challenge, Buffer.from(hash).toString('base64url'))
})

inEach(
  'the bot answers each new comment that asks for it once, also after a new start and a token that ended',
  ['typescript', 'python'],
  async (t, language) => {
    const directory = temporaryDirectory(t)
    const bot = await site.register(`bot_${language}`)
    const variables: Variables = { ...(await variablesOf(bot)), ROSTRA_PAUSE: '0.1' }
    const link = await submit(maker, 'tea')
    const old = await say(maker, link, '!steep, before the bot began')
    const program = { guide: 'bot', language, replace: { '!steep': `!steep-${language}` } }
    const ask = (text = '') => say(maker, link, `!steep-${language} ${text}`)
    const answers = async (name: string) => {
      const { body } = await site.get(`/comments/${id36(link)}/_/${id36(name)}`)
      return JSON.stringify(body).match(/"body":"Three minutes, in water/g)?.length ?? 0
    }

    const first = await startProgram(directory, program, variables)
    t.teardown(first.end)
    await first.printed(/^Waiting for new comments in tea$/m)
    const [asked, silent] = [await ask(), await say(maker, link, 'nothing for you')]
    await first.printed(new RegExp(`^Answered ${asked}$`, 'm'))

    const ended = await (await bot.session()).request('DELETE', `/api/v1/me/grants?client_id=${variables.ROSTRA_CLIENT_ID}`)
    t.true(ended.status < 300, ended.text)
    const later = await ask('again')
    await first.printed(new RegExp(`^Answered ${later}$`, 'm'))
    await first.end()

    const meanwhile = await ask('while you were away')
    const second = await startProgram(directory, program, variables)
    t.teardown(second.end)
    await second.printed(new RegExp(`^Answered ${meanwhile}$`, 'm'))
    for (const [name, count] of [
      [old, 0],
      [silent, 0],
      [asked, 1],
      [later, 1],
      [meanwhile, 1],
    ] as const)
      t.is(await answers(name), count, name)
  },
)

// --- the page for analysts ---
;(python ? test : test.skip)('the program of docs/history.md follows the history, and goes on where it stopped', async (t) => {
  const page = readFileSync(new URL('../../docs/history.md', import.meta.url), 'utf8')
  const code = [...page.matchAll(/```python\n(.*?)```/gs)].map(([, block = '']) => block).find((block) => block.includes('event-stream'))
  const directory = temporaryDirectory(t)
  const program = { guide: 'history', language: 'python', code } as const
  await postForm(maker, '/api/site_admin', { name: 'followed', title: 'Followed' })
  const id = String((await site.get('/s/followed/about')).at('data.name'))
  const link = await submit(maker, 'followed')
  const first = await startProgram(directory, program, { ROSTRA_URL: site.url })
  t.teardown(first.end)
  await first.printed(new RegExp(`^${id} LinkSubmitted 1$`, 'm'))
  await say(maker, link)
  await first.printed(new RegExp(`^${id} CommentPosted 1$`, 'm'))
  await first.end()
  await say(maker, link)
  const second = await startProgram(directory, program, { ROSTRA_URL: site.url })
  t.teardown(second.end)
  const [next] = await second.printed(new RegExp(`^${id} .*$`, 'm'))
  t.is(next, `${id} CommentPosted 2`)
})
