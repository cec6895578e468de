import { isIP } from 'node:net'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

import { flatten } from '#configuration/catalogue'
import { urlsByHost } from '#configuration/urls_by_host'
import { groups } from '#configuration/variables'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'
import { clock } from '#kernel/clock'
import type { Env } from '#configuration/variables'

const LIMIT_MS = 6_000
const SOON_MS = 21 * 86_400_000
const VARIABLES = flatten(groups)
const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'amqps:': 5671, 'rediss:': 6380 }

/** Checks the certificates of the servers in the configuration. */
export const certificatesCheck: Check = {
  name: 'certificates',
  async run({ env }) {
    const servers = serversIn(env)
    if (servers.length === 0) {
      return NOT_USED
    }
    const found = await Promise.all(servers.map((server) => checkServer(server)))
    return found.flat()
  },
}

interface Server {
  readonly variable: string
  readonly host: string
  readonly port: number
}

function serversIn(env: Env): Server[] {
  const named = Object.entries(env).flatMap(([variable, value]) => {
    const urls = isNamed(variable, value) ? urlsByHost(value) : []
    return urls.flatMap((text) => {
      const url = URL.parse(text)
      const usual = url ? PORTS[url.protocol] : undefined
      return url && usual !== undefined
        ? [{ variable, host: url.hostname, port: Number(url.port) || usual }]
        : []
    })
  })
  const registry = env.HARBOR_URL && URL.parse(`https://${env.HARBOR_URL.host}`)
  if (registry && !env.REGISTRY_INSECURE.includes(registry.host)) {
    const { hostname: host, port } = registry
    named.push({ variable: 'HARBOR_URL', host, port: Number(port) || 443 })
  }
  const byAddress = new Map(named.map((server) => [`${server.host}:${server.port}`, server]))
  return [...byAddress.values()]
}

/** Servers from defaults are skipped, since they may be unused. */
function isNamed(variable: string, value: unknown): value is string {
  return typeof value === 'string' && value !== VARIABLES[variable]?.default
}

async function checkServer({ variable, host, port }: Server): Promise<Finding[]> {
  const label = `${host}:${port} (${variable})`
  let socket: TLSSocket
  try {
    socket = await handshake(host, port)
  } catch (error) {
    return [finding('CERTIFICATE_UNKNOWN', `that of ${label}, ${reasonOf(error)}`)]
  }
  const { valid_to: end } = socket.getPeerCertificate()
  const refusal = socket.authorizationError
  socket.destroy()
  const until = Date.parse(end)
  if (until <= clock.now()) {
    return [finding('CERTIFICATE_EXPIRED', `that of ${label}, since ${dayOf(until)}`)]
  }
  return [
    ...(refusal
      ? [finding('CERTIFICATE_UNTRUSTED', `that of ${label}, ${reasonOf(refusal)}`)]
      : []),
    ...(until - clock.now() < SOON_MS
      ? [finding('CERTIFICATE_ENDING', `that of ${label}, on ${dayOf(until)}`)]
      : []),
  ]
}

/** Sends no data, so that an untrusted certificate can be inspected safely. */
function handshake(host: string, port: number): Promise<TLSSocket> {
  const bare = host.replace(/^\[|\]$/g, '')
  const options: ConnectionOptions = {
    host: bare,
    port,
    rejectUnauthorized: false,
    ...(isIP(bare) ? {} : { servername: bare }),
  }
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => resolve(socket))
    socket.on('error', reject)
    socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('it does not respond')))
  })
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
