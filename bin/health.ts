import { adminOrigin } from '#runtime/listen'
import { env } from '#start/env'

/** Exits with 0 if the hub of this container is ready: the health check of containers. */
const TIMEOUT_MS = 8_000

try {
  const response = await fetch(`${adminOrigin(env)}/health/ready`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  console.log(await response.text())
  process.exitCode = response.ok ? 0 : 1
} catch (error) {
  console.error(`The hub does not answer: ${(error as Error).message}`)
  process.exitCode = 1
}
