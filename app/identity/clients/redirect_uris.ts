import vine from '@vinejs/vine'

/** Web schemes, and private-use schemes, which contain a dot (RFC 8252). Browsers may handle any other themselves. */
const SCHEME = /^(https?|[a-z][a-z\d+-]*(\.[a-z\d+-]+)+):$/

const MAX_LENGTH = 4096
const WILDCARD = /^(https?:[^?]*\/)\*\*$/i

const eachIsRegistrable = vine.createRule((value, _options: undefined, field) => {
  if (typeof value === 'string' && !redirectUrisOf(value).every(isRegistrable)) {
    field.report(
      'Each address must be absolute, with the scheme https, http or one with a dot (app.example:/callback), without a fragment or user info; only /** at the end is a wildcard',
      'redirectUris',
      field
    )
  }
})

/** The comma-separated redirect URIs of a client. */
export const redirectUris = vine
  .string()
  .minLength(1)
  .maxLength(MAX_LENGTH)
  .use(eachIsRegistrable())
  .nullable()
  .optional()

const webAddress = vine.createRule((value, _options: undefined, field) => {
  if (typeof value === 'string' && !(isUsable(value) && isWebAddress(value))) {
    field.report('Name one https or http address, without a fragment or user info', 'url', field)
  }
})

/** The back-channel logout address of a client. */
export const logoutUri = vine
  .string()
  .minLength(1)
  .maxLength(2048)
  .use(webAddress())
  .nullable()
  .optional()

export function redirectUrisOf(list: string | null): string[] {
  return (list ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '')
}

export const isWebAddress = (uri: string): boolean => /^https?:/i.test(uri)

/** Whether an address can be registered. A web address may end in `/**` to match everything below it. */
function isRegistrable(uri: string): boolean {
  const address = WILDCARD.exec(uri)?.[1] ?? uri
  return isUsable(address) && !address.includes('*')
}

/**
 * Whether a login could redirect to an address. Semicolons are excluded from the host, since it becomes part of a
 * content security policy.
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
