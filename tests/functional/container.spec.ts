import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { ProjectService } from '#core/projects/project_service'
import { RegistryOperations, type RegistryOperation } from '#core/registries/registry_operations'
import { clock } from '#kernel/clock'
import { identity } from '#tests/helpers/identities'

import { call } from '#tests/functional/core/node_scene'

const { headers } = identity()

/** The dependencies of a service that does nothing. */
const NOTHING = { pool: {} } as never

test.group('A service replaced in the container', (group) => {
  group.each.teardown(() => app.container.restoreAll())

  test('a replaced service serves the routes of a kind', async ({ assert }) => {
    class Standing extends ProjectService {
      override async read(): Promise<string> {
        return '{"name":"of another service"}'
      }
    }
    app.container.swap(ProjectService, () => new Standing(NOTHING))
    const path = `/projects/${clock.uuid()}`
    const swapped = await call('GET', path, { headers })
    assert.deepEqual(swapped.body.data, { name: 'of another service' })

    app.container.restore(ProjectService)
    const restored = await call('GET', path, { headers })
    assert.equal(restored.status, 404)
  })

  test('a replaced service serves routes without a kind', async ({ assert }) => {
    const ordered: RegistryOperation[] = []
    class Noting extends RegistryOperations {
      override async execute(command: RegistryOperation): Promise<void> {
        ordered.push(command)
      }
    }
    app.container.swap(RegistryOperations, () => new Noting(NOTHING, NOTHING, NOTHING, NOTHING))
    const body = { command: 'cleanup', id: clock.uuid() }
    const { status } = await call('POST', '/services/registry/command', { headers, body })
    assert.equal(status, 202)
    assert.containSubset(ordered, [body])
  })
})
