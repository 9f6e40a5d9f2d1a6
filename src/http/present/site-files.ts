import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { Reply } from '../contract/handler-response.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'

const types = {
  'rostra.css': 'text/css; charset=UTF-8',
  'rostra.js': 'text/javascript; charset=UTF-8',
  'history.js': 'text/javascript; charset=UTF-8',
} as const
type SiteFileName = keyof typeof types
type SiteFile = { readonly address: string; readonly type: string; readonly body: string }

const read = (name: SiteFileName): SiteFile => {
  const body = readFileSync(new URL(`../pages/site/${name}`, import.meta.url), 'utf8')
  const [stem, extension] = name.split('.')
  return { address: `/site/${stem}-${hash('sha256', body, 'hex').slice(0, 12)}.${extension}`, type: types[name], body }
}

/** The style sheet and the script of every page, and the script of those of the history; their addresses name their content, so that caches may keep them. */
export const siteFiles: Readonly<Record<SiteFileName, SiteFile>> = {
  'rostra.css': read('rostra.css'),
  'rostra.js': read('rostra.js'),
  'history.js': read('history.js'),
}

const A_YEAR = 'public, max-age=31536000, immutable'
/** A page of an older version of the service may ask for its file, and gets the one of today. */
const OF_ANOTHER_VERSION = 'no-cache'

export const siteFile = (name: string): E.Either<Refusal, Reply> => {
  const [, stem, extension] = /^(\w+)-[0-9a-f]{12}\.(css|js)$/.exec(name) ?? []
  const file = siteFiles[`${stem}.${extension}` as SiteFileName]
  if (file === undefined) return refuseRule('NOT_FOUND')
  const caching = file.address === `/site/${name}` ? A_YEAR : OF_ANOTHER_VERSION
  return E.right({ kind: 'text', type: file.type, body: file.body, headers: { 'Cache-Control': caching } })
}
