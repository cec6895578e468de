import { decodeJwt, type JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'

import type { AccessState } from '#auth/provider'
import { isJwt } from '#auth/verification/signed_tokens'
import { SingleFlight } from '#kernel/single_flight'
import { clock } from '#kernel/clock'

import type { AccountStatus } from './account_status.js'
import { findGrantedPermissions, type Grantee } from './granted_permissions.js'
import type { ProviderApi } from './provider_api.js'
import { readSessionState } from './session_state.js'

const MAX_REMEMBERED = 10_000
/** Records that were hidden from the platform may be visible later. */
const SNAPSHOT_TTL_MS = 10 * 60_000

interface Bearer {
  readonly sub: string
  readonly sub_kind: Grantee
  readonly session: string | undefined
}

/** The state of an account while a token was valid. */
interface TokenSnapshot {
  readonly permissions: ReadonlySet<string>
  readonly granted: ReadonlySet<string> | undefined
  readonly hasSession: boolean
  readonly until: number
}

/**
 * Determines the access of accounts whose token has expired. A provider does not introspect such tokens, but its
 * records show whether the account is active, the session lasts and permissions are still granted. Only what was
 * visible while the token was valid can be found missing.
 */
export class ExpiredTokens {
  readonly #api: ProviderApi
  readonly #accountStatus: AccountStatus
  readonly #snapshots = new LRUCache<string, TokenSnapshot>({ max: MAX_REMEMBERED })
  readonly #reads = new SingleFlight<string, void>()

  constructor(api: ProviderApi, accountStatus: AccountStatus) {
    this.#api = api
    this.#accountStatus = accountStatus
  }

  /** Takes a snapshot of the account while its token is valid. `permissions` are those of the introspection. */
  async observe(token: string, permissions: ReadonlySet<string>): Promise<void> {
    const bearer = bearerOf(token)
    const snapshot = bearer && this.#snapshots.get(snapshotKey(bearer))
    const isCurrent =
      snapshot && clock.now() < snapshot.until && isEqual(snapshot.permissions, permissions)
    if (bearer && !isCurrent) {
      await this.#reads.run(snapshotKey(bearer), () => this.#takeSnapshot(bearer, permissions))
    }
  }

  /** The current access; undefined if the account has none any more. */
  async accessState(token: string): Promise<AccessState | undefined> {
    const bearer = bearerOf(token)
    if (!bearer || !(await this.#accountStatus.isActive(bearer))) {
      return undefined
    }
    const snapshot = this.#snapshots.get(snapshotKey(bearer))
    const hasSession = snapshot?.hasSession ?? false
    if (hasSession && (await readSessionState(this.#api, bearer.session!)) === 'missing') {
      return undefined
    }
    return { permissions: await this.#permissions(bearer, snapshot), hasSession }
  }

  async #takeSnapshot(bearer: Bearer, permissions: ReadonlySet<string>): Promise<void> {
    const [session, granted] = await Promise.all([
      bearer.session === undefined ? undefined : readSessionState(this.#api, bearer.session),
      findGrantedPermissions(this.#api, bearer.sub_kind, bearer.sub),
    ])
    const hasSession = session === 'active'
    const isAll = granted !== undefined && (hasSession || bearer.session === undefined)
    const until = isAll ? Number.POSITIVE_INFINITY : clock.now() + SNAPSHOT_TTL_MS
    this.#snapshots.set(snapshotKey(bearer), { permissions, granted, hasSession, until })
  }

  async #permissions({ sub, sub_kind: kind }: Bearer, snapshot: TokenSnapshot | undefined) {
    const granted = snapshot?.granted && (await findGrantedPermissions(this.#api, kind, sub))
    return granted === undefined
      ? 'as before'
      : [...snapshot!.permissions]
          .filter((name) => granted.has(name) || !snapshot!.granted!.has(name))
          .map((name) => ({ name }))
  }
}

/** Sessions of clients are ignored: every token has one, and it is never renewed. */
function bearerOf(token: string): Bearer | undefined {
  const claims: JWTPayload = isJwt(token) ? decodeJwt(token) : {}
  const { sub, sub_kind: kind } = claims
  if (sub === undefined || (kind !== 'user' && kind !== 'client')) {
    return undefined
  }
  const session = kind === 'user' ? (claims.session_id ?? claims.sid) : undefined
  return { sub, sub_kind: kind, session: typeof session === 'string' ? session : undefined }
}

const snapshotKey = ({ sub, session }: Bearer) => `${sub} ${session ?? ''}`

const isEqual = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one === other || one.symmetricDifference(other).size === 0
