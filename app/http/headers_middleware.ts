import type { HttpContext } from '@adonisjs/core/http'

import { env } from '#start/env'

const HEADERS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'vary': 'Origin',
  ...(env.PUBLIC_URL.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
}

/** Sets the security headers of every response. */
export default class HeadersMiddleware {
  handle({ response }: HttpContext, next: () => Promise<void>): Promise<void> {
    for (const name in HEADERS) {
      response.header(name, HEADERS[name]!)
    }
    return next()
  }
}
