import type { SealedPlace } from '#records/resealing'

/** Where the database of the embedded provider keeps sealed values. */
export const SEALED_PLACES: readonly SealedPlace[] = [
  { table: 'clients', keys: ['id'], column: 'secret', purpose: 'client secret' },
  {
    table: 'identity_signing_keys',
    keys: ['kid'],
    column: 'private_key',
    purpose: 'signing key',
  },
]
