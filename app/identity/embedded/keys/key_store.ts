import type { KeyObject } from 'node:crypto'
import { createPrivateKey, createPublicKey } from 'node:crypto'

import { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair, type JWK } from 'jose'
import type pg from 'pg'

import { seal, unseal } from '#records/sealing'
import { RETIRED_KEY_MS, SIGNING_KEY_MS } from '#identity/embedded/tokens/lifetimes'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'

export const ALGORITHM = 'RS256'

/** A key of the provider; without its private half where that was encrypted with an application key that is gone. */
export interface SigningKey {
  readonly kid: string
  readonly createdAt: number
  readonly publicJwk: JWK
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject | undefined
}

interface Row {
  kid: string
  public_key: JWK
  private_key: string
  created_at: Date
}

const BITS = 2048

/** Any number that nothing else on the same database uses for its advisory locks. */
const ROTATION_LOCK = 7_264_102

const COLUMNS = 'kid, public_key, private_key, created_at'

/** All keys that tokens may be signed with, the newest first. */
export async function readKeys(pool: pg.Pool | pg.ClientBase): Promise<SigningKey[]> {
  const { rows } = await pool.query<Row>(
    `select ${COLUMNS} from identity_signing_keys where created_at > $1 order by created_at desc`,
    [new Date(clock.now() - SIGNING_KEY_MS - RETIRED_KEY_MS)]
  )
  return Promise.all(rows.map(keyOf))
}

/** Whether a key may sign now. */
export function canSign({ privateKey, createdAt }: SigningKey): boolean {
  return privateKey !== undefined && clock.now() < createdAt + SIGNING_KEY_MS
}

/**
 * Makes a new key where none can sign, and removes those that are over. Processes that find so at the same time wait for
 * each other, and all but one find the new key there. Answers all keys.
 */
export async function rotateKeys(pool: pg.Pool): Promise<SigningKey[]> {
  const fresh = await newKey()
  return inTransaction(pool, async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [ROTATION_LOCK])
    const keys = await readKeys(transaction)
    if (keys.some(canSign)) {
      return keys
    }
    await insert(transaction, fresh)
    await transaction.query('delete from identity_signing_keys where created_at <= $1', [
      new Date(clock.now() - SIGNING_KEY_MS - RETIRED_KEY_MS),
    ])
    return readKeys(transaction)
  })
}

/**
 * Makes a key that tokens are signed with from now on. Those signed before are good as long as they would have been, or where
 * all other keys are to be forgotten no longer. Answers the id of the key, and how many were forgotten.
 */
export async function replaceKeys(
  pool: pg.Pool,
  { forget }: { forget: boolean }
): Promise<{ kid: string; forgotten: number }> {
  const fresh = await newKey()
  return inTransaction(pool, async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [ROTATION_LOCK])
    const { rowCount } = await transaction.query(
      'delete from identity_signing_keys where $1 or created_at <= $2',
      [forget, new Date(clock.now() - SIGNING_KEY_MS - RETIRED_KEY_MS)]
    )
    await insert(transaction, fresh)
    return { kid: fresh.kid, forgotten: rowCount ?? 0 }
  })
}

async function insert(transaction: pg.ClientBase, key: Row): Promise<void> {
  await transaction.query(
    `insert into identity_signing_keys (${COLUMNS}) values ($1, $2, $3, $4)`,
    [key.kid, key.public_key, key.private_key, key.created_at]
  )
}

async function newKey(): Promise<Row> {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: BITS, extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const secret = await exportPKCS8(pair.privateKey)
  return {
    kid,
    public_key: { ...publicJwk, kid, alg: ALGORITHM, use: 'sig' },
    private_key: seal('signing key', secret),
    created_at: new Date(clock.now()),
  }
}

async function keyOf(row: Row): Promise<SigningKey> {
  const secret = unseal('signing key', row.private_key)
  return {
    kid: row.kid,
    createdAt: row.created_at.getTime(),
    publicJwk: row.public_key,
    publicKey: createPublicKey({ key: row.public_key, format: 'jwk' }),
    privateKey: secret === null ? undefined : createPrivateKey(secret),
  }
}
