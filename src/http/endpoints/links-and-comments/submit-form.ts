import { newIden } from '../../../auth/captcha.ts'
import { section } from '../../contract/endpoint.ts'
import { describeParam, rawText } from '../../contract/params.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { captchaToSolve, needsCaptcha } from '../../needs/captcha.ts'

const kindsOf = { any: ['link', 'self'], link: ['link'], self: ['self'] } as const

export const submitForm = section('Links and comments').get('[/s/{sub}]/submit', {
  scope: 'submit',
  login: 'user',
  errors: 'plain',
  answers: {
    200: shape.recordSchema({
      subsite: shape.orNull(shape.text('tea', 'The subsite of the path; null without one.')),
      kinds: shape.listOf(shape.choice('link', 'self')),
      captcha: captchaToSolve,
      title: shape.text(),
      url: shape.text('https://example.com/water'),
      text: shape.text(),
    }),
  },
  summary: 'What the form for a submission needs: the kinds that the subsite takes, and a captcha.',
  notes:
    'The subsite itself has the rules and the text above the form. `title`, `url` and `text` come back as sent, so that a link to the form can fill it.',
  params: {
    title: describeParam(rawText(), 'fills the form'),
    url: describeParam(rawText(), 'fills the form'),
    text: describeParam(rawText(), 'fills the form'),
  },
  handle: async (context) => {
    const { site, params } = context
    const subsite = site.kind === 'subsite' ? site.subsite : undefined
    const { title, url, text } = params
    const kinds = kindsOf[subsite?.settings.link_type ?? 'any']
    const captcha = (await needsCaptcha(context)) ? newIden() : null
    return { kind: 'json', body: { subsite: subsite?.name ?? null, kinds, captcha, title, url, text }, fleeting: true }
  },
})
