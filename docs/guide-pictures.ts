import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandLine } from '../src/cli/command-line.ts'

commandLine({
  usage: 'npm run pictures',
  help: `Makes the pictures in docs/guide/oauth.md again, after those pages have changed. It needs Chromium, and CHROMIUM names it where it is
not called chromium. A picture is a page as the service sends it, with values that a reader can follow.`,
})

const { default: sharp } = await import('sharp')
const { consentPage, loginPage } = await import('../src/http/present/html-pages.ts')

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
  'login.png': loginPage('login', '/api/v1/authorize', undefined, undefined),
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
const directory = await mkdtemp(join(tmpdir(), 'rostra-pictures-'))
try {
  for (const [name, html] of Object.entries(pages)) {
    const file = join(directory, 'page.html')
    await writeFile(file, html)
    const shot = join(directory, name)
    const size = ['--window-size=560,560', '--hide-scrollbars', '--force-device-scale-factor=1']
    const settings = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${directory}`]
    await run(process.env.CHROMIUM ?? 'chromium', [...settings, ...size, `--screenshot=${shot}`, `file://${file}`])
    await sharp(shot)
      .png({ palette: true, compressionLevel: 9 })
      .toFile(new URL(`guide/${name}`, import.meta.url).pathname)
    process.stdout.write(`docs/guide/${name}\n`)
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}
