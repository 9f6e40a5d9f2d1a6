import { readFileSync } from 'node:fs'
import test from 'ava'

type Locked = {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly optional?: boolean
  readonly engines?: { readonly node?: string }
}
const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')) as unknown

const OLDEST = 18
/** Tells whether a range of Node versions, such as `^18.17.0 || >=20`, has some of a major version. */
const admits = (range: string, major: number): boolean =>
  range.split('||').some((part) => {
    const [, sign = '', from] = /^\s*(>=|\^|~|=)?\s*v?(\d+)/.exec(part) ?? []
    return from === undefined ? part.trim() === '*' : sign === '>=' ? Number(from) <= major : Number(from) === major
  })

test('npm on the oldest Node that is supported installs every optional package of the service', (t) => {
  // npm leaves out an optional package that wants a newer Node than its own, and says nothing
  t.like(read('package.json'), { engines: { node: `>=${OLDEST}` } })
  const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> }
  const optional = Object.entries(packages).filter(([, { dev, devOptional, optional }]) => optional && !dev && !devOptional)
  t.true(optional.some(([path]) => path.startsWith('node_modules/@img/sharp-linux-')))
  t.deepEqual(
    optional.flatMap(([path, { engines }]) => (admits(engines?.node ?? '*', OLDEST) ? [] : [path])),
    [],
  )
})

test('ranges of Node versions are understood', (t) => {
  for (const range of ['*', '>=18', '>= 10', '^18.17.0 || ^20.3.0 || >=21.0.0', '>=16.20.0']) t.true(admits(range, 18), range)
  for (const range of ['>=20.9.0', '^20.19.0 || >=22.12.0', '^16']) t.false(admits(range, 18), range)
})
