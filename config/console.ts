import type { ConsoleSettings } from '#console/console_settings'
import { publicPrefix, SURFACE_NAMES } from '#configuration/surfaces'
import { env } from '#start/env'

const ADDRESSES = {
  core: env.CORE_URL,
  storage: env.STORAGE_URL,
  telemetry: env.TELEMETRY_URL,
  messenger: env.MESSENGER_URL,
  identity: env.IDENTITY_URL,
}

const elsewhere = SURFACE_NAMES.filter((name) => !env.SURFACES.includes(name))

const settings: ConsoleSettings = {
  clientId: env.CONSOLE_CLIENT_ID,
  clientSecret: env.CONSOLE_CLIENT_SECRET,
  scope: env.CONSOLE_SCOPE,
  services: Object.fromEntries(elsewhere.map((name) => [name, ADDRESSES[name]])),
  localUrl: (service, port = env.PORT) =>
    `http://${ownHost()}:${port}${publicPrefix(service, env.SURFACES)}`,
  providerUrl: env.IDENTITY_URL,
}

/** Replaces wildcard addresses by loopback ones. */
function ownHost(): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[env.HOST] ?? env.HOST
  return host.includes(':') ? `[${host}]` : host
}

export default settings
