import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'

import { address, SERVICES, useInstallation, type Service } from './installation.js'

const HOUR_MS = 3_600_000

async function assertMetadata(assert: Assert, service: Service): Promise<void> {
  const response = await fetch(address(service))
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  const metadata = (await response.json()) as { version: string; timestamp: number }
  assert.sameMembers(Object.keys(metadata), ['version', 'timestamp'])
  assert.match(metadata.version, /^\d+\.\d+\.\d+/)
  assert.closeTo(metadata.timestamp, Date.now(), HOUR_MS)
}

test.group('Interface: service metadata', (group) => {
  useInstallation(group)

  test('What the service does / Common rules 1: {$self} returns its version and time at its root')
    .with([...SERVICES])
    .run(({ assert }, service) => assertMetadata(assert, service))

  test('Endpoints / Core service row 1: the root answers flat', ({ assert }) =>
    assertMetadata(assert, 'core'))

  test('Endpoints / Storage service row 1: the root answers flat', ({ assert }) =>
    assertMetadata(assert, 'storage'))

  test('Endpoints / Telemetry service row 1: the root answers flat', ({ assert }) =>
    assertMetadata(assert, 'telemetry'))

  test('Versioning 1: {$self} returns its version and time')
    .with(['core', 'storage', 'telemetry'] as const)
    .run(({ assert }, service) => assertMetadata(assert, service))

  test('Authentication 1a: the health checks of {service} answer whoever asks')
    .with(
      SERVICES.flatMap((service) =>
        ['/health/live', '/health/ready'].map((path) => ({ service, path }))
      )
    )
    .run(async ({ assert }, { service, path }) => {
      for (const headers of [{}, { authorization: 'Bearer not-a-token' }]) {
        const response = await fetch(address(service, path), { headers })
        assert.equal(response.status, 200)
        assert.deepEqual(await response.json(), { status: 'ok' })
      }
    })
})
