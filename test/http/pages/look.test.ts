import { hash } from 'node:crypto'
import test from 'ava'
import { pageHeaders } from '../../../src/http/pages/frame.ts'
import { stylesheetExample } from '../../../src/http/pages/subsites/look.ts'
import { siteFiles } from '../../../src/http/present/site-files.ts'
import { browserAs, browserOf, destinationOf, htmlProblems, isPage, unsafeMarkup } from '../../support/browser-requests.ts'
import { startCast } from '../../support/cast.ts'
import { postForm } from '../../support/community.ts'
import { multipart, picture } from '../../support/pictures.ts'
import { foundSubsite, say, settle, submit } from '../../support/posting.ts'

const { site, ann, bob, root } = await startCast(['ann', 'bob', 'root'], { captcha: false })
await settle(ann, await foundSubsite(ann, 'tea'), { description: 'All about *leaves*' })
const [asAnn, asBob, asRoot] = await Promise.all([ann, bob, root].map((user) => browserAs(site, user)))
if (!asAnn || !asBob || !asRoot) throw new Error('nobody is logged in')
test.after.always(() => site.stop())

type Browsing = typeof asAnn
const page = '/s/tea/about/stylesheet'
const policy = pageHeaders['Content-Security-Policy'] ?? ''
const post = (who: Browsing, path: string, fields: Readonly<Record<string, string>> = {}) =>
  who.post(path, { uh: who.modhash, form_page: page, dest: `${page}?done=1`, ...fields })
const send = async (who: Browsing, fields: Readonly<Record<string, string>>, file: Uint8Array | undefined) =>
  who.request(
    'POST',
    '/s/tea/api/upload_sr_img',
    await multipart({ uh: who.modhash, form_page: page, dest: `${page}?done=1`, ...fields }, file),
  )

test.serial('images are uploaded, shown, deleted and erased by forms', async (t) => {
  const banner = await send(asAnn, { upload_type: 'banner' }, await picture({ width: 640, height: 192 }))
  t.is(destinationOf(banner), `${page}?done=1`, banner.text)
  t.is((await send(asAnn, { upload_type: 'img', name: 'pot' }, await picture())).status, 303)
  const shown = await asAnn.get(page)
  t.deepEqual(await htmlProblems(shown.text), [])
  t.regex(shown.text, /<img src="\/s\/tea\/images\/[0-9a-f]{64}\.png" width="640" height="192" alt="the banner">/)
  t.regex(shown.text, /alt="pot">.*<code>url\(%%pot%%\)<\/code>/s)
  t.is(shown.headers.get('content-security-policy'), policy)
  for (const [fields, file, reason] of [
    [{ upload_type: 'img', name: 'a b' }, await picture(), 'BAD_CSS_NAME'],
    [{ upload_type: 'icon' }, await picture({ width: 8, height: 8 }), 'IMAGE_ERROR'],
    [{ upload_type: 'img', name: 'x' }, undefined, 'IMAGE_ERROR'],
  ] as const) {
    const refused = await send(asAnn, fields, file)
    t.true(isPage(refused) && refused.status === 400 && refused.text.includes('role="alert"'), reason)
    t.deepEqual(await htmlProblems(refused.text), [])
  }
  t.true((await send(asBob, { upload_type: 'img', name: 'x' }, await picture())).status >= 400)
  t.is((await post(asAnn, '/s/tea/api/delete_sr_img?img_name=pot')).status, 303)
  t.false((await asAnn.get(page)).text.includes('%%pot%%'))
  const file = /\/s\/tea\/images\/([0-9a-f]{64}\.png)/.exec(shown.text)?.[1] ?? ''
  t.regex((await asRoot.get(`${page}?erase=${file}`)).text, /deleted for good/)
  t.false((await asAnn.get(`${page}?erase=${file}`)).text.includes('erase_sr_img'))
  t.is((await post(asRoot, '/s/tea/api/erase_sr_img', { file, reason: 'court order' })).status, 303)
  t.is((await ann.get('/s/tea/about')).at('data.banner_img'), '')
})

test.serial('the example beside the stylesheet is one: it is published as it stands, and colours flair', async (t) => {
  t.true((await asAnn.get(page)).text.includes(`<code>${stylesheetExample}</code>`))
  t.is((await post(asAnn, '/s/tea/api/subsite_stylesheet?op=save', { stylesheet_contents: stylesheetExample })).status, 303)
  const shown = await asBob.get('/s/tea')
  const selectors = [...stylesheetExample.matchAll(/^\.([a-z]+)/gm)].map(([, name = '']) => name)
  for (const name of selectors.filter((one) => !['flair', 'banner'].includes(one)))
    t.regex(shown.text, new RegExp(`class="(text )?${name}"`), name)
  const sheet = String((await site.get('/s/tea/stylesheet')).headers.get('location')).replace(/\.css$/, '.page.css')
  t.true((await site.get(new URL(sheet, site.url).pathname)).text.endsWith('.badge.flair.flair-hot{color:#fff;background-color:#a40e26}'))
  t.is((await post(asAnn, '/s/tea/api/subsite_stylesheet?op=save', { stylesheet_contents: '' })).status, 303)
})

