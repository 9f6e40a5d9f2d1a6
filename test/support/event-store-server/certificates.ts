import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Files made for tests alone; they secure nothing. */
const path = (name: string): string => fileURLToPath(new URL(`certificates/${name}.pem`, import.meta.url))

export const files = {
  authority: path('authority'),
  otherAuthority: path('other-authority'),
  userCertificate: path('user'),
  userKey: path('user.key'),
}

export const serverTls = () => ({ certificate: readFileSync(path('server')), key: readFileSync(path('server.key')) })

export const authority = (): Buffer => readFileSync(files.authority)
