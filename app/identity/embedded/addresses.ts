import { surfacesOf } from '#configuration/processes'
import { publicPrefix } from '#configuration/surfaces'
import { env } from '#start/env'

/** The public address of the provider, also in processes that do not serve it. */
export const PROVIDER_URL = env.PUBLIC_URL + publicPrefix('identity', surfacesOf(env))

/** The issuer of the tokens of a realm. */
export const issuerOf = (realmName: string): string => `${PROVIDER_URL}/realms/${realmName}`

/** The path of the provider's cookies. */
export const COOKIE_PATH = new URL(PROVIDER_URL).pathname

export const IS_ENCRYPTED = PROVIDER_URL.startsWith('https:')
