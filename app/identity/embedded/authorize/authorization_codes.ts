import { hash } from 'node:crypto'

import type pg from 'pg'

import { identityPool } from '#identity/embedded/database'
import { CODE_MS } from '#identity/embedded/tokens/lifetimes'
import {
  startSession,
  endSession,
  type SessionOrigin,
  type TokenSession,
} from '#identity/embedded/tokens/token_sessions'
import type { RequestSource } from '#kernel/origin'
import { recordSignIn } from '#audit/record_security_event'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'

/** The grant behind a code, and what its exchange must match. */
export interface CodeTerms {
  readonly clientId: string
  readonly userId: string
  /** The browser login; the code ends with it. */
  readonly loginSession: string
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly scope: string
  readonly nonce: string | null
}

interface CodeRow extends CodeTerms {
  readonly tokenSession: string
  readonly isAlive: boolean
}

export interface CodeExchange {
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string
}

export interface RedeemedCode {
  readonly session: TokenSession
  readonly nonce: string | null
  readonly signedInAt: Date
}

const VERIFIER = /^[\w.~-]{43,128}$/

/** Issues a single-use, short-lived code. Only its digest is stored. */
export async function issueCode(terms: CodeTerms): Promise<string> {
  const code = clock.random(32).toString('base64url')
  await identityPool().query(
    `insert into identity_authorization_codes (code, client_id, user_id, login_session,
       redirect_uri, code_challenge, scope, nonce, token_session, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      hash('sha256', code),
      terms.clientId,
      terms.userId,
      terms.loginSession,
      terms.redirectUri,
      terms.codeChallenge,
      terms.scope,
      terms.nonce,
      clock.uuid(),
      new Date(clock.now() + CODE_MS),
    ]
  )
  return code
}

/** The realm of the client of a code, since clients of several realms may share a name. */
export async function realmOfCode(code: string): Promise<string | undefined> {
  const { rows } = await identityPool().query<{ realmId: string }>(
    `select c.realm_id as "realmId" from identity_authorization_codes a
     join clients c on c.id = a.client_id where a.code = $1`,
    [hash('sha256', code)]
  )
  return rows[0]?.realmId
}

/**
 * Exchanges a code for a token session; undefined if it does not match. Any attempt uses the code up. A second attempt
 * ends the session of the first.
 */
export async function redeemCode(
  code: string,
  exchange: CodeExchange,
  source: RequestSource
): Promise<RedeemedCode | undefined> {
  const digest = hash('sha256', code)
  const used = await inTransaction(identityPool(), async (transaction) => {
    const row = await markUsed(transaction, digest)
    return row && { redeemed: await redeem(transaction, row, exchange) }
  })
  if (!used) {
    await endReused(digest, source)
  }
  return used?.redeemed
}

async function redeem(
  transaction: pg.ClientBase,
  row: CodeRow,
  exchange: CodeExchange
): Promise<RedeemedCode | undefined> {
  const login = await loginOf(transaction, row)
  if (!login || !row.isAlive || !matches(row, exchange)) {
    return undefined
  }
  const { userId, clientId, scope, nonce, tokenSession: id } = row
  const session = await startSession({ id, userId, clientId, scope }, login, transaction)
  return { session, nonce, signedInAt: login.signedInAt }
}

async function markUsed(transaction: pg.ClientBase, digest: string): Promise<CodeRow | undefined> {
  const { rows } = await transaction.query<CodeRow>(
    `update identity_authorization_codes set used_at = $2 where code = $1 and used_at is null
     returning client_id as "clientId", user_id as "userId", login_session as "loginSession",
       redirect_uri as "redirectUri", code_challenge as "codeChallenge", scope, nonce,
       token_session as "tokenSession", expires_at > $2 as "isAlive"`,
    [digest, new Date(clock.now())]
  )
  return rows[0]
}

/** The browser login of a code. The address is taken from it, since a server may exchange the code. */
async function loginOf(
  transaction: pg.ClientBase,
  { loginSession }: CodeRow
): Promise<(SessionOrigin & { signedInAt: Date }) | undefined> {
  const { rows } = await transaction.query<SessionOrigin & { signedInAt: Date }>(
    `select created_at as "signedInAt", address, user_agent as "userAgent"
     from identity_login_sessions where id = $1 and expires_at > $2`,
    [loginSession, new Date(clock.now())]
  )
  return rows[0]
}

function matches(row: CodeRow, { clientId, redirectUri, verifier }: CodeExchange): boolean {
  return (
    row.clientId === clientId &&
    row.redirectUri === redirectUri &&
    VERIFIER.test(verifier) &&
    hash('sha256', verifier, 'base64url') === row.codeChallenge
  )
}

async function endReused(digest: string, source: RequestSource): Promise<void> {
  const { rows } = await identityPool().query<{ session: string; id: string; realmId: string }>(
    `select c.token_session as session, u.id, u.realm_id as "realmId"
     from identity_authorization_codes c join users u on u.id = c.user_id where c.code = $1`,
    [digest]
  )
  if (rows[0]) {
    const { session, id, realmId } = rows[0]
    await endSession(session)
    await recordSignIn('authorizationCodeReused', { kind: 'user', id, realmId }, source)
  }
}
