import { unescape } from 'node:querystring'

import type { Options } from 'amqplib'

import { urlsByHost } from '#configuration/urls_by_host'
import { hostOf, isSameHost, type HostAddress, type HostResolver } from '#kernel/host_resolver'

const USUAL_PORTS: Readonly<Record<string, number>> = { 'amqp:': 5672, 'amqps:': 5671 }
const PARAMETERS = ['locale', 'channelMax', 'frameMax', 'heartbeat', 'maxFrameSize']

/** The hosts of a broker. Connections use one until it fails, and then the next one of the address. */
export class BrokerHosts implements HostResolver {
  readonly #hosts: readonly HostAddress[]
  #index = 0

  constructor(url: string) {
    this.#hosts = urlsByHost(url).map((each) => hostOf(each, USUAL_PORTS[new URL(each).protocol]!))
  }

  get current(): HostAddress {
    return this.#hosts[this.#index]!
  }

  suspect(host: HostAddress): void {
    if (isSameHost(this.current, host)) {
      this.#index = (this.#index + 1) % this.#hosts.length
    }
  }
}

/**
 * The address of a connection that reconnects, in the form of amqplib, which reads the host anew for each attempt.
 */
export class BrokerAddress implements Options.Connect {
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly vhost: string
  readonly #hosts: BrokerHosts
  #attempted: HostAddress

  constructor(url: string, hosts: BrokerHosts, usual: { readonly heartbeat: number }) {
    const address = new URL(urlsByHost(url)[0]!)
    const isAnonymous = address.username === '' && address.password === ''
    this.protocol = address.protocol.slice(0, -1)
    this.username = isAnonymous ? 'guest' : unescape(address.username)
    this.password = isAnonymous ? 'guest' : unescape(address.password)
    this.vhost = address.pathname.slice(1)
    const given = [...address.searchParams].filter(([name]) => PARAMETERS.includes(name))
    Object.assign(this, usual, Object.fromEntries(given))
    this.#hosts = hosts
    this.#attempted = hosts.current
  }

  /** The host of the latest attempt. */
  get attempted(): HostAddress {
    return this.#attempted
  }

  get hostname(): string {
    this.#attempted = this.#hosts.current
    return this.#attempted.host
  }

  get port(): number {
    return this.#attempted.port
  }
}
