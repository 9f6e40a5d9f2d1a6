import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { deleteApp, listApps, registerApp } from './apps.ts'
import { askConsent, giveConsent } from './authorize.ts'
import { loginEndpoints } from './login.ts'
import { accessToken, revokeToken } from './oauth.ts'

export const authEndpoints: readonly AnyEndpoint[] = [
  ...loginEndpoints,
  listApps,
  registerApp,
  deleteApp,
  askConsent,
  giveConsent,
  accessToken,
  revokeToken,
]
