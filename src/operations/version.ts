import { readFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

/** The version of this package, as metrics, the start line and the generated documents state it. */
export const SERVICE_VERSION = version
