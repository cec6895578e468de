import type { Context } from '#hubctl/settings/contexts'
import { addressIn, Addresses } from './addresses.js'
import { reach } from './reach.js'

const HEADER = 'x-hub-identity'

/** A hub whose identity provider is elsewhere says where; otherwise it has its own. */
export async function withAnnouncedIdentity(context: Context): Promise<Context> {
  const { url, services } = context
  if (services?.identity !== undefined) {
    return context
  }
  const addresses = new Addresses(url, services)
  const response = await reach(`${addresses.of('core')}/`)
  await response.body?.cancel()
  const announced = response.headers.get(HEADER)
  if (announced === null || addressIn(announced) === addresses.of('identity')) {
    return context
  }
  return { ...context, services: { ...services, identity: addressIn(announced) } }
}