test.serial('a stylesheet that somebody else saved meanwhile is shown before it is replaced', async (t) => {
  const save = (fields: Readonly<Record<string, string>>) => post(asAnn, '/s/tea/api/subsite_stylesheet?op=save', fields)
  const previousIn = (text: string): string => /name="previous" value="([^"]*)"/.exec(text)?.[1] ?? 'none'
  const previous = previousIn((await asAnn.get(page)).text)
  const theirs = '.md { color: #123 }'
  await postForm(ann, '/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: theirs })
  const late = await save({ previous, stylesheet_contents: '.md { color: #456 }' })
  t.is(late.status, 409)
  t.deepEqual(await htmlProblems(late.text), [])
  t.regex(late.text, /Somebody else saved a stylesheet meanwhile.*readonly>\n?\.md { color: #123 }<\/textarea>/s)
  t.regex(late.text, /name="stylesheet_contents"[^>]*>\n?\.md { color: #456 }<\/textarea>/)
  t.is((await ann.get(page)).at('data.stylesheet'), theirs)
  t.is((await save({ previous: previousIn(late.text), stylesheet_contents: '.md { color: #456 }' })).status, 303)
  t.is((await save({ previous: previousIn((await asAnn.get(page)).text), stylesheet_contents: '' })).status, 303)
})

test.serial('a stylesheet is shown before it is saved, on a page whose policy allows that text and nothing else', async (t) => {
  const fields = { stylesheet_contents: '.md { color : #123456 }', form_again: '1' }
  const preview = await post(asAnn, '/s/tea/api/subsite_stylesheet?op=preview', fields)
  t.is(preview.status, 200)
  t.deepEqual(await htmlProblems(preview.text), [])
  t.true(preview.text.includes('<style>.md{color:#123456}</style>'))
  const allowed = `style-src 'self' 'sha256-${hash('sha256', '.md{color:#123456}', 'base64')}'`
  t.is(preview.headers.get('content-security-policy'), policy.replace("style-src 'self'", allowed))
  t.is(preview.headers.get('cache-control'), 'no-store')
  t.regex(preview.text, /\.md \{ color : #123456 \}<\/textarea>/)
  t.is((await ann.get(page)).at('data.stylesheet'), '', 'nothing is saved')
  const { form_again: _, ...saved } = fields
  t.is(destinationOf(await post(asAnn, '/s/tea/api/subsite_stylesheet?op=save', saved)), `${page}?done=1`)
  t.is((await ann.get(page)).at('data.stylesheet'), '.md { color : #123456 }')
  const refused = await post(asAnn, '/s/tea/api/subsite_stylesheet?op=preview', { ...fields, stylesheet_contents: '@import url(x);' })
  t.is(refused.status, 400)
  t.regex(refused.text, /<li>line 1: @import is not allowed<\/li>/)
  t.is(refused.headers.get('content-security-policy'), policy)
  t.true((await post(asBob, '/s/tea/api/subsite_stylesheet?op=preview', fields)).status >= 400)
})

test.serial('the style of a subsite is in a shadow tree of its own, without forms, votes, authors or the log', async (t) => {
  const shown = await browserOf(site).get('/s/tea')
  t.deepEqual(await htmlProblems(shown.text), [])
  t.deepEqual(unsafeMarkup(shown.text), [])
  const frames = [...shown.text.matchAll(/<template shadowrootmode="open">(.*?)<\/template>/gs)].map(([, inside = '']) => inside)
  t.is(frames.length, 1, 'there is no banner')
  t.regex(
    frames[0] ?? '',
    /^<link rel="stylesheet" href="\/site\/rostra-\w+\.css"><link rel="stylesheet" href="\/s\/tea\/stylesheets\/[0-9a-f]{64}\.css">/,
  )
  for (const never of ['<form', '<button', 'class="vote', 'class="author', '/about/log', '/user/'])
    t.false(frames.join().includes(never), never)
  t.true(shown.text.includes('styled by the moderators of tea'))
  t.is(shown.headers.get('content-security-policy'), policy)
  const plain = await browserOf(site).get('/s/tea?style=off')
  t.false(plain.text.includes('shadowrootmode') || plain.text.includes('/stylesheets/'))
  t.true(plain.text.includes('<em>leaves</em>'))
})

test.serial('flair shows its colours in lists and threads, and the rest of the sheet stays in the frame', async (t) => {
  const css = '.md { color: #123456 } .flair-hot { color: #a00; position: fixed }'
  t.is((await post(asAnn, '/s/tea/api/subsite_stylesheet?op=save', { stylesheet_contents: css })).status, 303)
  const link = await submit(bob, 'tea')
  const sheetIn = ({ text }: { readonly text: string }) =>
    /<head>.*<link rel="stylesheet" href="([^"]*\.page\.css\?of=\w+)">.*<\/head>/s.exec(text)?.[1]
  t.is(sheetIn(await browserOf(site).get('/s/tea/new')), undefined, 'nothing there has flair')
  await postForm(ann, '/s/tea/api/flair', { link, text: 'Fresh', css_class: 'hot new' })
  await postForm(ann, '/s/tea/api/flair', { name: 'bob', text: 'Brewer', css_class: 'hot' })
  await say(bob, link)
  for (const address of ['/s/tea/new', `/comments/${link.slice(3)}`]) {
    const shown = await browserOf(site).get(address)
    t.deepEqual(await htmlProblems(shown.text), [])
    t.true(shown.text.includes('<span class="badge flair flair-hot flair-new">Fresh</span>'), address)
    const sheet = await site.get(sheetIn(shown) ?? '/none')
    t.is(sheet.headers.get('content-type'), 'text/css; charset=UTF-8')
    t.is(sheet.text, `${siteFiles['rostra.css'].body}.badge.flair.flair-hot{color:#a00}`)
    t.false(shown.text.includes(siteFiles['rostra.css'].address), 'the sheet of the page is that of its frames, too')
    t.is(sheetIn(await browserOf(site).get(`${address}?style=off`)), undefined)
  }
  const thread = await browserOf(site).get(`/comments/${link.slice(3)}`)
  t.is(thread.text.split('<span class="badge flair flair-hot">Brewer</span>').length, 3, 'the author of the link, and of the comment')
  t.is(sheetIn(await browserOf(site).get('/s/all/new')), undefined, 'classes mean nothing outside of their subsite')
})

test.serial('a page that was cached with an earlier stylesheet keeps the style of the site', async (t) => {
  const sheets = async () => {
    const [, css = ''] = /\/stylesheets\/(\w+)\.css$/.exec((await site.get('/s/tea/stylesheet')).headers.get('location') ?? '') ?? []
    return { own: `/s/tea/stylesheets/${css}.css`, page: `/s/tea/stylesheets/${css}.page.css` }
  }
  const earlier = await sheets()
  const css = '.flair-hot { color: #0a0 }'
  t.is((await post(asAnn, '/s/tea/api/subsite_stylesheet?op=save', { stylesheet_contents: css })).status, 303)
  const sheet = await site.get(earlier.page)
  t.is(sheet.text, siteFiles['rostra.css'].body)
  t.is(sheet.headers.get('cache-control'), 'no-store')
  t.is((await site.get(earlier.own)).status, 404)
  t.is((await site.get('/s/tea/stylesheets/other.page.css')).status, 404)
  t.regex((await site.get((await sheets()).page)).headers.get('cache-control') ?? '', /^public, max-age=/)
})

test.serial('the page of an account that wants no stylesheets has none, unless its address asks for it', async (t) => {
  await bob.request('PATCH', '/api/v1/me/prefs', { json: { show_stylesheets: false } })
  t.false((await asBob.get('/s/tea')).text.includes('shadowrootmode'))
  t.true((await asBob.get('/s/tea?style=on')).text.includes('shadowrootmode'))
  t.true((await asAnn.get('/s/tea')).text.includes('shadowrootmode'))
})

test.serial('another file sent from the same page of a browser is uploaded', async (t) => {
  for (const width of [10, 20]) {
    const fields = { upload_type: 'img', name: 'cup', form_position: '1' }
    const sent = await send(asAnn, fields, await picture({ width, height: 10 }))
    t.is(sent.status, 303, sent.text)
  }
})

test.serial('a stylesheet is saved once by a double click, and not in silence from a page of before', async (t) => {
  const form = (await asAnn.get(page)).text.split('<form ').find((one) => one.includes('name="stylesheet_contents"')) ?? ''
  const hidden = Object.fromEntries(
    Array.from(form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name, value]) => [name, value]),
  )
  const fields = { ...hidden, stylesheet_contents: '.md { color: #579 }' }
  const save = () => asAnn.post('/s/tea/api/subsite_stylesheet?op=save', fields)
  const saved = await Promise.all([save(), save()])
  t.deepEqual(
    saved.map(({ status }) => status),
    [303, 303],
  )
  await postForm(ann, '/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: '.md { color: #975 }' })
  t.is((await save()).status, 409)
})
