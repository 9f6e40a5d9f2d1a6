import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { consentPage, loginPage, ownPage } from '../src/http/present/html-pages.ts'

const client = {
  id: 'BxthCEmFzOrLNg',
  name: 'Tea reader',
  type: 'installed',
  redirectUri: 'http://127.0.0.1:5000/callback',
  description: '',
  secret: null,
  owner: 't2_1',
  created: 0,
} as const

const pages = {
  'login.png': loginPage({ kind: 'login', dest: '/api/v1/authorize' }),
  'authorize.png': consentPage({
    client,
    user: 'ann',
    scopes: ['identity', 'read', 'submit'],
    subsites: undefined,
    permanent: true,
    fields: {},
  }),
}

const run = promisify(execFile)

/**
 * Makes the pictures of docs/guide/oauth.md: pages as the service sends them, with values that a reader can follow. Needs Chromium, which CHROMIUM
 * names where it is not called chromium.
 */
export const generatePictures = async (): Promise<readonly string[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'rostra-pictures-'))
  try {
    for (const [name, content] of Object.entries(pages)) {
      const file = join(directory, 'page.html')
      await writeFile(file, ownPage(content).body)
      const shot = join(directory, name)
      const size = ['--window-size=560,560', '--hide-scrollbars', '--force-device-scale-factor=1']
      const settings = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${directory}`]
      await run(process.env.CHROMIUM ?? 'chromium', [...settings, ...size, `--screenshot=${shot}`, `file://${file}`])
      await sharp(shot)
        .png({ palette: true, compressionLevel: 9 })
        .toFile(new URL(`guide/${name}`, import.meta.url).pathname)
    }
    return Object.keys(pages).map((name) => `docs/guide/${name}`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
