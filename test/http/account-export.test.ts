import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { startCast } from '../support/cast.ts'
import { postForm, waitUntilSettled } from '../support/community.ts'
import { type Everything, writeEverywhere } from '../support/every-text.ts'
import { validatorOf } from '../support/interface-document.ts'
import { compose, firstMail } from '../support/mail.ts'
import { say, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const { site, ann, bob, eve, root } = await startCast(['ann', 'bob', 'eve', 'root'])
test.after.always(() => site.stop())

const WORD = 'QUINCE'
const PATH = '/api/v1/me/export'
type Line = { readonly kind: string; readonly data: Readonly<Record<string, unknown>> }

const linesIn = ({ text }: Pick<Answer, 'text'>): readonly Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
const exported = async (who: Caller) => linesIn(await who.get(PATH))
const of = (lines: readonly Line[], kind: string) => lines.filter((line) => line.kind === kind).map(({ data }) => data)

const isDeclared = validatorOf(['paths', PATH, 'get', 'responses', '200', 'content', 'application/x-ndjson', 'schema'])

let written: Everything
test.before(async () => {
  written = await writeEverywhere(WORD, ann, bob, eve, ['tea', 'pots'])
  await postForm(ann, '/api/vote', { id: written.comment, dir: 1 })
  await postForm(ann, '/api/hide', { id: written.link })
  await postForm(ann, '/api/subscribe', { action: 'sub', sr: 'pots' })
  await waitUntilSettled(site)
})

const isWhole = (t: ExecutionContext, lines: readonly Line[]) => {
  t.deepEqual(lines.at(-1), { kind: 'end', data: { lines: lines.length - 1 } })
  for (const line of lines) t.true(isDeclared(line), `${JSON.stringify(line)}: ${JSON.stringify(isDeclared.errors)}`)
}

test.serial('an export has everything that the account wrote and chose, in lines of the declared form', async (t) => {
  const answer = await ann.get(PATH)
  t.is(answer.headers.get('content-type'), 'application/x-ndjson; charset=UTF-8')
  t.is(answer.headers.get('cache-control'), 'no-store')
  const lines = linesIn(answer)
  isWhole(t, lines)
  const kinds = ['account', 'preferences', 'link', 'comment', 'message', 'wiki_revision', 'vote', 'saved', 'hidden', 'report', 'friend']
  t.deepEqual(
    [...kinds, 'subscription', 'multi', 'flair'].filter((kind) => of(lines, kind).length === 0),
    [],
  )
  t.deepEqual(of(lines, 'account')[0]?.username, 'ann')
  t.like(
    of(lines, 'link').find(({ name }) => name === written.post),
    { title: `${WORD} on water`, text: `${WORD} says softer`, url: null, deleted: false },
  )
  t.is(of(lines, 'link').filter(({ deleted }) => deleted).length, 1)
  t.like(of(lines, 'comment')[0], { name: written.reply, text: `${WORD} disagrees` })
  t.true(of(lines, 'message').some(({ text }) => text === `${WORD} would like tea`))
  t.like(
    of(lines, 'wiki_revision').find(({ page }) => page === 'leaves'),
    { text: `${WORD} knows of leaves`, reason: `${WORD} edits leaves` },
  )
  t.true(of(lines, 'wiki_revision').some(({ page, text }) => page === 'config/stylesheet' && text === 'a { color: tan }'))
  t.like(
    of(lines, 'vote').find(({ thing }) => thing === written.comment),
    { insightful: true, funny: false },
  )
  t.deepEqual(
    of(lines, 'report')
      .map(({ reason }) => reason)
      .toSorted(),
    [`${WORD} minds`, `${WORD} minds letters`, `${WORD} minds this`, 'off topic'],
  )
  t.like(of(lines, 'friend')[0], { account: bob.id, note: `${WORD} likes this one` })
  t.like(of(lines, 'saved')[0], { thing: written.comment, category: `${WORD.toLowerCase()} pots` })
  t.like(of(lines, 'multi')[0], { path: '/user/ann/m/shelf', display_name: `${WORD} multi` })
  t.like(of(lines, 'flair')[0], { text: `${WORD} the brewer` })
})

test.serial('an export has nothing that others wrote, except the subjects of conversations', async (t) => {
  await compose(eve, 'bob', 'MEDLAR', 'MEDLAR in private')
  await compose(eve, 'ann', 'a subject', 'MEDLAR again')
  await postForm(ann, '/api/comment', { thing_id: String((await firstMail(ann))?.data.name), text: 'an answer', api_type: 'json' })
  const lines = await exported(ann)
  t.false(JSON.stringify(lines).includes('MEDLAR'))
  t.like(
    of(lines, 'message').find(({ text }) => text === 'an answer'),
    { subject: 're: a subject' },
  )
  t.false(JSON.stringify(await exported(bob)).includes(WORD))
})

test.serial('a session, a token of all its scopes and a suspended account may export; others may not', async (t) => {
  isWhole(t, await exported(await ann.session()))
  t.is((await site.get(PATH)).status, 403)
  t.is((await (await ann.withScopes('identity', 'history')).get(PATH)).status, 403)
  const restricted = { Authorization: `bearer ${await site.tokenOf(ann.id, { subsites: ['tea'] })}` }
  t.is((await site.get(PATH, restricted)).status, 403)
  await postForm(root, '/api/suspend_user', { name: 'ann' })
  isWhole(t, await exported(ann))
  await postForm(root, '/api/unsuspend_user', { name: 'ann' })
  const head = await ann.request('HEAD', PATH)
  t.deepEqual([head.status, head.text, head.headers.get('content-type')], [200, '', 'application/x-ndjson; charset=UTF-8'])
})

test.serial('a text that was erased is not in an export made later', async (t) => {
  const gus = await site.register('gus')
  const comment = await say(gus, written.post, 'FIGS')
  await postForm(root, '/api/erase_thing', { id: comment, reason: 'ordered' })
  const lines = await exported(gus)
  t.like(
    of(lines, 'comment').find(({ name }) => name === comment),
    { text: '[erased]' },
  )
  t.false(JSON.stringify(lines).includes('FIGS'))
})

test.serial('what is written during an export neither repeats nor hides what was there before', async (t) => {
  const MANY = 130
  const text = 'x'.repeat(9_000)
  const links: string[] = []
  for (let n = 0; n < MANY; n++) links.push(await submit(root, 'tea', { title: `link ${n}`, text }))
  await waitUntilSettled(site)
  const body = await new Promise<string>((resolve, reject) => {
    const headers = { Authorization: '' }
    void site.tokenOf(root.id).then((token) => {
      headers.Authorization = `bearer ${token}`
      get(`${site.url}${PATH}`, { headers }, async (res) => {
        const parts: Buffer[] = []
        res.on('error', reject)
        for await (const part of res) {
          parts.push(part as Buffer)
          if (parts.length === 1) {
            await submit(root, 'tea', { title: 'meanwhile' })
            await postForm(root, '/api/del', { id: links[3] ?? '' })
            await sleep(200)
          }
        }
        resolve(Buffer.concat(parts).toString())
      }).on('error', reject)
    })
  })
  const lines = linesIn({ text: body })
  isWhole(t, lines)
  const names = of(lines, 'link').map(({ name }) => name)
  const before = links.filter((_, n) => n !== 3)
  t.deepEqual(
    before.filter((name) => names.filter((one) => one === name).length !== 1),
    [],
  )
})
