/**
 * Where a pool of the former version finds its migration when it is reloaded into this one: it was started with this
 * path. Goes with the next version.
 */
await import('../../../bin/pool_migration.js')
