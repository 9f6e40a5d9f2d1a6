// Decision 106.

import * as E from 'fp-ts/lib/Either.js'
import { appearances } from '../../../../projections/appearances.ts'
import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import { MAX_STYLESHEET_BYTES, Stylesheet } from '../../../domain/stylesheet.ts'
import { limits } from '../../../domain/text-limits.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import { getOne } from '../../../ports/documents.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { isOverload, overloadCode } from '../../contract/overload.ts'
import { allowEmpty, describeParam, oneOf, rawText, text } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { form, formErrorsWith, Media, noBody } from '../../contract/schemas/answers.ts'
import { subsiteFullname } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { thingShape } from '../../contract/schemas/things.ts'
import { andThen, decodeLate, moderatorHere, subsiteHere } from '../../needs/facts.ts'
import { imageAddress } from '../../present/image.ts'
import { siteFiles } from '../../present/site-files.ts'
import { flairColours } from '../../stylesheet/flair-colours.ts'
import { type CompiledStylesheet, compileFor, publish } from '../../stylesheet/publish.ts'
import { fileCacheHeaders, subsiteOfFile } from './file-addresses.ts'

const { get, post } = section('Subsites', { scope: 'modconfig', login: 'moderator', errors: 'form' })

const contents = decodeLate(
  describeParam(rawText({ max: MAX_STYLESHEET_BYTES }), 'CSS; empty takes the stylesheet away'),
  'stylesheet_contents',
)

/** Compiles the stylesheet. Invalid CSS is refused with its errors and their lines. */
const compiled: Need<CompiledStylesheet, unknown, Viewer, { readonly subsite: SubsiteDocument }> = andThen(
  contents,
  async (source, context) => {
    const compilation = await compileFor(context, context.subsite, source)
    if (isOverload(compilation)) return refuseRule(overloadCode[compilation])
    if (compilation === 'too-slow') return refuseRule('TOO_COMPLEX', 'stylesheet_contents')
    if ('css' in compilation) return E.right(compilation)
    return E.left({ code: 'BAD_CSS', field: 'stylesheet_contents', extra: { data: { errors: compilation.problems } } })
  },
)

const edit = post('[/s/{sub}]/api/subsite_stylesheet', {
  aliases: ['[/s/{sub}]/api/subreddit_stylesheet'],
  answers: {
    200: shape.union(
      form(),
      form(shape.recordSchema({ css: shape.text('.md{color:red}', 'The published form of it.') })),
      formErrorsWith(
        shape.recordSchema({ errors: shape.listOf(shape.recordSchema({ line: shape.integer(2), message: shape.text('this is no CSS') })) }),
      ),
    ),
  },
  summary: 'Save the stylesheet of a subsite, or check it.',
  notes:
    'For moderators with `config`. At most 100 KiB of CSS, which may show images of the subsite as `url(%%name%%)` and no other resources: other addresses, `@import`, fonts, custom properties and backslashes are `BAD_CSS`, with line and message of each problem in `json.data.errors`.',
  uses: ['blobs'],
  needs: {
    act: moderatorHere('config'),
    subsite: subsiteHere(),
    op: decodeLate(
      describeParam(oneOf('save', 'preview'), '`preview` checks it, answers the `css` that would be published, and stores nothing'),
    ),
    reason: decodeLate(describeParam(text({ max: limits.editReason, empty: true, line: true }), 'why, for the history')),
    compiled,
  },
  params: {
    previous: describeParam(
      allowEmpty(rawText({ max: 100 })),
      '`revision_id` of the one that was edited, empty for none: 409 `CONFLICT` if another was saved since; absent: replaces any',
    ),
  },
  handle: async (context) => {
    const { subsite, op, reason, compiled, params } = context
    const { previous } = params
    if (op === 'preview') return E.right({ kind: 'form', data: { css: compiled.css } } as const)
    const replaces = (saved: Stylesheet | undefined) => (saved?.id ?? '') === previous
    const saving = { subsite: subsite.id, compiled, reason, ...(previous !== undefined && { replaces }) }
    return E.map(() => undefined)(await withinQuota(context, 'stylesheet', () => publish(context, saving)))
  },
})

