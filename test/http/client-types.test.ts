import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { typesOf } from '../support/openapi-types.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

// A client in TypeScript gets its types from the served document by openapi-typescript.

const ROOT = new URL('../../', import.meta.url).pathname
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** The errors that the compiler reports in programs, which import the types of the interface. */
const complaintsAbout = async (
  t: ExecutionContext,
  types: string,
  programs: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  const directory = temporaryDirectory(t)
  await writeFile(join(directory, 'interface.ts'), types)
  for (const [name, program] of Object.entries(programs)) await writeFile(join(directory, name), program)
  const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--target', 'esnext', '--module', 'nodenext', '--types', '']
  const sources = Object.keys(programs).map((name) => join(directory, name))
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [TSC, ...options, '--allowImportingTsExtensions', '--pretty', 'false', ...sources],
      { cwd: directory },
      (_, out) => resolve(out.split('\n').filter((line) => line.includes('error TS'))),
    ),
  )
}

const imports = `
import type { components, paths } from './interface.ts'
type Get<Path extends keyof paths> = paths[Path]['get'] extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never
type Post<Path extends keyof paths> = paths[Path]['post'] extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never
`

/** A small client: a page of somebody's things, a new link, a refused request. */
const client = `${imports}
declare const page: Get<'/user/{username}/{where}'>
export const texts: readonly string[] = page.data.children.map((child) => {
  switch (child.kind) {
    case 't5':
      return child.data.title + child.data.num_comments.toFixed() + (child.data.sr_detail?.display_name ?? '')
    case 't1':
      return child.data.body + child.data.link_id
  }
})
export const next: string | null = page.data.after

type Submission = NonNullable<paths['/api/submit']['post']>['requestBody']['content']['application/x-www-form-urlencoded']
export const submission: Submission = { kind: 'self', sr: 'tea', title: 'On water', text: 'Soft or hard?' }
declare const submitted: Post<'/api/submit'>
export const outcome: string =
  'data' in submitted.json
    ? submitted.json.data.name
    : submitted.json.errors.map(([code, text, field]) => code + text + (field ?? '')).join() + (submitted.json.ratelimit?.toFixed() ?? '')

declare const refused: components['responses']['Forbidden']['content']['application/json']
export const why: string = refused.reason + refused.explanation + (refused.fields?.[0] ?? '')
`

/** The compiler rejects the lines marked as wrong, and no others. */
const mistaken = `${imports}
declare const page: Get<'/user/{username}/{where}'>
for (const child of page.data.children) {
  if (child.kind === 't5') child.data.body // wrong: of a comment
  if (child.kind === 't9') break // wrong: no kind
}
type Submission = NonNullable<paths['/api/submit']['post']>['requestBody']['content']['application/x-www-form-urlencoded']
export const untitled: Submission = { kind: 'self', sr: 'tea' } // wrong: a title is required
declare const submitted: Post<'/api/submit'>
submitted.json.data.name // wrong: it may have been refused
export type Missing = Get<'/s/{sub}/nowhere'> // wrong: no such path
`

const wrongLines = (program: string) => program.split('\n').flatMap((line, n) => (line.includes('// wrong') ? [n + 1] : []))

test('a client can be written with the types that openapi-typescript makes of the served document; mistakes do not compile', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const types = await typesOf((await site.get('/openapi.json')).text)
  const complaints = await complaintsAbout(t, types, { 'client.ts': client, 'mistaken.ts': mistaken })
  t.deepEqual(
    complaints.map((line) => line.replace(/^.*?(\w+\.ts)\((\d+),.*$/, '$1 $2')),
    wrongLines(mistaken).map((line) => `mistaken.ts ${line}`),
    complaints.join('\n'),
  )
})
