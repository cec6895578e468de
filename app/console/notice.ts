import type { HttpContext } from '@adonisjs/core/http'

import { surfaceUrl } from '#settings/app_settings'

const COOKIE = 'hub_console_notice'
const LIFETIME_SECONDS = 60

/** Keeps the key of a text that the next page shows. A link cannot contain one, so nobody can make one up. */
export function keepNotice(ctx: HttpContext, key: string): void {
  setNotice(ctx, key, LIFETIME_SECONDS)
}

/** The key of the text to show, which is then removed. */
export function takeNotice(ctx: HttpContext): string | undefined {
  const key: unknown = ctx.request.plainCookie(COOKIE, { encoded: false })
  if (typeof key !== 'string' || key === '') {
    return undefined
  }
  setNotice(ctx, '', 0)
  return key
}

function setNotice({ response }: HttpContext, value: string, maxAge: number): void {
  const address = new URL(surfaceUrl('console'))
  response.plainCookie(COOKIE, value, {
    encode: false,
    httpOnly: true,
    sameSite: 'strict',
    secure: address.protocol === 'https:',
    path: address.pathname,
    maxAge,
  })
}
