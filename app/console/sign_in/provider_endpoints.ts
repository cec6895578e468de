import { inject } from '@adonisjs/core'

import { sendRequest } from '#auth/external/provider_request'
import { SingleFlight } from '#kernel/single_flight'
import { surfaceUrl } from '#settings/app_settings'
import { HubAddresses } from '#console/hub_addresses'
import { consoleSettings } from '#console/console_settings'

export interface Endpoints {
  readonly issuer: string
  /** The login page, for the browser. */
  readonly authorization: string
  readonly token: string
  readonly revocation: string | undefined
  readonly endSession: string | undefined
}

const DISCOVERY = '/.well-known/openid-configuration'

/** The endpoints in the discovery document of the identity provider. They are read once. */
@inject()
export class ProviderEndpoints {
  readonly #addresses: HubAddresses
  readonly #readings = new SingleFlight<'document', Endpoints>()
  #known: Endpoints | undefined

  constructor(addresses: HubAddresses) {
    this.#addresses = addresses
  }

  async get(): Promise<Endpoints> {
    this.#known ??= await this.#readings.run('document', () => this.#read())
    return this.#known
  }

  async #read(): Promise<Endpoints> {
    const { providerUrl } = consoleSettings()
    const base = providerUrl ?? this.#addresses.of('identity')
    const { body } = await sendRequest(base + DISCOVERY)
    const here = (address: unknown) => (providerUrl ? address : localAddress(address, base))
    return {
      issuer: String(body?.issuer ?? ''),
      authorization: String(body?.authorization_endpoint ?? `${base}/authorize`),
      token: String(here(body?.token_endpoint) ?? `${base}/token`),
      revocation: textOrUndefined(here(body?.revocation_endpoint)),
      endSession: textOrUndefined(body?.end_session_endpoint),
    }
  }
}

/** The server calls its own provider directly: its public address may not be reachable from inside. */
function localAddress(address: unknown, base: string): unknown {
  const publicUrl = surfaceUrl('identity')
  return typeof address === 'string' && address.startsWith(publicUrl)
    ? base + address.slice(publicUrl.length)
    : address
}

const textOrUndefined = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
