/**
 * Where pools of this version and of the former one find their migration, so that each can be reloaded into the other:
 * a pool keeps the path that it was started with. The next version may start `bin/pool_migration` itself.
 */
await import('../../../bin/pool_migration.js')
