import type { Page } from 'playwright-core'
import { compile } from '../../src/http/stylesheet/compile.ts'
import { sitDown, testInBrowser } from '../support/browser.ts'
import { startCast } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { foundSubsite, settle, submit } from '../support/posting.ts'

const test = testInBrowser(async () => {
  const { site, ann } = await startCast(['ann'])
  await settle(ann, await foundSubsite(ann, 'tea'), { description: 'All about **leaves**' })
  await submit(ann, 'tea', { title: 'A pot of green' })
  await uploadTo(ann, 'tea', { upload_type: 'banner' }, await picture({ width: 640, height: 192 }))
  await postForm(ann, '/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: '.md { color: #123456 }' })
  return { site, ann }
})

/** Stylesheets of a hostile moderator that the compiler accepts: the frame must hold them. */
const accepted: Readonly<Record<string, string>> = {
  'a fixed sheet over everything': '.md { position: fixed; inset: 0; z-index: 9999; background: #f00 }',
  'an invisible one, which takes clicks': '.side { position: fixed; inset: 0; z-index: 9999; opacity: 0 }',
  'the host fixed over everything': ':host { position: fixed !important; inset: 0; z-index: 99; background: #f00 }',
  'the scope fixed over everything': ':scope { position: fixed !important; inset: 0; z-index: 9; background: #f00 }',
  'the neighbours of the scope': ':scope + *, :scope ~ *, :host + *, :host ~ * { display: none }',
  'the root': ':root { display: none; cursor: none }',
  'the elements of the page': 'html, body, header, main, footer, form, button, input { display: none !important }',
  'the page that contains a text': 'body:has(.md) header, :has(> .frame) main { display: none }',
  nesting: '.md { & + header, & ~ main { display: none } }',
  'an attribute that is read': 'input[value^="a"], [name="uh"] { display: none }',
  'a false message': '.md::before { content: "Log in again"; position: fixed; inset: 0; font-size: 99px }',
  'the largest text': '.md { width: 99999px; height: 99999px; margin: -500px; transform: scale(50) }',
  'a moving text': '@keyframes a { to { opacity: 0; left: -999px } } * { animation: a 1s infinite; position: fixed }',
  'no pointer': '* { cursor: none; pointer-events: none }',
  'an anchor': '.md { anchor-name: --x; position: absolute; position-anchor: --x; top: -999px }',
  'a transition of the view': '.md, :host { view-transition-name: root }',
  'all that is inherited': ':host, .md { all: unset; position: fixed; inset: 0 }',
  magnification: ':host, .md { zoom: 50; font-size: 999rem }',
  'a long way off': '.md { position: absolute; inset: -99999px; transform: translate(-50vw, -50vh) }',
}

/** Stylesheets that the compiler refuses. They are tried all the same, since the frame must hold them, too. */
const refused: Readonly<Record<string, string>> = {
  'a part of another tree': '::part(x) { color: red } ::slotted(*) { display: none }',
  'a brace too many': '} header { display: none } .x {',
  'another sheet': '@import "/leak.css";',
  'a font': '@font-face { font-family: x; src: url(/leak.woff) } .md { font-family: x }',
  'a layer': '@layer a { header { display: none } }',
  'a property of its own': '@property --x { syntax: "*"; inherits: true }',
  'a scope': '@scope (body) { header { display: none } }',
  'a container': '@container (width > 1px) { header { display: none } }',
  'a transition between pages': '@view-transition { navigation: auto }',
  'a colour name of the site': ':root, :host { --card: red; --main: red }',
  'an image': '.md { background: url(/leak.png) }',
  'a set of images': '.md { background: image-set("/leak.png" 1x) }',
  'a hidden property': '.md { c\\6flor: red; p\\6fsition: fixed }',
  'the end of an element': '.md { content: "</style></template><script>alert(1)</script>" }',
  'a value of the device': '.md { width: env(safe-area-inset-top) }',
  'the top layer': '.md { overlay: auto; top-layer: add }',
}

const compiled = (source: string) => compile({ source, files: {}, folder: '/s/tea/images' })

/** The members of elements that the next function uses. */
type Seen = {
  readonly contains: (other: Seen | null) => boolean
  readonly getBoundingClientRect: () => { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
}
declare const document: {
  readonly documentElement: { readonly scrollWidth: number }
  readonly querySelector: (selector: string) => Seen | null
  readonly elementFromPoint: (x: number, y: number) => Seen | null
}
declare const getComputedStyle: (element: Seen) => Readonly<Record<string, string>>

const mustStay = ['.brand', '.search input', '.me', '.tabs a', '.place a', 'main .vote', 'main h2 a', 'aside h2', 'aside .button', '.foot']

/** The looks of everything outside of the frames: whether it is where a click goes, and how it is drawn. */
const outside = (page: Page): Promise<Readonly<Record<string, string>>> =>
  page.evaluate((selectors) => {
    const looks: [string, string][] = selectors.map((selector) => {
      const element = document.querySelector(selector)
      if (!element) return [selector, 'gone']
      const { x, y, width, height } = element.getBoundingClientRect()
      const isBelow = selector === '.foot'
      const hit = document.elementFromPoint(x + width / 2, y + height / 2)
      const { display, color, cursor, opacity, visibility, backgroundColor, fontSize, pointerEvents } = getComputedStyle(element)
      const at = isBelow ? `${width > 0}` : `${x} ${y} ${width} ${height} ${hit !== null && element.contains(hit)}`
      return [selector, [at, display, color, cursor, opacity, visibility, backgroundColor, fontSize, pointerEvents].join(' ')]
    })
    return Object.fromEntries([...looks, ['the page', String(document.documentElement.scrollWidth)]])
  }, mustStay)

/** The ways to break the page itself, for the tests of the tests. */
type Broken = 'contain' | 'shadow root'

/** Looks at a subsite with a stylesheet, whatever the compiler says about it. Returns the looks outside, and what else was asked for. */
const look = async (page: Page, css: string, broken?: Broken) => {
  const asked: string[] = []
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.startsWith('/s/tea/stylesheets/')) return route.fulfill({ contentType: 'text/css', body: css })
    if (/leak|alert/.test(pathname)) asked.push(pathname)
    if (broken === 'contain' && pathname.startsWith('/site/rostra-') && pathname.endsWith('.css')) {
      const response = await route.fetch()
      return route.fulfill({ response, body: (await response.text()).replace('contain: layout paint style; ', '') })
    }
    if (broken === 'shadow root' && pathname === '/s/tea') {
      const response = await route.fetch()
      return route.fulfill({ response, body: (await response.text()).replaceAll(/<\/?template[^>]*>/g, '') })
    }
    return route.continue()
  })
  await page.goto('/s/tea')
  const seen = await outside(page)
  await page.unroute('**/*')
  return { seen, asked }
}

