/**
 * Fixes what tests may depend on, whatever the shell they are started from has set.
 */
export function testEnvironment(): void {
  Object.assign(process.env, {
    NODE_ENV: 'test',
    TZ: 'UTC',
    LOG_LEVEL: 'fatal',
    APP_KEY: 'a-key-for-tests-that-is-long-enough-000',
    RATE_LIMIT_USER: '0',
    RATE_LIMIT_CLIENT: '0',
    RATE_LIMIT_ANONYMOUS: '0',
  })
}
