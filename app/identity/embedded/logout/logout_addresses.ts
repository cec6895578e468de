import { appSettings } from '#settings/app_settings'
import { identitySettings, type IdentitySettings } from '#identity/identity_settings'

interface LogoutSettings extends Pick<IdentitySettings, 'logoutOrigins' | 'uiOrigins'> {
  readonly isProduction: boolean
}

/**
 * Whether the platform may send requests to an address of a client. In production the operator has to list its origin
 * (SSRF protection).
 */
export function isAllowedAddress(
  address: string,
  settings: LogoutSettings = { ...identitySettings(), ...appSettings() }
): boolean {
  const { logoutOrigins, uiOrigins, isProduction } = settings
  const origin = URL.parse(address)?.origin
  return (
    origin !== undefined && (!isProduction || [...logoutOrigins, ...uiOrigins].includes(origin))
  )
}
