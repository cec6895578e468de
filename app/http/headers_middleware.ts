import type { HttpContext } from '@adonisjs/core/http'

import { appSettings } from '#settings/app_settings'

const HEADERS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'vary': 'Origin',
}
const ENCRYPTED = { 'strict-transport-security': 'max-age=31536000' }

/** Sets the security headers of every response. */
export default class HeadersMiddleware {
  readonly #headers = appSettings().appUrl.startsWith('https:')
    ? { ...HEADERS, ...ENCRYPTED }
    : HEADERS

  handle({ response }: HttpContext, next: () => Promise<void>): Promise<void> {
    for (const name in this.#headers) {
      response.header(name, this.#headers[name]!)
    }
    return next()
  }
}
