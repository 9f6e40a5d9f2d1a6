import * as E from 'fp-ts/lib/Either.js'
import { newIden } from '../../../auth/captcha.ts'
import { countCaptcha } from '../../../limits/captcha-count.ts'
import { type AnyEndpoint, section } from '../../contract/endpoint.ts'
import { describeParam, rawText } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { form, Media } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { needsCaptcha } from '../../needs/captcha.ts'
import { openLane } from '../../workers/worker-process.ts'

/** Draws the image of a solution as PNG, 120×50. It takes some milliseconds, in another process. */
export const drawCaptcha = openLane<string, Uint8Array>(new URL('./image-worker.ts', import.meta.url), {
  limit: 2_000,
  mostWaiting: 100,
  mostWaitingOfOne: 10,
  heapMegabytes: 64,
})

const { get, post } = section('Captcha', { scope: 'any', login: 'anyone', errors: 'plain' })

const needed = get('/api/needs_captcha', {
  answers: { 200: shape.flag },
  summary: 'Whether you have to solve a captcha to submit, to send messages, to found subsites and to register.',
  notes:
    'If captchas are on, they are required from anonymous callers and from accounts that have neither a point of link karma nor one of comment karma.',
  handle: async (context) => ({ kind: 'json', body: await needsCaptcha(context) }),
})

const another = post('/api/new_captcha', {
  modhash: false,
  idempotency: false,
  errors: 'form',
  answers: { 200: form(shape.recordSchema({ iden: shape.text('5f0c7d3e9a1b4c2d8e6f7a8b9c0d1e2f') })) },
  summary: 'Create a captcha and return its name; its image is at `/captcha/{iden}`.',
  handle: () => ({ kind: 'form', data: { iden: newIden() } }),
})

const image = get('/captcha/{iden}', {
  answers: { 200: new Media('image/png') },
  summary: 'The image of a captcha: four characters, 120×50.',
  notes:
    'The image is valid for five minutes or until the first answer, right or wrong. Send the four characters, in upper or lower case, as `captcha` together with `iden`.',
  params: { iden: describeParam(rawText({ max: 100 }), 'any name; only one of 32 letters and digits can be answered') },
  uses: ['captchas'],
  handle: async (context) => {
    const answer = await context.captchas.answerOf<Refusal>(context.params.iden, () => countCaptcha(context))
    if (typeof answer !== 'string') return E.left(answer.refused)
    const drawn = await drawCaptcha(answer)
    if (typeof drawn === 'string') return refuseRule('UNAVAILABLE')
    return { kind: 'text', type: 'image/png', body: Buffer.from(drawn.result), headers: { 'Cache-Control': 'no-store' }, fleeting: true }
  },
})

export const captchaEndpoints: readonly AnyEndpoint[] = [needed, another, image]
