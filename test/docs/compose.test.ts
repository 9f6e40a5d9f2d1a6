import { readFile } from 'node:fs/promises'
import test from 'ava'
import { parse } from 'yaml'

type Service = {
  readonly image: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly mem_limit?: string
  readonly pids_limit?: number
  readonly privileged?: boolean
  readonly command?: readonly string[]
}

const file = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8')
const { services } = parse(file, { merge: true }) as { readonly services: Readonly<Record<string, Service>> }

for (const [name, service] of Object.entries(services))
  test(`the container of ${name} writes to volumes only, has no unneeded capability, and has limits`, (t) => {
    t.true(service.read_only)
    t.deepEqual(service.cap_drop, ['ALL'])
    t.deepEqual(service.cap_add ?? [], name === 'secret' ? ['CHOWN'] : [])
    t.deepEqual(service.security_opt, ['no-new-privileges:true'])
    t.truthy(service.mem_limit)
    t.true((service.pids_limit ?? 0) > 0)
    t.not(service.privileged, true)
  })

test('every image has an exact version or a digest', (t) => {
  for (const [name, { image }] of Object.entries(services))
    if (!image.startsWith('rostra:')) t.regex(image, /:\d+\.\d+\.\d+|@sha256:[0-9a-f]{64}$/, name)
})

test('containers start the service with the command of npm start', async (t) => {
  const { scripts } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const image = await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8')
  const start: string = scripts.start
  t.true(services.api?.command?.at(-1)?.endsWith(start))
  t.deepEqual(['exec', ...JSON.parse(/^CMD (\[.*\])$/m.exec(image)?.[1] ?? '[]')], start.split(' '))
})
