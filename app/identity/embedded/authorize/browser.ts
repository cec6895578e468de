import { hash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

import { COOKIE_PATH, IS_ENCRYPTED } from '#identity/embedded/addresses'
import { seal, unseal } from '#records/sealing'
import { clock } from '#kernel/clock'

const COOKIE = 'hub_login'
const VALUE = /^[\w-]{43}$/
const FORM_LIFETIME = '2 hours'

/**
 * What a browser holds: before a login just something to recognise it by, afterwards what it is signed in with. A login
 * never keeps the value from before, so that nobody can have put it there.
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
      secure: IS_ENCRYPTED,
      path: COOKIE_PATH,
      // Until the browser is closed; when the login ends is decided here.
      maxAge: undefined,
    })
    return this.#value
  }

  /** Proof that a form was made for this browser. */
  async formProof(): Promise<string> {
    return seal('login form', hash('sha256', this.#value ?? this.renew()), FORM_LIFETIME)
  }

  /** Whether a form that was sent was made for this browser, not by another site. */
  async isOwnForm(proof: string): Promise<boolean> {
    const value = this.#value
    return value !== undefined && unseal('login form', proof) === hash('sha256', value)
  }
}
