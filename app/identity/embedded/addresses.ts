import { surfaceUrl } from '#settings/app_settings'

/** The public address of the provider, also in processes that do not serve it. */
export const providerUrl = (): string => surfaceUrl('identity')

/** The issuer of the tokens of a realm. */
export const issuerOf = (realmName: string): string => `${providerUrl()}/realms/${realmName}`

/** The path of the provider's cookies. */
export const cookiePath = (): string => new URL(providerUrl()).pathname

export const isEncrypted = (): boolean => providerUrl().startsWith('https:')
