import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Answer, TestSite } from './site.ts'

/** Returns the path at which the site serves an address in an answer. */
export const pathOf = (site: TestSite, address: unknown) => String(address).replace(site.url, '')

export const bytesAt = async (site: TestSite, address: unknown) =>
  Buffer.from(await (await fetch(`${site.url}${pathOf(site, address)}`)).arrayBuffer())

/** The address of an image that was just uploaded. */
export const uploadedAddress = (t: ExecutionContext, answer: Answer): string => {
  t.like(answer.body, { errors: [], errors_values: [] }, answer.text)
  return String(answer.at('img_src'))
}

/** The files that the site has stored: images and stylesheets. */
export const storedFiles = async ({ directory }: TestSite): Promise<readonly string[]> =>
  (await readdir(join(directory, 'rostra.db.blobs'), { recursive: true }).catch(() => [])).filter((name) => name.includes('/')).toSorted()
