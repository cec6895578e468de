import vine from '@vinejs/vine'

import { optional } from '#records/column'

/** Schemes that a browser would run or show instead of handing the answer to a program. */
const FORBIDDEN = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:'])

const eachIsAddress = vine.createRule((value, _options: undefined, field) => {
  if (typeof value === 'string' && !redirectUrisOf(value).every(isUsable)) {
    field.report(
      'Each address must be absolute, without a fragment, and of a scheme that leads to a program',
      'redirectUris',
      field
    )
  }
})

/** The addresses of a client, separated by commas, that logins may lead back to. */
export const redirectUris = optional(
  vine.string().minLength(1).maxLength(4096).use(eachIsAddress()).nullable()
)

export function redirectUrisOf(list: string | null): string[] {
  return (list ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '')
}

/** The host becomes part of a policy that browsers read, in which a semicolon has a meaning. */
function isUsable(uri: string): boolean {
  const url = URL.parse(uri)
  return (
    url !== null && !FORBIDDEN.has(url.protocol) && !/[#\s*]/.test(uri) && !url.host.includes(';')
  )
}
