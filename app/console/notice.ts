import type { HttpContext } from '@adonisjs/core/http'

import { cookieAttributes } from '#console/session/cookie_attributes'

const COOKIE = 'hub_console_notice'
const LIFETIME_SECONDS = 60

const attributes = () => ({ ...cookieAttributes(), sameSite: 'strict' }) as const

/** Stores the key of a text for the next page. It is in a cookie, so a link cannot inject one. */
export function keepNotice({ response }: HttpContext, key: string): void {
  const maxAge = LIFETIME_SECONDS
  response.plainCookie(COOKIE, key, { ...attributes(), encode: false, maxAge })
}

/** Returns and removes the key of the text. */
export function takeNotice({ request, response }: HttpContext): string | undefined {
  const key: unknown = request.plainCookie(COOKIE, { encoded: false })
  if (typeof key !== 'string') {
    return undefined
  }
  response.clearCookie(COOKIE, attributes())
  return key
}