const NOTHING = '.nothing { color: red }'

test('no stylesheet that the compiler accepts changes, covers or leads away anything outside of its frames', async (t) => {
  t.timeout(240_000)
  const { page, faults, leave } = await sitDown(t.context.site, { as: t.context.ann })
  const before = (await look(page, NOTHING)).seen
  t.false(
    Object.values(before).some((words) => words.startsWith('gone') || words.includes(' false ')),
    JSON.stringify(before),
  )
  for (const [name, source] of Object.entries(accepted)) {
    const output = compiled(source)
    t.true('css' in output, `${name}: ${JSON.stringify(output)}`)
    t.deepEqual(await look(page, 'css' in output ? output.css : ''), { seen: before, asked: [] }, name)
  }
  t.deepEqual(faults, [])
  await leave()
})

test('a stylesheet that the compiler refuses stays inside, too, if it is sent all the same', async (t) => {
  t.timeout(240_000)
  const { page, leave } = await sitDown(t.context.site, { as: t.context.ann })
  const before = (await look(page, NOTHING)).seen
  for (const [name, source] of Object.entries(refused)) {
    t.true('problems' in compiled(source), name)
    t.deepEqual((await look(page, source)).seen, before, name)
  }
  await leave()
})

test('the frame holds by its containment and its shadow root: without either, attacks leave it', async (t) => {
  t.timeout(120_000)
  const { page, leave } = await sitDown(t.context.site, { as: t.context.ann })
  const leaves = async (broken: Broken, name: keyof typeof accepted) => {
    const before = (await look(page, NOTHING, broken)).seen
    t.notDeepEqual((await look(page, accepted[name] ?? '', broken)).seen, before, `without ${broken}: ${name}`)
  }
  await leaves('contain', 'a fixed sheet over everything')
  await leaves('contain', 'the host fixed over everything')
  await leaves('shadow root', 'the elements of the page')
  await leaves('shadow root', 'the page that contains a text')
  await leave()
})

test('a stylesheet reaches the banner and the sidebar, unless a reader or an address wants none', async (t) => {
  const { site, ann } = t.context
  const { page, faults, leave } = await sitDown(site, { as: ann })
  const colour = () => page.evaluate("getComputedStyle(document.querySelector('aside .frame > div').shadowRoot.querySelector('.md')).color")
  await page.goto('/s/tea')
  t.is(await colour(), 'rgb(18, 52, 86)')
  t.is(await page.evaluate("document.querySelector('header .frame > div').shadowRoot.querySelectorAll('img').length"), 1)
  t.is(await page.evaluate("document.querySelectorAll('.frame :is(form, button, input)').length"), 0)
  await page.getByText('without their style').click()
  t.regex(page.url(), /\/s\/tea\?style=off$/)
  t.is(await page.locator('.frame').count(), 0)
  t.true(await page.locator('aside').getByText('leaves').isVisible())
  await ann.request('PATCH', '/api/v1/me/prefs', { json: { show_stylesheets: false } })
  await page.goto('/s/tea')
  t.is(await page.locator('.frame').count(), 0)
  await page.getByText('as the moderators of tea style it').click()
  t.is(await colour(), 'rgb(18, 52, 86)')
  await ann.request('PATCH', '/api/v1/me/prefs', { json: { show_stylesheets: true } })
  t.deepEqual(faults, [])
  await leave()
})
