import { newIden } from '../../../auth/captcha.ts'
import { section } from '../../contract/endpoint.ts'
import { describeParam, rawText } from '../../contract/params.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { captchaToSolve, foundsFreely, needsCaptcha } from '../../needs/captcha.ts'

export const createForm = section('Subsites').get('/subsites/create', {
  aliases: ['/subreddits/create'],
  scope: 'modconfig',
  login: 'user',
  errors: 'plain',
  answers: {
    200: shape.recordSchema({
      captcha: captchaToSolve,
      name: shape.text('tea'),
    }),
  },
  summary: 'What the form for a new subsite needs: a captcha, if one is required.',
  notes: '`name` comes back as sent, so that a link to the form can fill it.',
  params: { name: describeParam(rawText(), 'fills the form') },
  handle: async (context) => {
    const captcha = !foundsFreely(context.viewer) && (await needsCaptcha(context)) ? newIden() : null
    return { kind: 'json', body: { captcha, name: context.params.name }, fleeting: true }
  },
})