const fileOf = (css: string) => `${css}.css`
const pageFileOf = (css: string) => `${css}.page.css`
/** Matches the sheet of pages with an earlier stylesheet. A page that was cached with it would be bare without the site's own part. */
const formerPageFile = /^[0-9a-f]{64}\.page\.css$/
const unkept = { 'Cache-Control': 'no-store' }

const about = get('/s/{sub}/about/stylesheet', {
  login: 'anyone',
  errors: 'plain',
  answers: {
    200: thingShape(
      'stylesheet',
      shape.component('Stylesheet', () =>
        shape.recordSchema({
          stylesheet: shape.text('a { color: red }', 'Its text; empty where there is none.'),
          images: shape.listOf(
            shape.recordSchema({
              name: shape.text('pot'),
              url: shape.text('https://rostra.example/s/tea/images/2d711642.png'),
              link: shape.text('url(%%pot%%)', 'How the text names it.'),
            }),
          ),
          revision_id: shape.orNull(
            shape.text('2f6c0b1e-9d3a-5b7e-8c41-6a0f5d2e7b94', 'The revision of its text; null where there never was one.'),
          ),
          subsite_id: subsiteFullname,
        }),
      ),
    ),
  },
  summary: 'The text of the stylesheet of a subsite, and the images that it may show.',
  notes: 'The published stylesheet, which is made of this text, is at `/stylesheet`.',
  needs: { subsite: subsiteHere() },
  handle: async ({ subsite, documents, load, config }) => {
    const [sheet, look] = await Promise.all([load(Stylesheet, subsite.id), getOne(documents, appearances, subsite.id)])
    const images = (look?.named ?? []).map((image) => ({
      name: image.name,
      url: imageAddress(config.publicUrl, subsite.name, image),
      link: `url(%%${image.name}%%)`,
    }))
    const data = { stylesheet: sheet?.source ?? '', images, revision_id: sheet?.id ?? null, subsite_id: subsite.id }
    return { kind: 'json', body: { kind: 'stylesheet', data } }
  },
})

const published = section('Moderation').get('[/s/{sub}]/stylesheet', {
  scope: 'modconfig',
  login: 'anyone',
  errors: 'plain',
  answers: { 302: noBody },
  summary: 'Redirects to the published stylesheet of a subsite.',
  notes: '404 if there is none, or without a subsite in the path.',
  needs: { subsite: subsiteHere() },
  handle: async ({ subsite, documents }) => {
    const css = (await getOne(documents, appearances, subsite.id))?.css
    return css ? { kind: 'redirect', location: `/s/${subsite.name}/stylesheets/${fileOf(css)}` } : refuseRule('NOT_FOUND')
  },
})

const file = get('/s/{sub}/stylesheets/{file}', {
  scope: 'any',
  login: 'anyone',
  errors: 'plain',
  answers: { 200: new Media('text/css') },
  summary: 'The published stylesheet of a subsite.',
  notes:
    'The address of an earlier version is 404. With `.page.css` it is the style sheet of the pages of this site, and of the published one only the colours (`color`, `background-color`, `border-color`) of rules such as `.flair-hot { color: red }`, which pages show on flair of that class; for an earlier version it has no colours.',
  params: { file: describeParam(rawText(), 'its SHA-256 with `.css` or `.page.css`') },
  uses: ['blobs'],
  needs: { subsite: subsiteOfFile },
  handle: async ({ subsite, params, documents, blobs }) => {
    const type = 'text/css; charset=UTF-8'
    const css = (await getOne(documents, appearances, subsite.id))?.css
    const sheet = css && [fileOf(css), pageFileOf(css)].includes(params.file) ? await blobs.get(css) : undefined
    const ofPages = siteFiles['rostra.css'].body
    if (!css || !sheet)
      return formerPageFile.test(params.file) ? { kind: 'text', type, body: ofPages, headers: unkept } : refuseRule('NOT_FOUND')
    const body = params.file === fileOf(css) ? sheet : `${ofPages}${flairColours(Buffer.from(sheet).toString())}`
    return { kind: 'text', type, body, headers: fileCacheHeaders(subsite.type) }
  },
})

export const stylesheetEndpoints: readonly AnyEndpoint[] = [edit, about, published, file]
