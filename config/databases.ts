import { databaseOf } from '#configuration/embedded_drivers'
import type { DatabaseSettings } from '#database/database_settings'
import { env } from '#start/env'

const settings: DatabaseSettings = {
  poolSize: env.DB_POOL,
  addresses: {
    core: databaseOf('core', env),
    storage: databaseOf('storage', env),
    telemetry: databaseOf('telemetry', env),
    messenger: databaseOf('messenger', env),
    identity: databaseOf('identity', env),
  },
}

export default settings
