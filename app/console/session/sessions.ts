import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { Authenticator } from '#auth/authenticator'
import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'
import { clearSession, readSession, writeSession, type ConsoleSession } from './console_session.js'
import { Renewals } from './renewals.js'

/** A token with less lifetime than this is renewed first, so that it does not expire during a page. */
const RENEW_BEFORE_MS = 20_000

export interface SignedIn {
  readonly session: ConsoleSession
  readonly actor: Actor
}

/** Finds the user of a request. A revoked session ends within a minute. */
@inject()
export class Sessions {
  readonly #authenticator: Authenticator
  readonly #renewals: Renewals

  constructor(authenticator: Authenticator, renewals: Renewals) {
    this.#authenticator = authenticator
    this.#renewals = renewals
  }

  /** The user; undefined if there is no session or it has ended. */
  async find(ctx: HttpContext): Promise<SignedIn | undefined> {
    const session = readSession(ctx)
    if (!session) {
      return undefined
    }
    const isFresh = session.expiresAt - clock.now() > RENEW_BEFORE_MS
    const actor = isFresh ? await this.#authenticator.verify(session.accessToken) : undefined
    return actor ? { session, actor } : this.renew(ctx, session)
  }

  /** The user with new tokens; undefined if the provider has ended the session. */
  async renew(ctx: HttpContext, former: ConsoleSession): Promise<SignedIn | undefined> {
    const session = await this.#renewals.renew(former, ctx.request.ip())
    const actor = session && (await this.#authenticator.verify(session.accessToken))
    if (!actor) {
      clearSession(ctx)
      return undefined
    }
    writeSession(ctx, session)
    return { session, actor }
  }
}
