import type { KeyObject } from 'node:crypto'
import { createPrivateKey, createPublicKey } from 'node:crypto'

import { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair, type JWK } from 'jose'
import type pg from 'pg'

import { seal, unseal } from '#records/sealing'
import { retiredKeyMs, SIGNING_KEY_MS } from '#identity/embedded/tokens/lifetimes'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'

export const ALGORITHM = 'RS256'

/** A signing key. The private key is undefined if its encryption key is lost. */
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

/** The advisory lock of key rotation; the number must be unique in this database. */
const ROTATION_LOCK = 7_264_102

const COLUMNS = 'kid, public_key, private_key, created_at'

/** All keys that valid tokens may be signed with, newest first. */
export async function readKeys(pool: pg.Pool | pg.ClientBase): Promise<SigningKey[]> {
  const { rows } = await pool.query<Row>(
    `select ${COLUMNS} from identity_signing_keys where created_at > $1 order by created_at desc`,
    [new Date(clock.now() - SIGNING_KEY_MS - retiredKeyMs())]
  )
  return Promise.all(rows.map(keyOf))
}

/** Whether a key may sign now. */
export function canSign({ privateKey, createdAt }: SigningKey): boolean {
  return privateKey !== undefined && clock.now() < createdAt + SIGNING_KEY_MS
}

/**
 * Creates a key if none can sign, and deletes expired ones. Concurrent processes wait for each other and use the same
 * new key. Returns all keys.
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
      new Date(clock.now() - SIGNING_KEY_MS - retiredKeyMs()),
    ])
    return readKeys(transaction)
  })
}

/**
 * Creates a key for new tokens. Older keys stay valid for existing tokens, unless `forget` deletes them. Returns the id
 * of the key and the number of deleted ones.
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
      [forget, new Date(clock.now() - SIGNING_KEY_MS - retiredKeyMs())]
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
