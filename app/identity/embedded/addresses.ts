import { surfacesOf } from '#configuration/processes'
import { publicPrefix } from '#configuration/surfaces'
import { env } from '#start/env'

/** Where others reach the provider. Processes that serve nothing say the same as those that do. */
export const PROVIDER_URL = env.PUBLIC_URL + publicPrefix('identity', surfacesOf(env))

/** Who signs the tokens of a realm. */
export const issuerOf = (realmName: string): string => `${PROVIDER_URL}/realms/${realmName}`

/** The path that the provider's cookies belong to. */
export const COOKIE_PATH = new URL(PROVIDER_URL).pathname

export const IS_ENCRYPTED = PROVIDER_URL.startsWith('https:')
