// Decision 71.

import { readFileSync } from 'node:fs'
import { accounts } from '../../../../projections/accounts.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { getOne } from '../../../ports/documents.ts'
import { karmaBySubsite } from '../../../queries/karma.ts'
import { subsitesById } from '../../../queries/subsites.ts'
import { type AnyEndpoint, type Context, type HandlerOutcome, section } from '../../contract/endpoint.ts'
import { username } from '../../contract/name-params.ts'
import { oneOf, replaceRefusal } from '../../contract/params.ts'
import { Media } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { thingShape } from '../../contract/schemas/things.ts'
import { accountBy } from '../../needs/facts.ts'
import { karmaListShape, karmaRow } from '../../present/account.ts'

const { get } = section('Account', { scope: 'mysubsites', login: 'token', errors: 'coded' })

// The trophies of an account.

const karma = get('/api/v1/me/karma', {
  answers: { 200: karmaListShape },
  summary: 'Your karma in each subsite, the highest first.',
  notes:
    'A subsite is listed once another account’s vote there changed your karma; deleting a post keeps its karma. Shown as at least 1 for links and at least -100 for comments.',
  handle: async ({ documents, viewer }) => {
    const earned = await karmaBySubsite(documents, viewer.account)
    const subsites = await subsitesById(documents, [...earned.keys()])
    const rows = [...earned]
      .sort(([a, one], [b, other]) => other.link + other.comment - (one.link + one.comment) || (a < b ? -1 : 1))
      .flatMap(([id, karma]) => {
        const subsite = subsites.get(id)
        return subsite ? [karmaRow(subsite.name, karma)] : []
      })
    return { kind: 'json', body: { kind: 'KarmaList', data: rows } }
  },
})

const images = ['gold-40.png', 'gold-70.png'] as const
const imageOf = Object.fromEntries(images.map((file) => [file, readFileSync(new URL(`./awards/${file}`, import.meta.url))]))

const awardImage = section('Account').get('/awards/{file}', {
  values: { file: images },
  scope: 'any',
  login: 'anyone',
  errors: 'plain',
  answers: { 200: new Media('image/png') },
  summary: 'The image of an award.',
  params: { file: oneOf(...images) },
  handle: ({ params: { file } }) => ({
    kind: 'text',
    type: 'image/png',
    body: imageOf[file] ?? Buffer.alloc(0),
    headers: { 'Cache-Control': 'public, max-age=86400' },
  }),
})

/** The only award of this service, held while an account has gold. */
const goldTrophy: shape.RecordTable<{ readonly base: string }> = {
  award_id: [shape.text('gold'), () => 'gold'],
  name: [shape.text('Gold'), () => 'Gold'],
  description: [shape.orNull(shape.text('')), () => null],
  icon_40: [shape.text('https://rostra.example/awards/gold-40.png'), ({ base }) => `${base}/awards/gold-40.png`],
  icon_70: [shape.text('https://rostra.example/awards/gold-70.png'), ({ base }) => `${base}/awards/gold-70.png`],
  id: [shape.orNull(shape.text('gold')), () => null],
  url: [shape.orNull(shape.text('')), () => null],
}

/** The kind of a trophy is that of awards. */
const trophyListShape = shape.component('TrophyList', () =>
  shape.recordSchema({
    kind: shape.constant('TrophyList'),
    data: shape.recordSchema({ trophies: shape.listOf(thingShape('t3', shape.tableShape('Trophy', goldTrophy))) }),
  }),
)

const trophiesOf = async ({ documents, clock, config }: Context, account: AccountId): Promise<HandlerOutcome> => {
  const { goldUntil = 0 } = (await getOne(documents, accounts, account)) ?? {}
  const trophies = goldUntil > clock() ? [{ kind: 't3', data: shape.valuesOf(goldTrophy, { base: config.publicUrl }) }] : []
  return { kind: 'json', body: { kind: 'TrophyList', data: { trophies } } }
}

const ownTrophies = get('/api/v1/me/trophies', {
  scope: 'identity',
  answers: { 200: trophyListShape },
  summary: 'Your trophies.',
  notes: 'An account with gold has the trophy `Gold`; there are no other awards.',
  handle: (context) => trophiesOf(context, context.viewer.account),
})

const trophies = section('Users').get('/api/v1/user/{username}/trophies', {
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  answers: { 200: trophyListShape },
  summary: 'The trophies of an account.',
  notes: 'An account with gold has the trophy `Gold`; there are no other awards. An unknown or deleted account is 400 `USER_DOESNT_EXIST`.',
  params: { username: replaceRefusal(username(), 'USER_DOESNT_EXIST') },
  needs: { account: accountBy('username') },
  handle: (context) => trophiesOf(context, context.account),
})

export const trophyEndpoints: readonly AnyEndpoint[] = [karma, ownTrophies, trophies, awardImage]
