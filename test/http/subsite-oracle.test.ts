import test from 'ava'
import { FULL } from '../support/full.ts'
import fc from '../support/properties.ts'
import { servers } from '../support/shape.ts'
import { startSite } from '../support/site.ts'
import { people } from '../support/standing-oracle.ts'
import { compare } from '../support/subsite-comparison.ts'
import { histories, opening } from '../support/subsite-history.ts'
import { isPost, openSubsite, type SubsiteAct } from '../support/subsite-oracle.ts'
import { openScene, send } from '../support/subsite-requests.ts'

const RUNS = FULL ? 100 : servers ? 1 : 2
const LENGTH = FULL ? 180 : 120
/** The number of acts between two comparisons with the service. */
const LOOK = 25
/** Each run tries other histories, unless it repeats those of a seed that a failure printed. */
const SEED = Number(process.env.ORACLE_SEED ?? Date.now() % 2 ** 31)

const site = await startSite()
const root = await site.register('root')
test.after.always(() => site.stop())

/** The act with its number of a link replaced by that of a link that exists. */
const onWhatIsThere = (act: SubsiteAct, links: number): SubsiteAct => {
  if (isPost(act) && 'on' in act) return { ...act, on: act.on % links }
  if ('target' in act && typeof act.target === 'object' && 'link' in act.target)
    return { ...act, target: { link: act.target.link % links } }
  return act
}

test('after any acts the settings, flair, looks, rules, wiki and log of a subsite are as an independent model of the interface predicts', async (t) => {
  t.timeout(1_200_000)
  t.log(`ORACLE_SEED=${SEED}`)
  const property = fc.asyncProperty(histories(LENGTH), async (history) => {
    const scene = await openScene(site, root)
    const oracle = openSubsite()
    const look = { t, site, scene, oracle }
    for (const [n, [who, drawn]] of [...opening, ...history].entries()) {
      const act = onWhatIsThere(drawn, Math.max(1, scene.links.length))
      const { outcome, made = '', ids = [] } = await send(scene, who, act)
      const expected = oracle.perform(who, act, made, (revision) => ids[revision] ?? '')
      const label = `${n}: ${who} ${JSON.stringify(act)}`
      if (typeof expected === 'string' && typeof outcome === 'string' && /^\d+$/.test(expected))
        t.is(outcome.split(' ')[0], expected, label)
      else t.deepEqual(outcome, expected, label)
      if (n % LOOK === LOOK - 1) await compare(look, [people[n % people.length] ?? 'ann'])
    }
    await compare(look, people)
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED, unbiased: true, endOnFailure: true })
})
