import type { SealedColumn } from '#records/resealing'

/** Where the database of the embedded provider keeps sealed values. */
export const SEALED_PLACES: readonly SealedColumn[] = [
  { table: 'clients', keys: ['id'], column: 'secret', purpose: 'client secret' },
  {
    table: 'identity_signing_keys',
    keys: ['kid'],
    column: 'private_key',
    purpose: 'signing key',
  },
]
