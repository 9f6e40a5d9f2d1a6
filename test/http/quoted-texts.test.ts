import test from 'ava'
import { projections } from '../../projections/all.ts'
import { codec } from '../../src/log/codec.ts'
import { keyring } from '../../src/log/keys.ts'
import { START } from '../../src/ports/event-store.ts'
import { findingsOf } from '../support/auditing.ts'
import { startTea } from '../support/cast.ts'
import { done, settled } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { contentsOf } from '../support/read-models.ts'
import type { Caller } from '../support/site.ts'

const { site, bob, root } = await startTea(['root'])
test.after.always(() => site.stop())

test.serial('the erasure of an account removes the subjects of its messages from the replies to them', async (t) => {
  const hal = await site.register('hal')
  await compose(hal, 'bob', 'MEDLAR asks')
  const answer = async (who: Caller, words: string) =>
    done(who, '/api/comment', { thing_id: String((await firstMail(who))?.data.name), text: words, api_type: 'json' })
  await answer(bob, 'of bob')
  t.like((await firstMail(hal))?.data, { subject: 're: MEDLAR asks', body: 'of bob' })
  await answer(hal, 'of hal')
  await answer(bob, 'of bob again')
  await done(root, '/api/erase_user', { name: 'hal' })
  await settled(site)
  t.like((await firstMail(bob, 'sent'))?.data, { subject: '[erased]', body: 'of bob again' })
  t.notRegex(JSON.stringify(await contentsOf(site.running.stores.documents, projections)), /medlar/i)
  const logged = await codec(keyring(site.running.app.vault)).open(await site.running.stores.events.readAll(START, 1_000))
  t.notRegex(JSON.stringify(logged), /medlar/i)
  t.deepEqual(await findingsOf(t, site.running), [])
})
