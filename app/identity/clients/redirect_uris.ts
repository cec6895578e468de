import vine from '@vinejs/vine'

/** Schemes of the web, and those that a program made its own, which hold a dot; a browser may act on any other by itself. */
const SCHEME = /^(https?|[a-z][a-z\d+-]*(\.[a-z\d+-]+)+):$/

const MAX_LENGTH = 4096
const WILDCARD = /^(https?:[^?]*\/)\*\*$/i

const eachIsRegistrable = vine.createRule((value, _options: undefined, field) => {
  if (typeof value === 'string' && !redirectUrisOf(value).every(isRegistrable)) {
    field.report(
      'Each address must be absolute, of the scheme https, http or one with a dot (app.example:/callback), without a fragment or a login; only /** at its end stands for anything',
      'redirectUris',
      field
    )
  }
})

/** The addresses of a client, separated by commas, that logins may lead back to. */
export const redirectUris = vine
  .string()
  .minLength(1)
  .maxLength(MAX_LENGTH)
  .use(eachIsRegistrable())
  .nullable()
  .optional()

const isWebAddress = vine.createRule((value, _options: undefined, field) => {
  if (typeof value === 'string' && !(isUsable(value) && /^https?:/i.test(value))) {
    field.report('Name one https or http address, without a fragment or a login', 'url', field)
  }
})

/** Where the provider tells a client that a session ended. */
export const logoutUri = vine
  .string()
  .minLength(1)
  .maxLength(2048)
  .use(isWebAddress())
  .nullable()
  .optional()

export function redirectUrisOf(list: string | null): string[] {
  return (list ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '')
}

/** An address as clients register it; one of the web may end in `/**`, for all that lies below. */
function isRegistrable(uri: string): boolean {
  const address = WILDCARD.exec(uri)?.[1] ?? uri
  return isUsable(address) && !address.includes('*')
}

/**
 * Whether a login could lead to an address at all. The host becomes part of a policy that browsers read, in which a semicolon
 * has a meaning.
 */
export function isUsable(uri: string): boolean {
  const url = uri.length > MAX_LENGTH ? null : URL.parse(uri)
  return (
    url !== null &&
    SCHEME.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    !/[\p{Cc}\s#\\]/u.test(uri) &&
    !url.host.includes(';')
  )
}
