import type { AddressInfo } from 'node:net'

import { inject } from '@adonisjs/core'
import { Server } from '@adonisjs/core/http'

import type { SurfaceName } from '#configuration/surfaces'
import { consoleSettings } from './console_settings.js'

/** The base URLs of the services: the port of this process, or the configured addresses. */
@inject()
export class HubAddresses {
  readonly #settings = consoleSettings()
  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
  }

  of(service: SurfaceName): string {
    return this.#settings.services[service] ?? this.#settings.localUrl(service, this.#ownPort())
  }

  /** The actual port, which the system may have chosen. */
  #ownPort(): number | undefined {
    const address = this.#server.getNodeServer()?.address() as AddressInfo | string | null
    return typeof address === 'object' ? (address?.port ?? undefined) : undefined
  }
}
