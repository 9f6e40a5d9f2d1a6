import * as E from 'fp-ts/lib/Either.js'
import { newIden } from '../../../auth/captcha.ts'
import { relationsOf } from '../../../queries/relations.ts'
import { subsitesById } from '../../../queries/subsites.ts'
import { type SignedInContext, section } from '../../contract/endpoint.ts'
import { addAliases, describeParam, rawText } from '../../contract/params.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { captchaToSolve, needsCaptcha } from '../../needs/captcha.ts'
import { selectPermitted } from '../../things/access.ts'

/** Returns the names of the subsites that the viewer moderates with the permission to write in their name. */
const sendersFor = async (context: SignedInContext): Promise<readonly string[]> => {
  const { documents, viewer } = context
  const moderated = await relationsOf(documents, viewer.account, 'moderator')
  const permitted = await selectPermitted(
    context,
    moderated.map(({ subsite }) => subsite),
    'mail',
  )
  if (E.isLeft(permitted)) return []
  return [...(await subsitesById(documents, permitted.right)).values()].map(({ name }) => name).toSorted()
}

export const composeForm = section('Private messages').get('/message/compose', {
  scope: 'privatemessages',
  login: 'user',
  errors: 'plain',
  answers: {
    200: shape.recordSchema({
      captcha: captchaToSolve,
      to: shape.text('bob'),
      subject: shape.text(),
      text: shape.text(),
      from_sr: shape.text('tea'),
      senders: shape.listOf(shape.text('tea', 'A subsite in whose name you may write.')),
    }),
  },
  summary: 'What the form for a private message needs: a captcha, if one is required, and in whose name you may write.',
  notes: '`to`, `subject`, `text` and `from_sr` come back as sent, so that a link to the form can fill it.',
  params: {
    to: describeParam(rawText(), 'fills the form'),
    subject: describeParam(rawText(), 'fills the form'),
    text: describeParam(addAliases(rawText(), 'message'), 'fills the form'),
    from_sr: describeParam(rawText(), 'fills the form'),
  },
  handle: async (context) => {
    const { to, subject, text, from_sr } = context.params
    const captcha = (await needsCaptcha(context)) ? newIden() : null
    return { kind: 'json', body: { captcha, to, subject, text, from_sr, senders: await sendersFor(context) }, fleeting: true }
  },
})
