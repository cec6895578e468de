import { decodeJwt, type JWTPayload } from 'jose'

import type { Standing } from '#auth/provider'
import { Recent } from '#auth/verification/recent'
import { looksSigned } from '#auth/verification/signed_tokens'
import { SingleFlight } from '#auth/verification/single_flight'
import { clock } from '#kernel/clock'

import type { Activity } from './activity.js'
import { grantedTo, type Holder } from './grants.js'
import type { ProviderApi } from './provider_api.js'
import { lookAtSession } from './sessions.js'

const MOST_REMEMBERED = 10_000
/** What the platform was not shown may be shown to it later. */
const LOOKED_AT_AGAIN_MS = 10 * 60_000

interface Bearer {
  readonly sub: string
  readonly sub_kind: Holder
  readonly session: string | undefined
}

/** What was seen while a token was good. */
interface Seen {
  readonly told: ReadonlySet<string>
  readonly granted: ReadonlySet<string> | undefined
  readonly hasSession: boolean
  readonly until: number
}

/**
 * What holds for the bearers of tokens that are over. A provider says nothing of such tokens; whether the bearer is active,
 * the session lasts and the permissions are still given can be asked. What was never shown is not missed: only what was seen
 * while the token was good can be found to be gone.
 */
export class EndedTokens {
  readonly #api: ProviderApi
  readonly #activity: Activity
  readonly #seen = new Recent<string, Seen>(MOST_REMEMBERED)
  readonly #looks = new SingleFlight<string, void>()

  constructor(api: ProviderApi, activity: Activity) {
    this.#api = api
    this.#activity = activity
  }

  /** Sees what a good token comes from; `told` is what the provider says that its bearer may do. */
  async notice(token: string, told: ReadonlySet<string>): Promise<void> {
    const bearer = bearerOf(token)
    const seen = bearer && this.#seen.get(keyOf(bearer))
    const isSeen = seen && clock.now() < seen.until && isSame(seen.told, told)
    if (bearer && !isSeen) {
      await this.#looks.run(keyOf(bearer), () => this.#see(bearer, told))
    }
  }

  /** Undefined for whoever may do nothing any more. */
  async standing(token: string): Promise<Standing | undefined> {
    const bearer = bearerOf(token)
    if (!bearer || !(await this.#activity.isActive(bearer))) {
      return undefined
    }
    const seen = this.#seen.get(keyOf(bearer))
    const hasSession = seen?.hasSession ?? false
    if (hasSession && (await lookAtSession(this.#api, bearer.session!)) === 'is not there') {
      return undefined
    }
    return { permissions: await this.#permissions(bearer, seen), hasSession }
  }

  async #see(bearer: Bearer, told: ReadonlySet<string>): Promise<void> {
    const [session, granted] = await Promise.all([
      bearer.session === undefined ? undefined : lookAtSession(this.#api, bearer.session),
      grantedTo(this.#api, bearer.sub_kind, bearer.sub),
    ])
    const hasSession = session === 'lasts'
    const isAll = granted !== undefined && (hasSession || bearer.session === undefined)
    const until = isAll ? Number.POSITIVE_INFINITY : clock.now() + LOOKED_AT_AGAIN_MS
    this.#seen.set(keyOf(bearer), { told, granted, hasSession, until })
  }

  async #permissions({ sub, sub_kind: kind }: Bearer, seen: Seen | undefined) {
    const granted = seen?.granted && (await grantedTo(this.#api, kind, sub))
    return granted === undefined
      ? 'as before'
      : [...seen!.told]
          .filter((name) => granted.has(name) || !seen!.granted!.has(name))
          .map((name) => ({ name }))
  }
}

/** Each token of a client has a session of its own, which nobody renews: that ends nothing. */
function bearerOf(token: string): Bearer | undefined {
  const claims: JWTPayload = looksSigned(token) ? decodeJwt(token) : {}
  const { sub, sub_kind: kind } = claims
  if (sub === undefined || (kind !== 'user' && kind !== 'client')) {
    return undefined
  }
  const session = kind === 'user' ? (claims.session_id ?? claims.sid) : undefined
  return { sub, sub_kind: kind, session: typeof session === 'string' ? session : undefined }
}

const keyOf = ({ sub, session }: Bearer) => `${sub} ${session ?? ''}`

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one === other || one.symmetricDifference(other).size === 0
