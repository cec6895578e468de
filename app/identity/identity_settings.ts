import app from '@adonisjs/core/services/app'

import type { Env } from '#configuration/variables'

/** The variables that decide on the secrets of the first accounts. */
type SecretSettings = Pick<
  Env,
  | 'NODE_ENV'
  | 'HOST'
  | 'DATA_DIR'
  | 'IDENTITY_ADMIN_PASSWORD'
  | 'CLIENT_SECRET'
  | 'WORKER_CLIENT_SECRET'
  | 'APP_KEY'
>

/** Settings of the embedded provider, from `config/identity.ts`. */
export interface IdentitySettings {
  /** The client of the platform itself, and its realm. */
  readonly platform: { readonly realm: string; readonly clientId: string }
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
  /** Origins of the web interfaces of the installation. */
  readonly uiOrigins: readonly string[]
  /** Further origins that logouts are announced to. */
  readonly logoutOrigins: readonly string[]
  /** Whether this process runs a worker, whose client then gets the current secret. */
  readonly runsWorker: boolean
  readonly secrets: SecretSettings
}

export const identitySettings = (): IdentitySettings => app.config.get('identity')
