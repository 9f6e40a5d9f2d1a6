import { readdirSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { eventDefinitions } from '../../src/domain/events.ts'
import { defaultSettings, type SubsiteSettings } from '../../src/domain/subsite-settings.ts'
import { codec, isIntact } from '../../src/log/codec.ts'
import { fixedKeys } from '../support/fixed-keys.ts'
import { formerGolden, type Golden, readGolden, stampedFrom } from '../support/golden.ts'

const { seal, open } = codec(fixedKeys)
/** A setting of subsites that is newer than the file is read with its initial value. */
const asReadNow = (data: object) =>
  'settings' in data ? { ...data, settings: { ...defaultSettings, ...(data.settings as Partial<SubsiteSettings>) } } : data

const schemas = (upcasts: readonly unknown[]) => Array.from({ length: upcasts.length + 1 }, (_, i) => i + 1)

const isReadAs = async (t: ExecutionContext, { stored, opened }: Golden) => {
  t.true(isIntact(stored))
  const [event] = await open([{ ...stored, stream: 'golden', revision: 0, position: '0'.repeat(20) }])
  const data = asReadNow(opened.data)
  t.like(event, { ...opened, data })
  t.deepEqual<unknown, unknown>(event?.data, data)
}

const formerSeals: Readonly<Record<string, string>> = {
  account: 'under the key of an account',
  thing: 'under the key of a thing without commitments',
  commitment: 'with a commitment and without padding',
}

for (const golden of formerGolden)
  test(`${golden.opened.type} is read as in its golden file when its texts are sealed ${formerSeals[golden.seal]}`, (t) =>
    isReadAs(t, golden))

for (const [type, { upcasts }] of eventDefinitions) {
  for (const schema of schemas(upcasts))
    test(`${type} of schema ${schema} is read as in its golden file`, async (t) => {
      const golden = readGolden(type, schema)
      if (!golden) return t.fail('no golden file: run `npm run generate`')
      await isReadAs(t, golden)
    })

  test(`${type} is written as in its golden file`, async (t) => {
    const golden = readGolden(type, upcasts.length + 1)
    if (!golden) return t.fail('no golden file: run `npm run generate`')
    t.deepEqual(await seal([stampedFrom(golden)]), [golden.stored])
  })
}

test('every golden file belongs to a declared event', (t) => {
  const declared = new Set(
    [...eventDefinitions].flatMap(([type, { upcasts }]) => schemas(upcasts).map((schema) => `${type}.v${schema}.json`)),
  )
  t.deepEqual(
    readdirSync(new URL('../golden/', import.meta.url)).filter((file) => !declared.has(file)),
    ['former-seals'],
  )
})
