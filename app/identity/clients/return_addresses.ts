import { isLoopback } from '#configuration/loopback'
import { ACCOUNT_CONSOLE, ADMIN_CONSOLE, isConsole } from './consoles.js'
import { isUsable, isWebAddress, redirectUrisOf } from './redirect_uris.js'
import { providerUrl } from '#identity/embedded/addresses'
import { identitySettings, type IdentitySettings } from '#identity/identity_settings'
import { appSettings, surfaceUrl } from '#settings/app_settings'

interface ReturnSettings extends Pick<IdentitySettings, 'uiOrigins'> {
  readonly isProduction: boolean
}

interface ReturningClient {
  readonly name: string
  readonly builtIn: boolean
  readonly redirectUri: string | null
  readonly postLogoutRedirectUri: string | null
}

/** The address of the account page. */
export const accountPage = (): string => `${providerUrl()}/account/`

/** Where the console of this address takes the codes of its sign-ins. */
const consoleCallback = (): string => `${surfaceUrl('console')}/callback`

/** Where it shows that somebody has signed out. */
const consoleSignedOut = (): string => `${surfaceUrl('console')}/signed-out`

const BELOW = '/**'

/**
 * Whether a login may redirect to an address: one that is registered for the client, exactly or by `/**`. Consoles may
 * also redirect to the web interfaces of the installation and, outside production, to this machine.
 */
export function mayReturnTo(
  client: ReturningClient,
  uri: string,
  settings: ReturnSettings = { ...identitySettings(), ...appSettings() }
): boolean {
  const isOwnPage =
    (client.name === ACCOUNT_CONSOLE && uri.split('?')[0] === accountPage()) ||
    (client.name === ADMIN_CONSOLE && uri === consoleCallback())
  return mayLeadTo(client, uri, { registered: client.redirectUri, isOwnPage, settings })
}

/** The same for the address after a sign-out, which clients register apart. */
export function mayReturnSignedOut(
  client: ReturningClient,
  uri: string,
  settings: ReturnSettings = { ...identitySettings(), ...appSettings() }
): boolean {
  const isOwnPage = client.name === ADMIN_CONSOLE && uri === consoleSignedOut()
  return mayLeadTo(client, uri, { registered: client.postLogoutRedirectUri, isOwnPage, settings })
}

interface ReturnRules {
  readonly registered: string | null
  /** Whether it is the page of this installation that the built-in client of its name uses. */
  readonly isOwnPage: boolean
  readonly settings: ReturnSettings
}

function mayLeadTo(
  client: ReturningClient,
  uri: string,
  { registered, isOwnPage, settings }: ReturnRules
): boolean {
  const url = isUsable(uri) ? URL.parse(uri) : null
  if (!url) {
    return false
  }
  if (redirectUrisOf(registered).some((address) => leadsTo(address, uri, url))) {
    return true
  }
  if (!isConsole(client)) {
    return false
  }
  const isLocal = !settings.isProduction && isWebAddress(url.href) && isLoopback(url.hostname)
  return isOwnPage || isLocal || (isWebAddress(url.href) && settings.uiOrigins.includes(url.origin))
}

function leadsTo(registered: string, uri: string, url: URL): boolean {
  if (!registered.endsWith(BELOW)) {
    return registered === uri
  }
  const base = URL.parse(registered.slice(0, -2))
  return (
    base !== null &&
    isWebAddress(base.href) &&
    url.origin === base.origin &&
    url.pathname.startsWith(base.pathname)
  )
}
