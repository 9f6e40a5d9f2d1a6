import { openSqlite } from '../../src/adapters/sqlite/stores.ts'

// A process whose projection has a bug: everything it waits for must fail, and it must end loudly.

const { events, documents } = await openSqlite({
  file: process.argv[2] ?? '',
  projector: new URL('./sqlite-projectors.ts', import.meta.url),
})
const event = (type: string) => ({ id: type, type, data: '{}', meta: '{}' })
await events.append('s-1', 'none', [event('Break')]).catch(() => undefined) // it may die before the answer is out
for (let n = 0; ; n++) {
  try {
    await Promise.all([
      events.append(`later-${n}`, 'none', [event('Later')]),
      documents.write([], { name: `${n}`, from: undefined, to: '1' }),
    ])
  } catch (error) {
    process.stdout.write(`rejected: ${error instanceof Error ? error.message : String(error)}\n`)
    await events.append('again-1', 'none', [event('Again')]).catch(() => process.stdout.write('rejected again\n'))
    await new Promise((resolve) => setTimeout(resolve, 60_000))
  }
}
