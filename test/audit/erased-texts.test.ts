import test from 'ava'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { links } from '../../projections/links.ts'
import { describe } from '../../src/audit/finding.ts'
import { auditInputOf } from '../../src/cli/audit-input.ts'
import { AccountTextsErased, NO_ERASED_TEXTS } from '../../src/domain/account.ts'
import { LinkErased } from '../../src/domain/link.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { beginReactions, findingsIn } from '../support/auditing.ts'
import { ann, pot, carol as root, story, tea, told } from '../support/example-history.ts'
import { inNameOf, loggedFrom } from '../support/logged-events.ts'
import { everyLongText } from '../support/long-texts.ts'
import { catchUp, openFile } from '../support/read-models.ts'

const linksTable = `${links.name}_v${links.version}`

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

test('no finding contains a text that the log seals, whatever differs', async (t) => {
  const { stores, ports, connection, append } = openFile(t)
  await append(everyLongText())
  await catchUp(await openReadModels(ports, projections))
  await beginReactions(stores)
  const recorded = await stores.events.readAll(LOG_START, 10_000)
  const opened = await codec(openKeyring(stores.vault)).open(recorded)
  const sealed = new Set(
    opened.flatMap(({ data }, i) => stringsIn(data).filter((text) => !recorded[i]?.data.includes(JSON.stringify(text)))),
  )
  t.true(sealed.size > 30)

  // all texts differ, documents are missing, and search indexes have other words
  connection.db.exec("UPDATE vault SET value = 'null' WHERE kind = 'key'")
  for (const { collection } of projections) {
    const table = `${collection.name}_v${collection.version}`
    connection.db.exec(`DELETE FROM "${table}" WHERE n % 5 = 0`)
    connection.db.exec(`UPDATE "${table}" SET body = json_set(body, '$.seq', 7) WHERE n % 5 = 1`)
    if (collection.search) connection.db.exec(`INSERT INTO "${table}_words"("${table}_words") VALUES('delete-all')`)
  }
  const findings = await findingsIn(t, auditInputOf(stores, { isFile: true, admins: [] }))
  t.true(findings.length > 100)
  const printed = findings.map((finding) => `${describe(finding)} ${JSON.stringify(finding)}`).join('\n')
  t.deepEqual(
    [...sealed].filter((text) => text !== '[erased]' && text.length > 3 && printed.includes(text.slice(0, 100))),
    [],
  )
})

test('a text that is erased before the read models show its erasure is no difference, and one that they go on showing is', async (t) => {
  const { stores, ports, append, connection } = openFile(t)
  await append(story)
  const readModels = await openReadModels(ports, projections)
  await catchUp(readModels)
  await beginReactions(stores)
  const findings = async () =>
    (await findingsIn(t, auditInputOf(stores, { isFile: true, admins: [] })))
      .map(describe)
      .filter((finding) => !/authority|cause/.test(finding))
  t.deepEqual(await findings(), [])

  const entries = story.flatMap(({ id, data }) => ('target' in data && data.target?.id === pot ? [id] : []))
  const erased = inNameOf(root, 'admin')(LinkErased({ subsite: tea, target: { id: pot, author: ann }, reason: 'asked for' }))
  const blanked = inNameOf(null)(
    AccountTextsErased({ account: ann, thing: pot, ...NO_ERASED_TEXTS, things: [pot], entries, next: null, pass: 1 }),
  )
  const [, last] = loggedFrom([...told, erased, blanked]).slice(-2)
  await append(loggedFrom([...told, erased]).slice(-1))
  await openKeyring(stores.vault).eraseThing(ann, pot)
  t.deepEqual(await findings(), [], 'the erasure has begun')
  if (last) await append([last])
  t.deepEqual(await findings(), [], 'the read models are behind the erasure')
  const { body = '' } = connection.db.prepare(`SELECT body FROM ${linksTable} WHERE id = ?`).get(pot) ?? {}
  await catchUp(readModels)
  t.deepEqual(await findings(), [])
  connection.db.prepare(`UPDATE ${linksTable} SET body = ? WHERE id = ?`).run(body, pot)
  t.true((await findings()).includes(`links ${pot} title: stored "(a text)", recounted "[erased]"`))
})
