import app from '@adonisjs/core/services/app'

import type { SurfaceName } from '#configuration/surfaces'

/** How the console signs people in and where it reaches the services: `config/console.ts`. */
export interface ConsoleSettings {
  /** The client at the identity provider. Without a secret it is a public client. */
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** The scopes of a sign-in, separated by blanks. */
  readonly scope: string
  /** The addresses of services in other processes. All others are served at the port of this process. */
  readonly services: Readonly<Partial<Record<SurfaceName, string>>>
  /** The local address of a service that this process serves; without a port, the configured one. */
  readonly localUrl: (service: SurfaceName, port: number | undefined) => string
  /** The identity provider at its own address; undefined for the embedded provider of this process. */
  readonly providerUrl: string | undefined
}

export const consoleSettings = (): ConsoleSettings => app.config.get('console')
