import test from 'ava'
import { browserAs, browserOf, htmlProblems, unsafeMarkup } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { postForm } from '../../support/community.ts'
import { adminAddresses, closedAddresses, pageAddresses } from '../../support/page-rows.ts'
import { say, settle } from '../../support/posting.ts'
import { scriptVectors } from '../../support/script-vectors.ts'
import { edit } from '../../support/wiki.ts'

const { site, ann, bob, root } = await startTea(['root'])
const all = scriptVectors.join('\n\n')
const tea = String((await ann.get('/s/tea/about')).at('data.name'))
await settle(ann, tea, {
  wikimode: 'anyone',
  title: scriptVectors[1] ?? '',
  public_description: all.slice(0, 500),
  description: all,
  submit_text: all.slice(0, 1000),
})
for (const stylesheet_contents of ['.md::before { content: "<script>alert(1)</script>" }', '.md { color: red }'])
  await ann.post('/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents })
for (const vector of scriptVectors.slice(0, 10))
  await ann.post('/api/add_subsite_rule', { r: 'tea', short_name: vector.slice(0, 50), description: vector, kind: 'all' })
for (const page of ['index', 'brewing/green']) await edit(bob, 'tea', page, all, { reason: scriptVectors[0] ?? '' })
const posted: string[] = []
for (const [n, title] of scriptVectors.entries()) {
  const answer = await ann.post('/api/submit', { sr: 'tea', kind: 'self', title, text: all, flair_text: title.slice(0, 64) })
  posted.push(String(answer.at('json.data.name')))
  await ann.post('/api/flair', { r: 'tea', link: String(posted[n]), text: title.slice(0, 64), css_class: 'x' })
}
await ann.post('/api/submit', { sr: 'tea', kind: 'link', title: 'link', url: 'https://a.example/"onmouseover="alert(1)?<script>' })
await ann.post('/api/flair', { r: 'tea', name: 'bob', text: scriptVectors[7] ?? '', css_class: 'x' })
for (const [n, text] of scriptVectors.entries())
  await ann.post('/s/tea/api/flairtemplate', { flair_type: n % 2 ? 'USER_FLAIR' : 'LINK_FLAIR', text: text.slice(0, 64) })
const [link = ''] = posted
let comment = ''
for (const vector of scriptVectors) comment = await say(bob, link, `${vector}\n\n${all.slice(0, 3000)}`)
for (const vector of scriptVectors.slice(0, 5)) await bob.post('/api/report', { id: link, reason: vector.slice(0, 100) })
for (const vector of scriptVectors.slice(5, 10))
  await bob.post('/api/compose', { to: 'ann', subject: vector.slice(0, 100), text: all.slice(0, 3000) })
const message = String((await ann.get('/message/messages')).at('data.children.0.data.id'))
for (const reason of scriptVectors.slice(0, 3))
  await postForm(ann, '/api/report', { thing_id: `t6_${message}`, reason: reason.slice(0, 100) })
for (const type of ['banned', 'wikibanned'])
  await postForm(ann, '/s/tea/api/friend', { type, name: 'root', note: (scriptVectors[3] ?? '').slice(0, 300) })
const scene = { link: link.slice(3), comment: comment.slice(3), message }
const [anybody, asAnn, asRoot] = [browserOf(site), await browserAs(site, ann), await browserAs(site, root)]
test.after.always(() => site.stop())

test('what is unsafe on a page is found', (t) => {
  for (const vector of [
    '<script>x</script>',
    '<img src="/x" onerror="x">',
    '<a href="javascript:x">',
    '<p style="x">',
    '<iframe src="/x">',
    '<template><script>x</script></template>',
    '<template shadowrootmode="open"><p>x</p></template>',
    '<div class="frame"><div><template shadowrootmode="open"><script>x</script></template></div></div>',
    '<form action="//evil.example/"><button>x</button></form>',
    '<img src=x>',
  ])
    t.not(unsafeMarkup(`<p>${vector}</p>`).length, 0, vector)
  t.deepEqual(unsafeMarkup('<!DOCTYPE html><p class="a" hidden>1 < 2 &lt;script&gt;</p><a href="/x">x</a>'), [])
})

const addressesByName: typeof pageAddresses = {
  ...pageAddresses,
  'for moderators': () => closedAddresses,
  'for admins': () => adminAddresses,
}

for (const [name, addressesOf] of Object.entries(addressesByName))
  for (const address of [
    ...addressesOf(scene),
    ...addressesOf(scene).map((path) => `${path}${path.includes('?') ? '&' : '?'}sort=%22%3E%3Cscript%3Ex&q=%22%3E%3Cscript%3Ex`),
  ])
    test.serial(`no text of a user becomes markup on ${address} (${name})`, async (t) => {
      for (const reader of name in pageAddresses ? [anybody, asAnn] : [asAnn, asRoot]) {
        const { text } = await reader.get(address)
        t.deepEqual(unsafeMarkup(text), [])
        t.deepEqual(await htmlProblems(text), [])
      }
    })
