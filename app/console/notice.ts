import type { HttpContext } from '@adonisjs/core/http'

import { cookieAttributes } from '#console/session/cookie_attributes'

const COOKIE = 'hub_console_notice'
const LIFETIME_SECONDS = 60

const attributes = () => ({ ...cookieAttributes(), sameSite: 'strict' }) as const

/** Keeps the key of a text that the next page shows. A link cannot contain one, so nobody can make one up. */
export function keepNotice({ response }: HttpContext, key: string): void {
  const maxAge = LIFETIME_SECONDS
  response.plainCookie(COOKIE, key, { ...attributes(), encode: false, maxAge })
}

/** The key of the text to show, which is then removed. */
export function takeNotice({ request, response }: HttpContext): string | undefined {
  const key: unknown = request.plainCookie(COOKIE, { encoded: false })
  if (typeof key !== 'string') {
    return undefined
  }
  response.clearCookie(COOKIE, attributes())
  return key
}
