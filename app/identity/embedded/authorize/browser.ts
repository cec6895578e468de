import { hash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

import { cookiePath, isEncrypted } from '#identity/embedded/addresses'
import { seal, unseal } from '#records/sealing'
import { clock } from '#kernel/clock'

const COOKIE = 'hub_login'
const VALUE = /^[\w-]{43}$/
const FORM_LIFETIME = '2 hours'

/**
 * The cookie of a browser: before a login an anonymous value, afterwards that of the login. A login always gets a new
 * value, so that it cannot be fixated.
 */
export class Browser {
  readonly #ctx: HttpContext
  #value: string | undefined

  constructor(ctx: HttpContext) {
    this.#ctx = ctx
    const sent: unknown = ctx.request.plainCookie(COOKIE, { encoded: false })
    this.#value = typeof sent === 'string' && VALUE.test(sent) ? sent : undefined
  }

  get value(): string | undefined {
    return this.#value
  }

  renew(): string {
    this.#value = clock.random(32).toString('base64url')
    this.#ctx.response.plainCookie(COOKIE, this.#value, {
      encode: false,
      httpOnly: true,
      sameSite: 'lax',
      secure: isEncrypted(),
      path: cookiePath(),
      // A session cookie; the lifetime of the login is checked by the server.
      maxAge: undefined,
    })
    return this.#value
  }

  /** A token that binds a form to this browser (CSRF protection). */
  async formProof(): Promise<string> {
    return seal('login form', hash('sha256', this.#value ?? this.renew()), FORM_LIFETIME)
  }

  /** Whether a submitted form was made for this browser. */
  async isOwnForm(proof: string): Promise<boolean> {
    const value = this.#value
    return value !== undefined && unseal('login form', proof) === hash('sha256', value)
  }
}
