// Decision 72.

import * as E from 'fp-ts/lib/Either.js'
import { newIden } from '../../auth/captcha.ts'
import { karmaOf } from '../../queries/karma.ts'
import { type AnyEndpoint, type AnyNeed, type Context, type End, isRefusal, type Need, type Uses } from '../contract/endpoint.ts'
import { describeParam, rawText } from '../contract/params.ts'
import { type Refusal, refusals } from '../contract/refusals.ts'
import type { Viewer } from '../contract/request.ts'
import * as shape from '../contract/schemas/schema.ts'

/** The points of link or comment karma from which no captcha is required. */
const MIN_KARMA_WITHOUT_CAPTCHA = 1

/** Tells whether the viewer must solve captchas: without an account, or without karma. */
export const needsCaptcha = async ({ config, documents, viewer }: Pick<Context, 'config' | 'documents' | 'viewer'>): Promise<boolean> => {
  if (!config.captcha) return false
  if (viewer.account === undefined) return true
  const { link, comment } = await karmaOf(documents, viewer.account)
  return link < MIN_KARMA_WITHOUT_CAPTCHA && comment < MIN_KARMA_WITHOUT_CAPTCHA
}

/** Admins found subsites without a captcha, since on a new site nobody can have karma yet. */
export const foundsFreely = ({ admin }: Pick<Viewer, 'admin'>): boolean => admin

/** Returns the refusal for a missing or wrong captcha; undefined if the solution is right, which uses the captcha up. */
export const captchaRefusal = async (
  { captchas }: Uses<'captchas'>,
  { iden, captcha }: { readonly iden: string; readonly captcha: string },
): Promise<Refusal | undefined> =>
  (await captchas.solve(iden, captcha)) ? undefined : { code: 'BAD_CAPTCHA', field: 'captcha', extra: { captcha: newIden() } }

/** The captcha that a form must have solved, as its answer names it. */
export const captchaToSolve = shape.orNull(
  shape.text('5f0c7d3e9a1b4c2d8e6f7a8b9c0d1e2f', 'The captcha to solve; null if none is required.'),
)

export const captchaParams = {
  captcha: describeParam(rawText(), 'the four characters in the image, where a captcha is needed'),
  iden: describeParam(rawText(), 'which captcha they answer'),
} as const

type CaptchaParams = { readonly iden: string; readonly captcha: string }

const isChallenged = (context: object): boolean => 'challenged' in context && context.challenged === true

/** Adds a new captcha to the refusal, since the answered one is used up. */
const withAnother = (refusal: Refusal): Refusal =>
  refusals[refusal.code].abort ? refusal : { ...refusal, extra: { ...refusal.extra, captcha: newIden() } }

type Guard = {
  /** The needs that are looked up before the captcha; their refusals leave it unused. */
  readonly after?: readonly string[]
  /** Requests that need no captcha. */
  readonly unless?: (params: never, viewer: Viewer) => boolean
}

/**
 * Requires a captcha from viewers who need one; every later refusal of the endpoint carries a new captcha. A repeated command needs none,
 * so that it can be completed.
 */
export const guardByCaptcha = (inner: AnyEndpoint, { after = [], unless = () => false }: Guard = {}): AnyEndpoint => {
  const challenge: Need<boolean, CaptchaParams, Viewer, Uses<'captchas'>> = async (context) => {
    if (context.command.retried || unless(context.params as never, context.viewer) || !(await needsCaptcha(context))) return E.right(false)
    const refusal = await captchaRefusal(context, context.params)
    return refusal ? E.left(refusal) : E.right(true)
  }
  const renewCaptcha =
    (need: AnyNeed): AnyNeed =>
    async (context, name) => {
      const found = await need(context, name)
      if (E.isRight(found) || !isRefusal(found.left) || !isChallenged(context)) return found
      return E.left(withAnother(found.left))
    }
  const needs = Object.entries(inner.needs)
  return {
    ...inner,
    params: { ...inner.params, ...captchaParams },
    uses: [...inner.uses, 'captchas'],
    needs: Object.fromEntries([
      ...needs.filter(([name]) => after.includes(name)),
      ['challenged', challenge as AnyNeed],
      ...needs.filter(([name]) => !after.includes(name)).map(([name, need]) => [name, renewCaptcha(need)] as const),
    ]),
    handle: async (context) => {
      const outcome = await inner.handle(context)
      if (!isChallenged(context) || outcome === undefined || !('_tag' in outcome)) return outcome
      return E.mapLeft((end: End) => (isRefusal(end) ? withAnother(end) : end))(outcome as E.Either<End, unknown>)
    },
  }
}
