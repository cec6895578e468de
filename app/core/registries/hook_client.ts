import { createHash, timingSafeEqual } from 'node:crypto'

import { surfacesOf } from '#configuration/processes'
import { identityProvider } from '#core/nodes/identity'
import type { ProviderClient } from '#identity/provider'
import { publicPrefix } from '#runtime/surfaces'
import { env } from '#start/env'

import type { Hook } from './driver.js'

/** The provider's client as which registries tell us what happened in them. */
const REGISTRY_CLIENT = 'registry'
const BASIC = /^basic ([a-z0-9+/]+={0,2})$/i

export const HOOK_PATH = '/services/registry/hook'

/** How registries tell the platform what happens in them; null where the provider keeps no client with a secret for that. */
export async function registryHook(): Promise<Hook | null> {
  const client = await hookClient()
  if (!client) {
    return null
  }
  const account = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
  const address = env.PUBLIC_URL + publicPrefix('core', surfacesOf(env)) + HOOK_PATH
  return { address, authorization: `Basic ${account}` }
}

/** Whether a header is what registries were told to send: the client by id or name, and its secret. */
export async function isFromRegistry(header: string | undefined): Promise<boolean> {
  const encoded = BASIC.exec(header ?? '')?.[1]
  if (encoded === undefined) {
    return false
  }
  const client = await hookClient()
  const sent = Buffer.from(encoded, 'base64')
  return (
    client !== undefined &&
    [client.id, client.name].some((name) => isSame(sent, `${name}:${client.secret}`))
  )
}

async function hookClient(): Promise<(ProviderClient & { secret: string }) | undefined> {
  const { clients } = await identityProvider()
  const found = await clients?.findByName(REGISTRY_CLIENT)
  const client = found && (await clients!.read(found.id, { secret: true }))
  return client?.secret ? { ...client, secret: client.secret } : undefined
}

const isSame = (sent: Buffer, expected: string) => timingSafeEqual(digest(sent), digest(expected))
const digest = (value: Buffer | string) => createHash('sha256').update(value).digest()
