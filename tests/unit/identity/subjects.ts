import { ExternalProvider, type ProviderSettings } from '#auth/external/external_provider'

import { SYSTEM, type StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'

export const silent = { info() {}, warn() {}, error() {} }

export const CLAIMS = {
  realmId: 'realm_id',
  realmName: 'realm_name',
  kind: 'sub_kind',
  permissions: 'permissions',
}

/** The settings of the platform for a stand-in provider. */
export function settingsFor(
  { url }: Pick<StandInProvider, 'url'>,
  given: Partial<ProviderSettings> = {}
): ProviderSettings {
  return {
    url,
    credentials: SYSTEM,
    realm: 'master',
    introspectionAuth: 'none',
    claims: CLAIMS,
    redisUrl: undefined,
    logger: silent,
    ...given,
  }
}

export function externalProvider(standIn: StandInProvider, given: Partial<ProviderSettings> = {}) {
  return new ExternalProvider(settingsFor(standIn, given))
}
