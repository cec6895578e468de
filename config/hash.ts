import { defineConfig, drivers } from '@adonisjs/core/hash'

import { env } from '#start/env'

/** Iterations over 16 MiB per hash; tests use a cheaper hash. */
const PASSES = env.NODE_ENV === 'test' ? 1 : 5
const COST = env.NODE_ENV === 'test' ? 2_048 : 16_384

export default defineConfig({
  default: 'scrypt',
  list: {
    scrypt: drivers.scrypt({
      cost: COST,
      blockSize: 8,
      parallelization: PASSES,
      saltSize: 16,
      keyLength: 64,
      maxMemory: 64 * 1024 * 1024,
    }),
  },
})
